"""Train a small Stanza pipeline on a treebank."""

from functools import partial

from bert_attention.conllu import read_conllu
from bert_attention.jobs import configure_logging, progress
from bert_attention.parser_training import train_pipeline


def main(snakemake):
    configure_logging(snakemake.log[0])
    train, dev = (read_conllu(file)[0] for file in (snakemake.input.train, snakemake.input.dev))
    show = partial(progress, what="models of the pipeline")
    train_pipeline(train, dev, snakemake.output[0], seed=snakemake.params.seed, progress=show)


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
