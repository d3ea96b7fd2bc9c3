"""Score an encoder on a task: frozen, with an untrained head, and fine-tuned. Also score simple baselines."""

import torch

from bert_attention.corpora.glue import read_task
from bert_attention.corpora.types import clusters_of_examples
from bert_attention.files import folders_of
from bert_attention.models.task_answers import answers_after_fine_tuning, answers_before_fine_tuning
from bert_attention.papers.kovaleva.baselines import baselines
from bert_attention.papers.kovaleva.finetuning import finetuning
from bert_attention.running.jobs import progress
from bert_attention.running.scripts import run_script
from bert_attention.statistics.tables import write_table
from bert_attention.tokenization.task_inputs import task_inputs
from bert_attention.tokenization.wordpieces import encode_segments, load_tokenizer


def main(snakemake):
    params, paths = snakemake.params, snakemake.input
    torch.set_num_threads(snakemake.threads)
    task, _ = read_task(paths.task, snakemake.wildcards.task)
    tokenizer = load_tokenizer(folders_of(paths.tokenizer)[0])
    train, validation = (
        encode_segments(
            task_inputs(examples, tokenizer, params.max_wordpieces, task.name),
            tokenizer,
            params.segment_ids,
            paths.task,
        )
        for examples in (task.train, task.validation)
    )
    how = {"pad_id": tokenizer.pad_token_id, "batch_size": params.batch_size, "device": params.device}
    before = {"seeds": params.seeds, "segment_ids": params.segment_ids}
    answers = [*answers_before_fine_tuning(folders_of(paths.weights)[0], task, train, validation, **before, **how)]
    for folder in progress(folders_of(paths.fine_tuned), f"models fine-tuned on {task.name}"):
        answers.append(answers_after_fine_tuning(folder, validation, **how))
    labels = [example.label for example in task.validation]
    clusters = clusters_of_examples(task.validation)
    table = finetuning(task.name, task.metrics, labels, answers, baselines(task), clusters)
    write_table(table, snakemake.output[0])


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
