"""Read running text: plain text, WikiText or a Wikipedia dump."""

from bert_attention.corpora.jsonlines import write_records
from bert_attention.corpora.running_text import read_running_text
from bert_attention.downloads.sources import obtain
from bert_attention.running.jobs import log_counts, progress
from bert_attention.running.scripts import run_script


def main(snakemake):
    params = snakemake.params
    articles, left_out = read_running_text(obtain(**params.origin), params.format, params.articles)
    write_records(progress(articles, "articles", params.articles), snakemake.output[0])
    log_counts("left out", +left_out)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
