"""Read one task: a table of one's own, a folder of GLUE or of STS, labeled or rated texts, or Wikipedia articles."""

from dataclasses import replace

from bert_attention.corpora.glue import read_labeled_lines, read_task, subsample, write_task
from bert_attention.corpora.held_out import check_examples_held_out
from bert_attention.corpora.jsonlines import read_articles
from bert_attention.corpora.labeled_tables import Columns, read_labeled_table
from bert_attention.corpora.next_sentence import next_sentence_task
from bert_attention.corpora.rated_texts import is_rated_texts, read_rated_texts
from bert_attention.corpora.shared_sentences import grouped_by_sentences
from bert_attention.corpora.sts_benchmark import is_sts_benchmark, read_sts_benchmark
from bert_attention.corpora.summaries import task_summary
from bert_attention.downloads.sources import obtain
from bert_attention.running.reports import report_corpora
from bert_attention.running.scripts import run_script


def main(snakemake):
    params, name = snakemake.params, snakemake.wildcards.task
    found, left_out = _read(obtain(**params.origin), name, params)
    check_examples_held_out(found.train, found.validation, f"corpora.tasks.{name}")
    found = replace(found, validation=grouped_by_sentences(found.validation))
    task = subsample(found, params.examples["dev"], params.seed, params.examples["train"])
    write_task(task, snakemake.output[0])
    drawn = len(task.train) + len(task.validation)
    not_drawn = {"examples not drawn": len(found.train) + len(found.validation) - drawn}
    report_corpora([task_summary(task, {**left_out, **not_drawn})], snakemake.output.summary)


def _read(origin, name, params):
    if params.columns:
        return read_labeled_table(origin, name, Columns(**params.columns), params.seed, params.on_bad_input)
    if origin.is_dir():
        read = read_sts_benchmark if is_sts_benchmark(origin) else read_task
        return read(origin, name, params.on_bad_input)
    if origin.suffix == ".jsonl":
        return next_sentence_task(read_articles(origin), params.seed), {}
    read = read_rated_texts if is_rated_texts(origin) else read_labeled_lines
    return read(origin, name, params.seed, params.on_bad_input)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
