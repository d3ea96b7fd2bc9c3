"""Download remote sources, and write a receipt."""

from pathlib import Path

from bert_attention.downloads.clients import fetch
from bert_attention.downloads.receipts import write_receipt
from bert_attention.running.jobs import configure_logging, logger


def main(snakemake):
    configure_logging(snakemake.log[0])
    receipt = Path(snakemake.output[0])
    places = {}
    for source, sha256 in snakemake.params.fetched.items():
        logger.info("fetching %s", source)
        places[source] = fetch(source, sha256, receipt.parent)
    write_receipt(places, receipt)


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
