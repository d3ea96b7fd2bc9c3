"""Make pairs of an invented language and English from parsed text, as a stand-in for aligned translations."""

from bert_attention.corpora.alignments import write_alignments
from bert_attention.corpora.conllu import read_trees
from bert_attention.running.jobs import logger
from bert_attention.running.scripts import run_script
from bert_attention.stand_ins.invented_language import invented_pairs, lexicon_of


def main(snakemake):
    params, paths, output = snakemake.params, snakemake.input, snakemake.output
    trees = {split: read_trees(paths[split]) for split in ("train", "dev")}
    lexicon = lexicon_of(trees["train"])
    splits = (("train", "train", output.train, params.seed), ("test", "dev", output.test, params.seed + 1))
    for split, part, files, seed in splits:
        write_alignments(invented_pairs(trees[part], lexicon, params.pairs[split], seed), *files)
    logger.info("stand-in for translations: %s pairs", params.pairs)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
