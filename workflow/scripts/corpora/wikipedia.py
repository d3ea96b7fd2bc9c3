"""Read running text from a Wikipedia dump or WikiText."""

from bert_attention.corpora.jsonlines import write_records
from bert_attention.corpora.wikipedia import read_dump
from bert_attention.corpora.wikitext import read_wikitext
from bert_attention.downloads.sources import obtain
from bert_attention.running.jobs import configure_logging, log_counts, logger

READERS = {"mediawiki": read_dump, "wikitext": read_wikitext}


def main(snakemake):
    configure_logging(snakemake.log[0])
    articles, left_out = READERS[snakemake.params.format](obtain(**snakemake.params.origin))
    write_records(articles, snakemake.output[0])
    log_counts("left out", left_out)
    logger.info("wikipedia: %d articles, %d paragraphs", len(articles), sum(len(a.paragraphs) for a in articles))


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
