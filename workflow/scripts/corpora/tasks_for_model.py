"""Tokenize the analyzed examples of tasks, and cut them to a model's maximum length."""

from pathlib import Path

from bert_attention.corpora.glue import read_task, subsample
from bert_attention.corpora.jsonlines import write_records
from bert_attention.corpora.summaries import UNKNOWN_TOKENS, task_inputs_summary
from bert_attention.files import folders_of
from bert_attention.running.reports import report_corpora
from bert_attention.running.scripts import run_script
from bert_attention.tokenization.task_inputs import task_inputs
from bert_attention.tokenization.unknown_tokens import check_is_known, wordpieces_of
from bert_attention.tokenization.wordpieces import load_tokenizer


def main(snakemake):
    params = snakemake.params
    tokenizer = load_tokenizer(folders_of(snakemake.input.tokenizer)[0])
    summaries = []
    for folder, output in zip(snakemake.input.tasks, snakemake.output.inputs, strict=True):
        name = Path(folder).name
        task = subsample(read_task(folder, name)[0], params.analyzed, params.seed)
        inputs = task_inputs(task.validation, tokenizer, params.max_wordpieces, name)
        write_records(inputs, output)
        shares = {UNKNOWN_TOKENS: check_is_known(wordpieces_of(inputs), tokenizer, folder)}
        summaries.append(task_inputs_summary(task, inputs, shares, snakemake.wildcards.model))
    report_corpora(summaries, snakemake.output.summary)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
