"""Make sentences with frames from parsed text, as a stand-in for FrameNet."""

from bert_attention.corpora.conllu import read_trees
from bert_attention.corpora.jsonlines import write_records
from bert_attention.running.jobs import logger
from bert_attention.running.scripts import run_script
from bert_attention.stand_ins.frames import framed_sentences


def main(snakemake):
    trees = [sentence for path in snakemake.input for sentence in read_trees(path)]
    framed = list(framed_sentences(trees))
    write_records(framed, snakemake.output[0])
    logger.info("stand-in for frames: %d sentences", len(framed))


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
