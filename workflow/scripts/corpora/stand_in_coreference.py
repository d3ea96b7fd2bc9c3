"""Make documents with masked names from parsed text, as a stand-in for a coreference corpus."""

from bert_attention.corpora.conllu import read_trees
from bert_attention.corpora.corefud import write_corefud
from bert_attention.running.jobs import logger
from bert_attention.running.scripts import run_script
from bert_attention.stand_ins.coreference import masked_documents


def main(snakemake):
    documents = list(masked_documents(read_trees(snakemake.input[0])))
    write_corefud(documents, snakemake.output[0])
    mentions = sum(len(document.mentions) for document in documents)
    logger.info("stand-in for coreference: %d documents, %d mentions", len(documents), mentions)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
