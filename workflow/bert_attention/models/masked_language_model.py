"""Masked language models: loading them, and fitting a head to an encoder that has none that works."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from safetensors.torch import load_file, save
from torch import nn
from transformers import AutoConfig, AutoModelForMaskedLM, PreTrainedModel

from bert_attention.errors import InputError
from bert_attention.files import replacing
from bert_attention.models.batches import batches_by_length
from bert_attention.models.devices import choose_device
from bert_attention.models.encoders import Encoder, load_encoder
from bert_attention.models.families import family_of_folder
from bert_attention.models.inputs import model_inputs, padded_batch
from bert_attention.models.loading import load_weights
from bert_attention.statistics.sums import Sums
from bert_attention.tokenization.masking import mask_tokens
from bert_attention.tokenization.sequences import NO_LABEL, NO_WORD, EncodedSequence
from bert_attention.tokenization.tokenizer import Tokenizer


def load_masked_language_model(
    folder: Path | str, device: str = "auto", head: Path | str | None = None
) -> PreTrainedModel:
    """Load the masked language model in a folder, in inference mode, with eager attention.

    ``head`` is a file of :func:`save_head`, with the head of the encoder in the folder. Raise InputError if the folder
    holds no usable weights of a known family (see ``load_weights``), or none of the head.
    """
    if parameters := load_file(head) if head else {}:
        model = _model_with_new_head(load_encoder(folder, device))
        model.load_state_dict(parameters, strict=False)
        return model.eval()
    model, missing = _load(folder)
    if missing:
        problem = f"has no masked-language-model head: its weights lack {missing[0]} and {len(missing) - 1} others"
        raise InputError(f"model {folder}", problem, "set mlm_head: auto for this model")
    return model.eval().to(choose_device(device))


def find_masked_language_model(folder: Path | str, device: str = "auto") -> PreTrainedModel | None:
    """Load the masked language model in a folder as :func:`load_masked_language_model`, or return None without a head.

    Raise InputError if the folder holds no usable weights of a known family.
    """
    model, missing = _load(folder)
    return None if missing else model.eval().to(choose_device(device))


def save_head(model: PreTrainedModel, path: Path | str, *, is_own: bool) -> None:
    """Write the head of a masked language model: its parameters that are not the encoder's.

    Of the own head of an encoder, no parameters are written, because the encoder's folder has them.
    """
    encoder = {id(parameter) for parameter in model.base_model.parameters()}
    head = {name: each.detach() for name, each in model.named_parameters() if id(each) not in encoder}
    with replacing(path) as partial:
        partial.write_bytes(save({} if is_own else head))  # save_file() makes a file that others cannot read


def _load(folder: Path | str) -> tuple[PreTrainedModel, list[str]]:
    family_of_folder(folder)
    remedy = "choose an encoder for which transformers has a masked language model"
    return load_weights(AutoModelForMaskedLM, folder, remedy)


def fit_mlm_head(
    encoder: Encoder,
    sequences: Sequence[EncodedSequence],
    articles: Sequence[str],
    tokenizer: Tokenizer,
    *,
    epochs: int,
    batch_size: int,
    seed: int,
    own: PreTrainedModel | None = None,
    progress: Callable[[Iterable], Iterable] = iter,
) -> tuple[PreTrainedModel, Sums]:
    """Fit a masked-language-model head of a frozen encoder to the sequences, unless the model ``own`` has one.

    The head of ``own``, a masked language model with the same encoder, is taken if it works: if its loss over the
    held-out sequences is below the loss of predicting by frequency.

    The head has the architecture of the encoder's family. Its output matrix is tied to the input embeddings. Each
    sequence is masked and encoded once. Adam, with a linearly falling rate, fits the head to the hidden states at
    masked tokens. The last tenth of the sequences is held out. ``articles`` gives the article of each sequence. Return
    the model, and the sums of its scores over the held-out sequences, from which :func:`table` makes a table.
    """
    states, labels = _masked_states(encoder, sequences, tokenizer, seed, progress)
    held_out = max(1, len(states) // 10)
    train = (torch.cat(states[:-held_out]), torch.cat(labels[:-held_out]))
    by_article = sorted(range(len(states) - held_out, len(states)), key=lambda index: articles[index])
    unseen = ([states[index] for index in by_article], [labels[index] for index in by_article])
    clusters = [articles[index] for index in by_article]
    if own is not None:
        sums = Sums.of(_scores(_head_of(own), *unseen, train[1], own.config.vocab_size), clusters)
        if sums["loss"].sum() < sums["unigram_loss"].sum():
            return own, sums
    torch.manual_seed(seed)  # parts of the head are drawn at random
    model = _model_with_new_head(encoder)
    head = _head_of(model)
    _fit(head, *train, epochs=epochs, batch_size=batch_size, seed=seed, progress=progress)
    return model.eval(), Sums.of(_scores(head, *unseen, train[1], model.config.vocab_size), clusters)


def _model_with_new_head(encoder: Encoder) -> PreTrainedModel:
    """Return a masked language model with the encoder's weights; only the head's parameters are trainable."""
    settings = encoder.model.config.to_dict()
    if "legacy" in settings:
        settings["legacy"] = True  # DeBERTa's legacy head is like BERT's; the new head takes embeddings, too
    config = AutoConfig.for_model(**settings)
    model = AutoModelForMaskedLM.from_config(config, attn_implementation="eager").to(encoder.device)
    model.base_model.load_state_dict(encoder.model.state_dict(), strict=False)
    model.tie_weights()
    for parameter in model.base_model.parameters():
        parameter.requires_grad = False
    for module in model.modules():
        if isinstance(module, nn.Linear) and module.weight.requires_grad and module.in_features == module.out_features:
            nn.init.eye_(module.weight)  # start with the identity on hidden states
    return model


def _head_of(model: PreTrainedModel) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return the module that maps hidden states ``[..., d]`` to logits ``[..., vocabulary]``."""
    for name in ("cls", "lm_head", "predictions"):  # BERT; RoBERTa; ALBERT
        if hasattr(model, name):
            return getattr(model, name)
    if hasattr(model, "vocab_transform"):  # DistilBERT
        return nn.Sequential(model.vocab_transform, model.activation, model.vocab_layer_norm, model.vocab_projector)
    if hasattr(model, "generator_predictions"):  # ELECTRA
        return nn.Sequential(model.generator_predictions, model.generator_lm_head)
    if hasattr(model, "head") and hasattr(model, "decoder"):  # ModernBERT
        return nn.Sequential(model.head, model.decoder)
    raise InputError(
        f"model {model.config.model_type}", "has a masked-language-model head of an unknown form", "use another encoder"
    )


@torch.inference_mode()
def _masked_states(
    encoder: Encoder,
    sequences: Sequence[EncodedSequence],
    tokenizer: Tokenizer,
    seed: int,
    progress: Callable[[Iterable], Iterable],
) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Return each sequence's last hidden states ``[masked, d]`` at masked tokens, and their labels ``[masked]``."""
    masked, labels = [], []
    for index, sequence in enumerate(sequences):
        random = np.random.default_rng([seed, index])
        maskable = sequence.word_ids != NO_WORD
        ids, label = mask_tokens(sequence.token_ids, maskable, tokenizer.mask_token_id, len(tokenizer), random)
        masked.append(EncodedSequence(ids, sequence.segment_ids, sequence.word_ids))
        labels.append(torch.from_numpy(label).long())
    states: list[torch.Tensor] = [torch.empty(0)] * len(masked)
    for indices in progress(batches_by_length([len(sequence) for sequence in masked], 16)):
        batch = padded_batch([masked[index] for index in indices], tokenizer.pad_token_id)
        hidden = encoder.model(**model_inputs(encoder.model, *batch))[0]
        for row, index in enumerate(indices):
            chosen = labels[index] != NO_LABEL
            states[index] = hidden[row, : len(chosen)][chosen.to(encoder.device)].clone()
    return states, [label[label != NO_LABEL].to(encoder.device) for label in labels]


def _fit(
    head: nn.Module,
    states: torch.Tensor,
    labels: torch.Tensor,
    *,
    epochs: int,
    batch_size: int,
    seed: int,
    progress: Callable[[Iterable], Iterable],
) -> None:
    trainable = [parameter for parameter in head.parameters() if parameter.requires_grad]
    optimizer = torch.optim.Adam(trainable, lr=1e-3)
    steps = epochs * -(-len(states) // batch_size)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.02, steps)
    random = np.random.default_rng(seed)
    orders = [random.permutation(len(states)) for _ in range(epochs)]
    for indices in progress([indices for order in orders for indices in np.array_split(order, steps // epochs)]):
        chosen = torch.from_numpy(indices).to(states.device)
        loss = nn.functional.cross_entropy(head(states[chosen]), labels[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()


@torch.inference_mode()
def _scores(
    head: nn.Module, states: Sequence[torch.Tensor], labels: Sequence[torch.Tensor], seen: torch.Tensor, tokens: int
) -> list[dict[str, float]]:
    """Return for each held-out sequence the number of masked tokens, the losses, and the number of correct predictions.

    ``unigram_loss`` is the loss of predicting by the frequencies of the tokens ``seen`` in training, with add-one
    smoothing.
    """
    counts = torch.bincount(seen, minlength=tokens).double() + 1
    unigram = -(counts / counts.sum()).log()
    added = []
    for hidden, gold in zip(states, labels, strict=True):
        logits = head(hidden)
        loss = float(nn.functional.cross_entropy(logits, gold, reduction="sum"))
        right = int((logits.argmax(-1) == gold).sum())
        added.append({"loss": loss, "unigram_loss": float(unigram[gold].sum()), "right": right, "n": len(gold)})
    return added


def table(sums: Sums, head: str) -> pd.DataFrame:
    """Return table ``mlm_head``: loss (nats) and accuracy of the head, and the loss of predicting by frequency.

    ``head`` is ``own`` or ``fitted``.
    """
    n = sums["n"]
    scores = {"loss": sums["loss"] / n, "unigram_loss": sums["unigram_loss"] / n, "accuracy": sums["right"] / n}
    return pd.DataFrame([{"head": head, **scores, "n": n}])
