"""Train word vectors on running text."""

from bert_attention.corpora.jsonlines import read_articles
from bert_attention.corpora.vectors import save_glove, train_vectors
from bert_attention.running.jobs import logger
from bert_attention.running.scripts import run_script


def main(snakemake):
    articles = read_articles(snakemake.input[0])
    sentences = [sentence for article in articles for paragraph in article.paragraphs for sentence in paragraph]
    vectors = train_vectors(sentences, snakemake.params.dimensions, snakemake.params.seed)
    save_glove(vectors, snakemake.output[0])
    logger.info("vectors: %d words of %d sentences", len(vectors), len(sentences))


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
