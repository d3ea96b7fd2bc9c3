"""Copy an encoder into resources/models in standard form."""

from pathlib import Path

from bert_attention.downloads.sources import obtain
from bert_attention.models.model_folder import check_segment_types, copy_model
from bert_attention.running.jobs import configure_logging


def main(snakemake):
    configure_logging(snakemake.log[0])
    origin = snakemake.params.origin
    folder = obtain(origin["source"], None)  # the digest is that of the weights
    check_segment_types(folder, snakemake.params.segment_types)
    copy_model(folder, origin["sha256"], Path(snakemake.output[0]).parent)


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
