"""Run a model fine-tuned on a task without each head and each layer, and score it on the task's validation examples."""

from functools import partial

import torch

from bert_attention.attention.disabled_heads import logits_of_ablations
from bert_attention.corpora.glue import read_task, subsample
from bert_attention.corpora.types import clusters_of_examples
from bert_attention.files import folders_of
from bert_attention.models.classification import load_classifier, predictions
from bert_attention.models.encoders import Encoder, check_fits
from bert_attention.papers.kovaleva.disabled_heads import ablations, tables
from bert_attention.running.jobs import logger, progress
from bert_attention.running.scripts import run_script
from bert_attention.statistics.jackknife import tabulated
from bert_attention.statistics.metrics import sums_of
from bert_attention.statistics.tables import write_tables
from bert_attention.tokenization.task_inputs import task_inputs
from bert_attention.tokenization.wordpieces import encode_segments, load_tokenizer


def main(snakemake):
    params, paths = snakemake.params, snakemake.input
    torch.set_num_threads(snakemake.threads)
    tokenizer = load_tokenizer(folders_of(paths.tokenizer)[0])
    model = load_classifier(folders_of(paths.weights)[0], params.device)
    task = subsample(read_task(paths.task, snakemake.wildcards.task)[0], params.disabled, params.seed)
    inputs = task_inputs(task.validation, tokenizer, params.max_wordpieces, task.name)
    sequences = encode_segments(inputs, tokenizer, params.segment_ids, paths.task)
    encoder = Encoder(model, model.device)
    check_fits(encoder, sequences, params.segment_ids)
    disabled = ablations(encoder.layers, encoder.heads, params.seed)
    logger.info("%d ablations, %d examples on %s", len(disabled), len(inputs), model.device)
    show = partial(progress, what="disabled heads, batches")
    predicted = predictions(logits_of_ablations(model, sequences, disabled, tokenizer.pad_token_id, show))
    labels = [example.label for example in task.validation]
    sums = sums_of(predicted, labels, task.metrics, clusters_of_examples(task.validation))
    write_tables(tabulated(partial(tables, disabled=disabled, task=task.name), sums), snakemake.output)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
