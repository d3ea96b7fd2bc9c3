"""Read running text out of a Wikipedia dump."""

from bert_attention.corpora.jsonlines import write_records
from bert_attention.corpora.wikipedia import read_dump
from bert_attention.jobs import configure_logging, log_counts, logger
from bert_attention.sources import check_sha256, locate


def main(snakemake):
    configure_logging(snakemake.log[0])
    dump = locate(snakemake.params.source)
    check_sha256(dump, snakemake.params.sha256)
    articles, left_out = read_dump(dump)
    write_records(articles, snakemake.output[0])
    log_counts("left out", left_out)
    logger.info("wikipedia: %d articles, %d paragraphs", len(articles), sum(len(a.paragraphs) for a in articles))


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
