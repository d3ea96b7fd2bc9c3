"""Read word vectors."""

from bert_attention.corpora.vectors import load_vectors, save_glove
from bert_attention.downloads.sources import obtain
from bert_attention.running.jobs import logger
from bert_attention.running.scripts import run_script


def main(snakemake):
    vectors = load_vectors(obtain(**snakemake.params.origin))
    save_glove(vectors, snakemake.output[0])
    logger.info("vectors: %d words of %d dimensions", len(vectors), vectors.vector_size)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
