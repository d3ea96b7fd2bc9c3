"""Fine-tune an encoder on a task, or copy a fine-tuned checkpoint."""

from functools import partial
from pathlib import Path

import torch

from bert_attention.corpora.glue import read_task
from bert_attention.downloads.sources import obtain
from bert_attention.files import folders_of
from bert_attention.models.classification import load_classifier
from bert_attention.models.encoders import Encoder, check_fits, save_model
from bert_attention.models.fine_tuning import fine_tune, in_half_precision, new_classifier, reorder_classes
from bert_attention.running.jobs import logger, progress
from bert_attention.running.scripts import run_script
from bert_attention.tokenization.task_inputs import task_inputs
from bert_attention.tokenization.wordpieces import encode_segments, load_tokenizer


def main(snakemake):
    params, paths, wildcards = snakemake.params, snakemake.input, snakemake.wildcards
    torch.set_num_threads(snakemake.threads)
    task, _ = read_task(paths.task, wildcards.task)
    if params.origin:
        model = load_classifier(obtain(**params.origin), "cpu")
        reorder_classes(model, task.classes)
    else:
        initialisation, seed = wildcards.initialisation, int(wildcards.seed)
        tokenizer = load_tokenizer(folders_of(paths.tokenizer)[0])
        inputs = task_inputs(task.train, tokenizer, params.max_wordpieces, task.name)
        sequences = encode_segments(inputs, tokenizer, params.segment_ids, paths.task)
        labels = [example.label for example in task.train]
        model = new_classifier(folders_of(paths.weights)[0], task.classes, initialisation, seed, params.device)
        check_fits(Encoder(model, model.device), sequences, params.segment_ids)
        show = partial(progress, what=f"fine-tuning on {task.name}, {initialisation} {seed}, batches")
        pad_id = tokenizer.pad_token_id
        losses = fine_tune(model, sequences, labels, pad_id, **params.recipe, seed=seed, progress=show)
        logger.info("mean loss of each epoch: %s", ", ".join(f"{loss:.3f}" for loss in losses))
        in_half_precision(model)
    save_model(model, Path(snakemake.output.weights).parent)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
