"""Read running text: plain text, WikiText or a Wikipedia dump."""

from bert_attention.corpora.jsonlines import write_records
from bert_attention.corpora.running_text import read_running_text
from bert_attention.corpora.summaries import ArticleCounter
from bert_attention.downloads.sources import obtain
from bert_attention.running.jobs import progress
from bert_attention.running.reports import report_corpora
from bert_attention.running.scripts import run_script


def main(snakemake):
    params = snakemake.params
    articles, left_out = read_running_text(obtain(**params.origin), params.format, params.articles)
    counter = ArticleCounter()
    write_records(progress(counter.counted(articles), "articles", params.articles), snakemake.output[0])
    report_corpora([counter.summary(left_out)], snakemake.output.summary)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
