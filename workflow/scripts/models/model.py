"""Bring an encoder into resources/models in standard form."""

from pathlib import Path

from bert_attention.jobs import configure_logging
from bert_attention.sources import copy_model, locate


def main(snakemake):
    configure_logging(snakemake.log[0])
    origin = snakemake.params.origin
    copy_model(locate(origin["source"]), origin["sha256"], Path(snakemake.output[0]).parent)


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
