"""Train a small translation model on sentences and their translations."""

from functools import partial

from bert_attention.corpora.alignments import read_alignments
from bert_attention.models.translation_training import STEPS, train_translation_model
from bert_attention.running.jobs import logger, progress
from bert_attention.running.scripts import run_script


def main(snakemake):
    train, test = (
        [(pair.source, pair.target) for pair in read_alignments(*files, base=0)[0]]
        for files in (snakemake.input.train, snakemake.input.test)
    )
    show = partial(progress, what="translation model, batches")
    steps = round(STEPS * snakemake.params.effort)
    seed = snakemake.params.seed
    log = train_translation_model(train, test, snakemake.output[0], seed=seed, steps=steps, progress=show)
    logger.info("training:\n%s", log.to_string(index=False))


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
