"""Score an encoder on a task: frozen, with an untrained head, and fine-tuned."""

from functools import partial
from pathlib import Path

import torch

from bert_attention.corpora.glue import read_task
from bert_attention.kovaleva.finetuning import finetuning, linear_predictions
from bert_attention.models.classification import load_classifier, predict
from bert_attention.models.fine_tuning import first_token_states, new_classifier
from bert_attention.models.task_inputs import task_inputs
from bert_attention.models.wordpieces import encode_segments, load_tokenizer
from bert_attention.running.jobs import configure_logging, progress
from bert_attention.tables import write_table


def main(snakemake):
    configure_logging(snakemake.log[0])
    params, paths = snakemake.params, snakemake.input
    torch.set_num_threads(snakemake.threads)
    task, _ = read_task(paths.task, snakemake.wildcards.task)
    tokenizer = load_tokenizer(Path(paths.tokenizer).parent)
    sequences = {}
    for split, examples in (("train", task.train), ("validation", task.validation)):
        inputs = task_inputs(examples, tokenizer, params.max_wordpieces, task.name)
        sequences[split] = encode_segments(inputs, tokenizer, params.segment_ids, paths.task)
    labels = [example.label for example in task.validation]
    pad_id, batch_size = tokenizer.pad_token_id, params.batch_size
    answers = partial(predict, sequences=sequences["validation"], pad_id=pad_id, batch_size=batch_size)

    found = []
    for seed in params.seeds:
        model = new_classifier(Path(paths.weights).parent, task.classes, "pretrained", seed, params.device).eval()
        found.append(("pretrained_untrained_head", seed, answers(model)))
    states = [first_token_states(model, of_split, pad_id, batch_size) for of_split in sequences.values()]
    trained_on = [example.label for example in task.train]
    frozen = linear_predictions(states[0], trained_on, states[1], classify=bool(task.classes))
    found.append(("pretrained_frozen", None, frozen))
    for weights in progress(paths.fine_tuned, f"models fine-tuned on {task.name}"):
        initialisation, _, seed = Path(weights).parent.name.rpartition("_")
        found.append((initialisation, int(seed), answers(load_classifier(Path(weights).parent, params.device))))
    write_table(finetuning(task.name, task.metrics, labels, found, params.seed), snakemake.output[0])


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
