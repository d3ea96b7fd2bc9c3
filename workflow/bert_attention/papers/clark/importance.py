"""Gradients of the masked-language-model loss with respect to attention (Clark et al. 2019, section 3.2, figure 3)."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
import torch
from scipy import stats
from torch import nn
from transformers import PreTrainedModel

from bert_attention.heads import head_table
from bert_attention.models.batches import run_in_blocks
from bert_attention.models.inputs import padded_batch
from bert_attention.statistics.sums import Sums, ratio
from bert_attention.tokenization.masking import mask_tokens
from bert_attention.tokenization.sequences import NO_LABEL, NO_WORD, EncodedSequence
from bert_attention.tokenization.tokenizer import Tokenizer
from bert_attention.tokenization.wordpieces import token_categories

MEASURES = ("gradient", "attention_times_gradient")


def sums_of_sequences(
    model: PreTrainedModel, sequences: Sequence[EncodedSequence], tokenizer: Tokenizer, *, batch_size: int, seed: int
) -> Iterator[dict[str, np.ndarray | int]]:
    """Yield each sequence's sums: for each type of token in the sequence, two means ``[2, measure, layer, head]``.

    ``attention/<type>`` is the attention to the type, averaged over queries, ``[layer, head]``.

    Each sequence is masked once, as in BERT's training. Its loss L is the mean cross-entropy (nats) over its masked
    tokens. The measures are ``|dL/d alpha_ij|`` (``gradient``, the paper's) and ``|alpha_ij dL/d alpha_ij|``
    (``attention_times_gradient``). The first mean is over all queries i and the keys j of the type. The second is a sum
    over these keys, averaged over all queries, like attention in figure 2. A token's type is its type after masking: a
    masked period is not punctuation. The paper states neither its masking rate nor how it averages, and its code was
    not released. Raise ValueError if a sequence has no word that can be masked.

    The model is a masked language model in evaluation mode, with eager attention. The masking depends on the seed and
    on each sequence's index.
    """
    masked, labels = masked_sequences(sequences, tokenizer, seed)
    categories = token_categories(tokenizer)

    def batch_sums(indices: list[int]) -> Iterator[dict[str, np.ndarray | int]]:
        batch = [masked[index] for index in indices]
        inputs = padded_batch(batch, tokenizer.pad_token_id)
        label_batch = nn.utils.rnn.pad_sequence([labels[i] for i in indices], batch_first=True, padding_value=NO_LABEL)
        types = [categories.masks(sequence.token_ids) for sequence in batch]
        totals = _totals_by_type(*attention_gradients(model, *inputs, label_batch), types)
        for masks, by_type in zip(types, totals, strict=True):
            sequence_sums = {}
            for (target, mask), total in zip(masks.items(), by_type, strict=True):
                if mask.any():
                    *measures, attention = total / np.float64(len(mask))
                    means = np.stack([np.stack(measures) / mask.sum(), measures])
                    sequence_sums |= {target: means, f"attention/{target}": attention, f"n/{target}": 1}
            yield sequence_sums

    return run_in_blocks([len(sequence) for sequence in masked], batch_size, batch_sums)


def table(sums: Sums) -> dict[str, pd.DataFrame]:
    """Return tables ``clark_importance`` and ``clark_importance_by_attention``, on how the loss depends on attention.

    ``clark_importance`` has a row per head, measure and target (cls, sep, punctuation, other). ``value`` is a mean over
    queries and keys, ``per_query`` a mean over queries of the sum over keys. Both are averaged over the ``n`` sequences
    in which the target occurs. ``attention`` is the attention to the target, averaged over the same queries.

    ``clark_importance_by_attention`` has Spearman's correlation, over all ``n`` heads, of the attention to the target
    with ``value``, for each measure and target.
    """
    heads, correlations, counts = [], [], sums.within("n/")
    for target in counts:
        value, per_query = ratio(sums[target], counts[target])
        attention = ratio(sums[f"attention/{target}"], counts[target])
        columns = {"value": value, "per_query": per_query, "attention": attention, "n": counts[target]}
        heads.append(head_table({"measure": MEASURES}, target=target, **columns))
        for measure, of_heads in zip(MEASURES, value, strict=True):
            spearman = stats.spearmanr(attention.ravel(), of_heads.ravel()).statistic
            correlations.append({"measure": measure, "target": target, "spearman": spearman, "n": attention.size})
    return {
        "clark_importance": pd.concat(heads, ignore_index=True),
        "clark_importance_by_attention": pd.DataFrame(correlations),
    }


def masked_sequences(
    sequences: Sequence[EncodedSequence], tokenizer: Tokenizer, seed: int
) -> tuple[list[EncodedSequence], list[torch.Tensor]]:
    """Return the sequences with 15% of their words' tokens masked, and labels ``[n]`` int64; see ``mask_tokens``.

    Raise ValueError if a sequence consists of special tokens only.
    """
    masked, labels = [], []
    for index, sequence in enumerate(sequences):
        maskable = sequence.word_ids != NO_WORD
        if not maskable.any():
            raise ValueError(f"sequence {index} has no word that could be masked")
        random = np.random.default_rng([seed, index])
        ids, label = mask_tokens(sequence.token_ids, maskable, tokenizer.mask_token_id, len(tokenizer), random)
        masked.append(EncodedSequence(ids, sequence.segment_ids, sequence.word_ids))
        labels.append(torch.from_numpy(label).long())
    return masked, labels


def attention_gradients(
    model: PreTrainedModel,
    token_ids: torch.Tensor,
    segment_ids: torch.Tensor,
    mask: torch.Tensor,
    labels: torch.Tensor,
) -> tuple[tuple[torch.Tensor, ...], tuple[torch.Tensor, ...]]:
    """Return the attention, and the gradient of each sequence's own loss with respect to it.

    The loss of a sequence is the mean cross-entropy over its labels. The losses are summed before they are
    differentiated, since a sequence's attention affects no other sequence's loss. Gradients are with respect to the
    tensors that the forward pass multiplies with the values. PyTorch raises a RuntimeError if a model returns copies.
    All inputs are ``[sequence, token]``: ``mask`` is 1 for real tokens, and labels of tokens without prediction are
    ``NO_LABEL``. Both results are ``[sequence, head, query, key]`` per layer. Attention to padding is 0, but its
    gradients can differ from 0.
    """
    inputs = {"input_ids": token_ids, "attention_mask": mask}
    if "token_type_ids" in inspect.signature(model.forward).parameters:
        inputs["token_type_ids"] = segment_ids
    labels = labels.to(model.device)
    chosen = labels != NO_LABEL
    with (  # the hooks make frozen models differentiable, and compute logits only for the masked tokens
        model.get_input_embeddings().register_forward_hook(lambda _module, _inputs, output: output.requires_grad_()),
        model.get_output_embeddings().register_forward_pre_hook(lambda _module, inputs: (inputs[0][chosen],)),
    ):
        outputs = model(**{name: tensor.to(model.device) for name, tensor in inputs.items()}, output_attentions=True)
    losses = nn.functional.cross_entropy(outputs.logits, labels[chosen], reduction="none")
    counts = chosen.sum(1)
    loss = (losses / counts.repeat_interleave(counts)).sum()
    return outputs.attentions, torch.autograd.grad(loss, outputs.attentions)


def _totals_by_type(
    attention: Sequence[torch.Tensor], gradients: Sequence[torch.Tensor], types: Sequence[dict[str, np.ndarray]]
) -> np.ndarray:
    """Sum both measures, and then the attention, over all queries and the keys of each type.

    The result is ``[sequence, type, measure, layer, head]``. Padding adds nothing: padded keys have no type, the
    gradients of padded queries are 0, and their attention does not count.
    """
    longest = attention[0].shape[-1]
    keys = np.stack([[np.pad(mask, (0, longest - len(mask))) for mask in masks.values()] for masks in types])
    keys = torch.from_numpy(keys).to(attention[0])
    queries = keys.sum(1)[:, None, :, None]  # each token has one type, and padding has none
    totals = []
    for weights, gradient in zip(attention, gradients, strict=True):
        alpha, magnitude = weights.detach(), gradient.abs()
        by_key = torch.stack([part.sum(2) for part in (magnitude, alpha * magnitude, alpha * queries)], dim=1)
        totals.append(torch.einsum("smhk,stk->stmh", by_key, keys))
    return torch.stack(totals, dim=3).cpu().numpy()
