"""Align words by a statistical aligner, and score the links."""

from warnings import warn

from bert_attention.corpora.alignments import read_alignments
from bert_attention.papers.kobayashi.aligners import IS_INSTALLED, aligner_table
from bert_attention.running.scripts import run_script
from bert_attention.statistics.tables import write_table


def main(snakemake):
    paths = snakemake.input
    training = [(pair.source, pair.target) for pair in read_alignments(*paths.train, base=0)[0]] if paths.train else []
    pairs, _ = read_alignments(paths.source_text, paths.target_text, paths.links, base=0)
    if not IS_INSTALLED:
        warn("sil-thot is not installed (it has no wheel for Linux on ARM): the error rates stay empty", stacklevel=1)
    write_table(aligner_table(training, pairs), snakemake.output[0])


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
