"""Download a remote source, and write a manifest of the downloaded files."""

from pathlib import Path

from bert_attention.downloads.clients import WITHOUT_NETWORK, fetch, unreachable_host
from bert_attention.downloads.sources import without_digests
from bert_attention.errors import InputError
from bert_attention.manifest import write_manifest
from bert_attention.running.jobs import logger
from bert_attention.running.scripts import run_script


def main(snakemake):
    folder = Path(snakemake.output[0]).parent
    source, sha256 = snakemake.params.fetched["source"], snakemake.params.fetched["sha256"]
    logger.info("fetching %s", without_digests(source))
    if host := unreachable_host(source):  # the clients would try for half a minute
        raise InputError(f"source {without_digests(source)!r}", f"{host} cannot be reached", WITHOUT_NETWORK)
    fetch(source, sha256, folder.parent)
    write_manifest(folder)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
