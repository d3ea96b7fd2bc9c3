"""Make the miniature's translations, with word alignments, and write them as running text and links."""

from bert_attention.corpora.alignments import write_alignments
from bert_attention.running.jobs import logger
from bert_attention.running.scripts import run_script
from miniature import aligned_pairs


def main(snakemake):
    params, output = snakemake.params, snakemake.output
    for split, files, seed in (("train", output.train, params.seed), ("test", output.test, params.seed + 1)):
        write_alignments(aligned_pairs(params.translations[split], seed), *files)
    logger.info("miniature: %s pairs", params.translations)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
