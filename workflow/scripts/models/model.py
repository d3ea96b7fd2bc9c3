"""Copy an encoder into the folder of an edition, in standard form."""

from pathlib import Path

from bert_attention.downloads.sources import obtain
from bert_attention.models.model_folder import check_as_stated, check_model, copy_model
from bert_attention.models.tokenizer_check import warn_of_transformers
from bert_attention.running.scripts import run_script


def main(snakemake):
    params = snakemake.params
    folder = obtain(params.origin["source"], None)  # the digest is of the weights, and copy_model compares it
    check_as_stated(folder, params.segment_types, params.model_type)
    tokenizer = check_model(folder, params.origin["source"])
    warn_of_transformers(tokenizer, folder)
    copy_model(folder, params.origin["sha256"], Path(snakemake.output[0]).parent, params.origin["source"])


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
