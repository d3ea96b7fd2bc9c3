"""Fine-tuning encoders on sentence classification or regression, and reordering the classes of fine-tuned models.

The recipe is BERT's, from ``run_classifier.py`` in the released code of Kovaleva et al. 2019: Adam with weight decay on
matrices, a learning rate that rises for a tenth of the steps and then falls to 0, clipped gradients, and the dropout of
the model's configuration. Unlike the released Adam, PyTorch's AdamW has a bias correction.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import torch
from torch import nn
from transformers import (
    MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING,
    AutoModel,
    AutoModelForSequenceClassification,
    PreTrainedModel,
)

from bert_attention.errors import InputError
from bert_attention.models.classification import pass_on_first_token_only
from bert_attention.models.devices import choose_device
from bert_attention.models.inputs import model_inputs, padded_batch
from bert_attention.models.loading import load_config, load_weights
from bert_attention.tokenization.sequences import EncodedSequence

_WEIGHT_DECAY = 0.01
_MAX_GRADIENT_NORM = 1.0
_BATCHES_SORTED_TOGETHER = 16  # large pools save padding, and small pools make batches that differ between epochs


def new_classifier(
    folder: Path | str, classes: Sequence[str], initialisation: str, seed: int, device: str = "auto"
) -> PreTrainedModel:
    """Return the encoder in a folder with a new classification head, or a regression head if there are no classes.

    With the initialization ``pretrained``, the encoder keeps its weights, and only the head is drawn at random, even if
    the folder holds a trained head. With ``random``, all weights are drawn as before BERT's training, N(0, 0.02), and
    the folder's weights are not read. Raise InputError if the folder holds no usable weights (see ``load_weights``).
    """
    remedy = "get a complete checkpoint"
    config = load_config(folder, remedy)
    config.id2label = dict(enumerate(classes)) if classes else {0: "score"}
    config.label2id = {name: index for index, name in config.id2label.items()}
    if initialisation == "random":
        torch.manual_seed(seed)
        model = AutoModelForSequenceClassification.from_config(config, dtype=torch.float32)
    else:
        encoder, missing = load_weights(AutoModel, folder, remedy)
        weights = {name: weight for name, weight in encoder.state_dict().items() if name not in missing}
        kind = MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING[type(config)]
        torch.manual_seed(seed)  # draws the weights that are not given: the head, and a missing pooler
        model = kind.from_pretrained(None, config=config, state_dict=weights, dtype=torch.float32)
        model.config.name_or_path = str(folder)
    return pass_on_first_token_only(model.to(choose_device(device)))


def fine_tune(
    model: PreTrainedModel,
    sequences: Sequence[EncodedSequence],
    labels: Sequence[float],
    pad_id: int,
    *,
    epochs: int,
    examples_seen: int | None,
    batch_size: int,
    learning_rate: float,
    seed: int,
    progress: Callable[[Iterable], Iterable] = iter,
) -> list[float]:
    """Train all weights of a classification model in place, and return the mean loss of each epoch.

    ``labels``, ``[sequence]``, are class indices, or scores for a model with one output (squared error). ``epochs`` is
    increased if the model would see fewer examples than ``examples_seen``. ``seed`` is for the order of the sequences
    and for dropout. Afterwards, the model is in inference mode. The output for scores starts at their mean. In the
    released code, it starts near 0, and a short training spends most of its steps on the mean.
    """
    torch.manual_seed(seed)
    _start_at_mean(model, labels)
    epochs = max(epochs, math.ceil((examples_seen or 0) / len(sequences)))
    batches = [
        (epoch, indices) for epoch in range(epochs) for indices in _batches(sequences, batch_size, [seed, epoch])
    ]
    targets = torch.tensor(labels, dtype=torch.float32)
    losses: list[list[torch.Tensor]] = [[] for _ in range(epochs)]
    model.train()
    with _only_used_rows(model.get_input_embeddings(), sequences, pad_id):
        optimizer = torch.optim.AdamW(_parameter_groups(model), lr=learning_rate, fused=True)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, _warmup_and_decay(len(batches)))
        for epoch, indices in progress(batches):
            batch = padded_batch([sequences[index] for index in indices], pad_id)
            loss = _loss(model(**model_inputs(model, *batch)).logits, targets[indices].to(model.device))
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), _MAX_GRADIENT_NORM)
            optimizer.step()
            schedule.step()
            losses[epoch].append(loss.detach())  # converting to a number would make a GPU wait at each step
    model.eval()
    return [float(torch.stack(epoch_losses).double().mean()) for epoch_losses in losses]


def _start_at_mean(model: PreTrainedModel, labels: Sequence[float]) -> None:
    """Set the bias of a single output to the mean score. Models of classes stay unchanged."""
    bias = _output_layer(model).bias
    if model.config.num_labels == 1 and bias is not None:
        nn.init.constant_(bias, float(np.mean(labels)))


@contextmanager
def _only_used_rows(embedding: nn.Embedding, sequences: Sequence[EncodedSequence], pad_id: int) -> Iterator[None]:
    """Reduce an embedding to the rows of the sequences' tokens, inside the block.

    No example uses the other rows, but each step would spend time on them. They are half of a small encoder's weights.
    """
    whole, padding = embedding.weight, embedding.padding_idx
    used = torch.from_numpy(np.unique(np.concatenate([[pad_id], *(sequence.token_ids for sequence in sequences)])))
    row = torch.zeros(len(whole), dtype=torch.long, device=whole.device)
    row[used] = torch.arange(len(used), device=whole.device)
    embedding.weight = nn.Parameter(whole.detach()[used])
    embedding.padding_idx = None if padding is None else int(row[padding])
    hook = embedding.register_forward_pre_hook(lambda _module, inputs: (row[inputs[0]],))
    try:
        yield
    finally:
        hook.remove()
        with torch.no_grad():
            whole[used] = embedding.weight
        embedding.weight, embedding.padding_idx = whole, padding


def _batches(sequences: Sequence[EncodedSequence], batch_size: int, seed: Sequence[int]) -> Iterator[list[int]]:
    """Yield the indices of all sequences, in batches of similar length and random order."""
    random = np.random.default_rng(seed)
    order = random.permutation(len(sequences))
    batches = []
    for start in range(0, len(order), batch_size * _BATCHES_SORTED_TOGETHER):
        pool = sorted(order[start : start + batch_size * _BATCHES_SORTED_TOGETHER], key=lambda i: len(sequences[i]))
        batches += [pool[first : first + batch_size] for first in range(0, len(pool), batch_size)]
    for batch in random.permutation(len(batches)):
        yield [int(index) for index in batches[batch]]


def _parameter_groups(model: PreTrainedModel) -> list[dict]:
    """Return two groups: matrices with weight decay, and biases and layer norms without."""
    matrices = [parameter for parameter in model.parameters() if parameter.ndim > 1]
    vectors = [parameter for parameter in model.parameters() if parameter.ndim <= 1]
    return [{"params": matrices, "weight_decay": _WEIGHT_DECAY}, {"params": vectors, "weight_decay": 0.0}]


def _warmup_and_decay(steps: int) -> Callable[[int], float]:
    """Return the function from the step to the factor of the learning rate."""
    rising = math.ceil(steps / 10)
    return lambda step: (step + 1) / rising if step < rising else (steps - step) / max(1, steps - rising)


def _loss(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    if logits.shape[-1] == 1:
        return nn.functional.mse_loss(logits[:, 0], targets)
    return nn.functional.cross_entropy(logits, targets.long())


def reorder_classes(model: PreTrainedModel, classes: Sequence[str]) -> None:
    """Put the outputs of a fine-tuned model in the order of the task's classes, in place.

    Fine-tuned models number their classes in any order. This function reorders the outputs if the class names of model
    and task have the same letters and digits, in upper or lower case. Outputs with other names (``LABEL_0``) are
    assumed to be in the task's order. Raise InputError if the model's number of outputs is not the task's number of
    classes (1 for regression), or if only some of the model's names are the task's.
    """
    expected = max(1, len(classes))
    where = f"model {model.config.name_or_path}"
    if model.config.num_labels != expected:
        problem = f"has {model.config.num_labels} outputs, but the task needs {expected}"
        raise InputError(where, problem, "give a model fine-tuned on this task")
    form = _letters_and_digits if len({*map(_letters_and_digits, classes)}) == len(classes) else str.lower  # 1 and -1
    names = [form(model.config.id2label[index]) for index in range(expected)]
    wanted = [*map(form, classes)]
    if not set(names) & set(wanted):
        return
    if sorted(names) != sorted(wanted):
        own = ", ".join(model.config.id2label[index] for index in range(expected))
        problem = f"has the classes {own}, but the task has {', '.join(classes)}"
        raise InputError(where, problem, "name the same classes as the task in id2label of the model's config.json")
    order = torch.tensor([names.index(name) for name in wanted])
    with torch.no_grad():
        for parameter in _output_layer(model).parameters():
            parameter.copy_(parameter[order])
    model.config.id2label = dict(enumerate(classes))
    model.config.label2id = {name: index for index, name in enumerate(classes)}


def in_half_precision(model: PreTrainedModel) -> PreTrainedModel:
    """Round a fine-tuned model's weights to float16, in place, and return the model.

    A run keeps several models for each task, and rounding halves the disk space that they take. All analyses read the
    rounded weights. Rounding changes a weight by at most 1/2048 of its size, as it does with attention in the store.
    Raise InputError if a weight is then not finite.
    """
    model.half()
    for name, weight in model.named_parameters():
        if not weight.isfinite().all():
            problem = f"fine-tuning made numbers in {name} infinite, or too large for float16"
            raise InputError(f"model {model.config.name_or_path}", problem, "set a smaller fine_tuning.learning_rate")
    return model


def _output_layer(model: PreTrainedModel) -> nn.Linear:
    """Return the last linear map of a classification head."""
    inside = {id(module) for module in model.base_model.modules()}
    head = [module for module in model.modules() if isinstance(module, nn.Linear) and id(module) not in inside]
    return head[-1]


def _letters_and_digits(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())
