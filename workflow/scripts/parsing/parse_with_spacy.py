"""Parse running text with spaCy."""

from functools import partial

from bert_attention.corpora.conllu import write_conllu
from bert_attention.corpora.jsonlines import read_articles
from bert_attention.corpora.texts import joined_texts, paragraphs_of_articles
from bert_attention.downloads.sources import obtain
from bert_attention.parsing.spacy_trees import load_spacy, parse_sentences
from bert_attention.running.jobs import logger, progress
from bert_attention.running.scripts import run_script


def main(snakemake):
    origin = snakemake.params.origin
    nlp = load_spacy(obtain(origin["source"], None), origin["sha256"])
    articles = read_articles(snakemake.input.articles)
    paragraphs = paragraphs_of_articles(articles)
    parsed = parse_sentences(
        nlp, list(paragraphs.values()), progress=partial(progress, what="parsing, batches of paragraphs")
    )
    write_conllu(joined_texts(paragraphs, parsed), snakemake.output[0])
    logger.info("%d articles, %d sentences", len(articles), sum(map(len, parsed)))


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
