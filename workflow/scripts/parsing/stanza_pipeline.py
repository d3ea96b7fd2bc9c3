"""Train a small Stanza pipeline on a treebank."""

from functools import partial

from bert_attention.corpora.conllu import read_conllu
from bert_attention.parsing.training import TRAINING_LENGTHS, train_pipeline
from bert_attention.running.jobs import progress
from bert_attention.running.scripts import run_script


def main(snakemake):
    train, dev = (read_conllu(file)[0] for file in (snakemake.input.train, snakemake.input.dev))
    show = partial(progress, what="models of the pipeline")
    lengths = {name: max(1, round(usual * snakemake.params.effort)) for name, usual in TRAINING_LENGTHS.items()}
    train_pipeline(train, dev, snakemake.output[0], seed=snakemake.params.seed, **lengths, progress=show)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
