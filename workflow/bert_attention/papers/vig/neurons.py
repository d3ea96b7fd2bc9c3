"""Contributions of single neurons of queries and keys to attention (Vig 2019, "Deconstructing BERT", part 2).

Vig explains three heads by looking at their neurons. We chose the measures that test his explanations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import pandas as pd
import torch

from bert_attention.attention.hooks import HookedEncoder
from bert_attention.attention.neurons import LayerNeurons, positions_removed, run_with_neurons
from bert_attention.heads import cell_table, head_table
from bert_attention.models.batches import batches_by_length
from bert_attention.models.inputs import padded_batch
from bert_attention.papers.vig.columns import BEHAVIOUR_LABELS, LEAST_FALL
from bert_attention.papers.vig.parts import parts
from bert_attention.statistics.sums import Sums, ratio, sum_up
from bert_attention.tokenization.sequences import NO_WORD, EncodedSequence

SCORE_SHARE = 0.9  # share of a score that the neurons of ``neuron_concentration`` contribute
TOP_SHARE = 0.1  # share of a head's neurons that count as its top neurons
# Sums that are not divided by the number of tokens.
_OTHER_SUMS = ("neuron_concentration", "neurons_decide", "neuron_overlap", "with_pairs", "tokens")


def neurons(
    encoder: HookedEncoder,
    sequences: Sequence[EncodedSequence],
    blocks: Sequence[range],
    pad_id: int,
    batch_size: int,
    progress: Callable[[Iterable], Iterable] = iter,
) -> Sums:
    """Run the encoder on sequences, intact and ablated, and return the sums for :func:`table`.

    One ablated run sets all segment ids to 0. The other removes positions: it sets all position embeddings to 0, and
    also the position biases that MPNet adds to scores. Segment ids are as in training, and the first part has 0.
    ``blocks`` are the indices of the sequences of each block, as in :func:`bert_attention.statistics.sums.sum_up`.
    """
    units: list[dict] = [{}] * len(sequences)
    for indices in progress(batches_by_length([len(sequence) for sequence in sequences], batch_size)):
        token_ids, segment_ids, mask = padded_batch([sequences[index] for index in indices], pad_id)
        layers = run_with_neurons(encoder, token_ids, segment_ids, mask)
        without_segments = run_with_neurons(encoder, token_ids, segment_ids * 0, mask)
        with positions_removed(encoder.model):
            without_positions = run_with_neurons(encoder, token_ids, segment_ids, mask)
        runs = (layers, without_segments, without_positions)
        for row, index in enumerate(indices):
            n = len(sequences[index])
            vectors = (_stack(getattr(layer, name)[row, :, :n] for layer in layers) for name in ("queries", "keys"))
            attention = (_stack(layer.attention[row, :, :n, :n] for layer in run) for run in runs)
            units[index] = sums(sequences[index].word_ids != NO_WORD, *vectors, *attention)
    return Sums(sum_up(units, blocks))


def sums(
    is_text: np.ndarray,
    queries: np.ndarray,
    keys: np.ndarray,
    attention: np.ndarray,
    without_segments: np.ndarray,
    without_positions: np.ndarray,
) -> dict[str, np.ndarray | float]:
    """Return a sequence's sums: measures ``[layer, head]`` summed over its ``tokens`` of text.

    The overlap is a mean over the sequence's pairs of tokens. ``with_pairs`` is 0 if the sequence has no pair.
    ``is_text`` is a mask ``[n]`` of the tokens that are not special. Queries and keys are ``[layer, head, n, neuron]``.
    Attention is ``[layer, head, query, key]``: intact, with all segment ids 0, and without positions.
    """
    tokens = int(is_text.sum())
    _, sizes = np.unique(parts(is_text)[is_text], return_counts=True)
    segments_ablated = attention_by_target(without_segments, is_text)
    measures = {
        **neuron_measures(queries[:, :, is_text], keys, attention[:, :, is_text]),
        **attention_by_target(attention, is_text),
        "same_segment_ablated": segments_ablated["same_segment"],
        "other_segment_ablated": segments_ablated["other_segment"],
        "next_token_ablated": attention_by_target(without_positions, is_text)["next_token"],
        "same_segment_chance": float((sizes**2).sum() / sizes.sum() ** 2),
    }
    overlap = {"neuron_overlap": np.nan_to_num(measures.pop("neuron_overlap")), "with_pairs": int(tokens > 1)}
    return {name: tokens * values for name, values in measures.items()} | overlap | {"tokens": tokens}


def table(sums: Sums) -> pd.DataFrame:
    """Return table ``vig_neurons``: measures of each head's attention, as means over all tokens that are not special.

    Consider a token's query q and the key k to which the token attends most. The dot product of q and k exceeds the
    mean dot product by a sum over neurons, in which the term of neuron e is ``q_e (k_e - m_e)``, m being the mean key.
    The mean is subtracted because it has no influence on attention.

    - ``neuron_concentration``: the smallest share of neurons whose terms add up to ``SCORE_SHARE`` of this sum. It is
      small if few neurons decide. If the sum is not above 0, the position bias decides, not the neurons. Such tokens do
      not count. There are none in encoders without a position bias, that is, in all but MPNet.
    - ``neuron_overlap``: the share of top neurons that two tokens of a sequence have in common, averaged over pairs of
      tokens, then over sequences. The top neurons are the ``TOP_SHARE`` with the largest terms. ``overlap_chance`` is
      the overlap of two random choices.
    - ``participation_ratio``: ``(sum |p|)^2 / (d_head sum p^2)``, from the products ``p_e = q_e k_e``. It is 1 if the
      products of all neurons are equally large, and small if few neurons have most of the sum.
    - ``same_segment``, ``other_segment``: attention to the text of the own part and of the other part.
      ``same_segment_chance`` is the own part's share of both parts' text.
    - ``next_token``, ``delimiter``: attention to the next token and to special tokens.

    Columns in ``_ablated`` have the measure with all segment ids 0 (same_segment, other_segment) or without positions
    (next_token); see :func:`neurons`.
    """
    overlap = ratio(sums["neuron_overlap"], sums["with_pairs"])
    concentration = ratio(sums["neuron_concentration"], sums["neurons_decide"])
    means = {name: sums[name] / sums["tokens"] for name in sums if name not in _OTHER_SUMS}
    return head_table(neuron_concentration=concentration, neuron_overlap=overlap, **means, n=sums["tokens"])


def _stack(layers: Iterator[torch.Tensor]) -> np.ndarray:
    """Stack layers as ``[layer, ...]`` float64."""
    return torch.stack(list(layers)).double().cpu().numpy()


def neuron_measures(queries: np.ndarray, keys: np.ndarray, attention: np.ndarray) -> dict[str, np.ndarray]:
    """Return the measures of neurons, ``[layer, head]`` each, as means over queries; see :func:`table`.

    ``neurons_decide`` is the share of queries that count in ``neuron_concentration``. The other queries add 0 to its
    mean. Queries are ``[layer, head, query, neuron]``, keys ``[layer, head, key, neuron]``, and attention
    ``[layer, head, query, key]``.
    """
    size = queries.shape[-1]
    best_keys = np.take_along_axis(keys, attention.argmax(-1)[..., None], axis=2)
    terms = queries * (best_keys - keys.mean(2, keepdims=True))
    decide = terms.sum(-1) > 0
    products = np.abs(queries * best_keys)
    return {
        "neuron_concentration": (fewest_neurons(terms) / size * decide).mean(-1),
        "neurons_decide": decide.mean(-1),
        "neuron_overlap": top_overlap(terms),
        "overlap_chance": np.full(queries.shape[:2], top_neurons(size) / size),
        "participation_ratio": (products.sum(-1) ** 2 / (size * (products**2).sum(-1))).mean(-1),
    }


def fewest_neurons(terms: np.ndarray) -> np.ndarray:
    """Return the least number of terms that add up to ``SCORE_SHARE`` of the sum: ``[...]`` from ``[..., neuron]``."""
    cumulative = np.cumsum(-np.sort(-terms, axis=-1), axis=-1)
    return (cumulative < SCORE_SHARE * cumulative[..., -1:]).sum(-1) + 1


def top_overlap(terms: np.ndarray) -> np.ndarray:
    """Return the share of top neurons that two queries have in common, averaged over pairs; NaN for a single query.

    The result is ``[...]`` from ``[..., query, neuron]``.
    """
    queries, size = terms.shape[-2:]
    top = top_neurons(size)
    is_top = np.zeros(terms.shape, dtype=bool)
    np.put_along_axis(is_top, np.argsort(-terms, axis=-1, kind="stable")[..., :top], values=True, axis=-1)
    count = is_top.sum(-2)  # a top neuron of c queries is shared by c(c-1)/2 pairs of queries
    shared = (count * (count - 1)).sum(-1)
    return shared / (queries * (queries - 1) * top) if queries > 1 else np.full(shared.shape, np.nan)


def top_neurons(size: int) -> int:
    """Return the number of a head's top neurons."""
    return max(1, round(TOP_SHARE * size))


def attention_by_target(attention: np.ndarray, is_text: np.ndarray) -> dict[str, np.ndarray]:
    """Return mean attention of text tokens to own part, other part, next and special tokens: ``[layer, head]`` each.

    The input is ``[layer, head, query, key]`` and a mask ``[n]``. The next token can be special.
    """
    part = parts(is_text)
    both_text = is_text[:, None] & is_text
    same = part[:, None] == part
    masks = {
        "same_segment": both_text & same,
        "other_segment": both_text & ~same,
        "next_token": np.eye(len(is_text), k=1, dtype=bool) & is_text[:, None],
        "delimiter": is_text[:, None] & ~is_text,
    }
    return {name: np.einsum("lhqk,qk->lh", attention, mask) / is_text.sum() for name, mask in masks.items()}


def neuron_examples(
    encoder: HookedEncoder, sequence: EncodedSequence, tokens: Sequence[str], vig_neurons: pd.DataFrame
) -> pd.DataFrame:
    """Return table ``vig_neuron_examples``: queries and keys of typical heads in one input, for one query.

    Head ``next`` has the most attention to the next token, and head ``delimiter`` to special tokens. Head ``sentence``
    loses the most attention to the own part without segment ids. It is left out if it loses less than ``LEAST_FALL``.
    The query is the middle token of the text, special tokens not counted. Each row is a head, key and neuron. ``query``
    and ``key`` count from 0, ``neuron`` from 1. All rows of a key have its ``bias``, the position bias, which is 0 in
    all encoders but MPNet; its ``score``, the scaled dot product plus the bias; and its ``attention``, the softmax of
    the scores.
    """
    layers = run_with_neurons(encoder, *padded_batch([sequence], 0))
    text = np.flatnonzero(sequence.word_ids != NO_WORD)
    query = int(text[len(text) // 2])
    tables = [
        _neuron_rows(layers[layer], head, query, tokens).assign(behaviour=behaviour, layer=layer + 1, head=head + 1)
        for behaviour, (layer, head) in typical_heads(vig_neurons).items()
    ]
    return pd.concat(tables, ignore_index=True)


def typical_heads(vig_neurons: pd.DataFrame) -> dict[str, tuple[int, int]]:
    """Return the layer and head, from 0, of each behavior of :func:`neuron_examples`."""
    by_head = vig_neurons.set_index(["layer", "head"])
    fall = by_head["same_segment"] - by_head["same_segment_ablated"]
    strength = dict(zip(BEHAVIOUR_LABELS, (by_head["next_token"], by_head["delimiter"], fall), strict=True))
    if fall.max() < LEAST_FALL:
        del strength["sentence"]
    heads = {behaviour: values.idxmax() for behaviour, values in strength.items()}
    return {behaviour: (int(layer) - 1, int(head) - 1) for behaviour, (layer, head) in heads.items()}


def _neuron_rows(layer: LayerNeurons, head: int, query: int, tokens: Sequence[str]) -> pd.DataFrame:
    """Return a row for each key and neuron of a head, for one query of the only sequence of a batch."""
    queries, keys = (vectors[0, head].double().cpu().numpy() for vectors in (layer.queries, layer.keys))
    scores, attention = (values[0, head, query].double().cpu().numpy() for values in (layer.scores, layer.attention))
    bias = np.zeros(len(tokens)) if layer.bias is None else layer.bias[head, query].double().cpu().numpy()
    words = np.array(tokens, dtype=object)
    return cell_table(
        {"key": 0, "neuron": 1},
        query=query,
        query_token=tokens[query],
        key_token=words[:, None],
        query_value=queries[query],
        key_value=keys,
        product=queries[query] * keys,
        bias=bias[:, None],
        score=scores[:, None],
        attention=attention[:, None],
    )
