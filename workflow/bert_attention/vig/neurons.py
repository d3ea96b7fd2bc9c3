"""Contributions of single neurons of queries and keys to attention (Vig 2019, "Deconstructing BERT", part 2).

Vig explains three heads by looking at their neurons. The four measures that test his explanations are our reading.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

import numpy as np
import pandas as pd
import torch

from bert_attention.attention.hooks import HookedEncoder
from bert_attention.attention.neurons import LayerNeurons, positions_removed, run_with_neurons
from bert_attention.heads import cell_table, head_table
from bert_attention.models.batches import batches_by_length
from bert_attention.models.inputs import padded_batch
from bert_attention.statistics.sums import Sums, ratio
from bert_attention.tokenization.sequences import NO_WORD, EncodedSequence
from bert_attention.vig.column_values import BEHAVIOUR_LABELS, LEAST_FALL
from bert_attention.vig.parts import parts

REACHED = 0.9  # share of a score that the neurons of ``neuron_concentration`` add up to
TOP_SHARE = 0.1  # share of a head's neurons that are its top neurons


def neurons(
    encoder: HookedEncoder,
    sequences: Sequence[EncodedSequence],
    clusters: Sequence[Hashable],
    pad_id: int,
    batch_size: int,
    progress: Callable[[Iterable], Iterable] = iter,
) -> Sums:
    """Run the encoder on sequences, unaltered and altered, and return the sums for :func:`table`.

    The altered runs have all segment ids 0, or no positions: zeros for all position embeddings, and for the numbers
    that MPNet adds to scores.

    Parameters
    ----------
    sequences
        Model inputs with segment ids as in training; the first part has 0.
    clusters
        The article of each sequence, as in :func:`bert_attention.statistics.sums.blocks_of`.
    """
    added: list[dict] = [{}] * len(sequences)
    for places in progress(batches_by_length([len(sequence) for sequence in sequences], batch_size)):
        batch = [sequences[place] for place in places]
        token_ids, segment_ids, mask = padded_batch(batch, pad_id)
        layers = run_with_neurons(encoder, token_ids, segment_ids, mask)
        one_segment = run_with_neurons(encoder, token_ids, segment_ids * 0, mask)
        with positions_removed(encoder.model):
            nowhere = run_with_neurons(encoder, token_ids, segment_ids, mask)
        for row, place in enumerate(places):
            n = len(sequences[place])
            vectors = (_stacked(getattr(layer, name)[row, :, :n] for layer in layers) for name in ("queries", "keys"))
            runs = (
                _stacked(layer.attention[row, :, :n, :n] for layer in run) for run in (layers, one_segment, nowhere)
            )
            added[place] = sums(sequences[place].word_ids != NO_WORD, *vectors, *runs)
    return Sums.of(added, clusters)


def sums(
    is_text: np.ndarray,
    queries: np.ndarray,
    keys: np.ndarray,
    attention: np.ndarray,
    one_segment: np.ndarray,
    nowhere: np.ndarray,
) -> dict[str, np.ndarray | float]:
    """Return a sequence's sums: measures ``[layer, head]`` summed over its ``tokens`` of text.

    The overlap is of pairs of tokens. Each sequence with pairs (``with_pairs``) adds its mean overlap.

    Parameters
    ----------
    is_text
        Mask of tokens that are not special, ``[n]``.
    queries, keys
        ``[layer, head, n, neuron]``.
    attention, one_segment, nowhere
        ``[layer, head, query, key]``: of the unaltered encoder, with all segment ids 0, and without positions.
    """
    tokens = int(is_text.sum())
    _, sizes = np.unique(parts(is_text)[is_text], return_counts=True)
    whole, without_ids, without_places = (attention_by_place(run, is_text) for run in (attention, one_segment, nowhere))
    measures = {
        **neuron_measures(queries[:, :, is_text], keys),
        **whole,
        "same_segment_ablated": without_ids["same_segment"],
        "other_segment_ablated": without_ids["other_segment"],
        "next_token_ablated": without_places["next_token"],
        "same_segment_chance": float((sizes**2).sum() / sizes.sum() ** 2),
    }
    of_pairs = {"neuron_overlap": np.nan_to_num(measures.pop("neuron_overlap")), "with_pairs": int(tokens > 1)}
    return {name: tokens * values for name, values in measures.items()} | of_pairs | {"tokens": tokens}


def table(sums: Sums) -> pd.DataFrame:
    """Return table ``vig_neurons``: measures of each head's attention, as means over all tokens that are not special.

    Consider a token's query q and, of all keys, the key k that fits q best. The score of k exceeds the mean score by a
    sum over neurons, in which neuron e adds ``q_e (k_e - m_e)``, m being the mean key. (A part that all keys share has
    no influence on attention.)

    - ``neuron_concentration``: the smallest share of neurons that adds up to ``REACHED`` of this sum. It is small if
      few neurons decide.
    - ``neuron_overlap``: the share of their top neurons that two tokens of a sequence have in common, averaged over
      pairs of tokens, then over sequences. The top neurons are the ``TOP_SHARE`` that add most. ``overlap_chance``
      is the overlap of two random choices.
    - ``participation_ratio``: ``(sum |p|)^2 / (d_head sum p^2)``, from the products ``p_e = q_e k_e``. It is 1 if all
      neurons add alike, and small if few add most.
    - ``same_segment``: attention to the text of the own part, out of both parts' text and special tokens;
      ``other_segment``: to the text of the other part. ``same_segment_chance`` is the own part's share of both parts'
      text.
    - ``next_token``: attention to the token after; ``delimiter``: to special tokens.

    Columns in ``_ablated`` are of the encoder with all segment ids 0 (same_segment, other_segment), or without
    positions (next_token); see :func:`neurons`.
    """
    overlap = ratio(sums["neuron_overlap"], sums["with_pairs"])
    means = {
        name: sums[name] / sums["tokens"] for name in sums if name not in ("neuron_overlap", "with_pairs", "tokens")
    }
    return head_table(neuron_overlap=overlap, **means, n=sums["tokens"])


def _stacked(of_layers: Iterator[torch.Tensor]) -> np.ndarray:
    """Stack layers as ``[layer, ...]`` float64."""
    return torch.stack(list(of_layers)).double().cpu().numpy()


def neuron_measures(queries: np.ndarray, keys: np.ndarray) -> dict[str, np.ndarray]:
    """Return means over queries of the measures of neurons, ``[layer, head]`` each; see :func:`table`.

    Queries are ``[layer, head, query, neuron]``, keys ``[layer, head, key, neuron]``.
    """
    size = queries.shape[-1]
    best = (queries @ keys.swapaxes(-1, -2)).argmax(-1)
    fitting = np.take_along_axis(keys, best[..., None], axis=2)
    added = queries * (fitting - keys.mean(2, keepdims=True))
    products = np.abs(queries * fitting)
    return {
        "neuron_concentration": (neurons_that_reach(added) / size).mean(-1),
        "neuron_overlap": overlap_of_top(added),
        "overlap_chance": np.full(queries.shape[:2], top_neurons(size) / size),
        "participation_ratio": (products.sum(-1) ** 2 / (size * (products**2).sum(-1))).mean(-1),
    }


def neurons_that_reach(added: np.ndarray) -> np.ndarray:
    """Return the least number of neurons that add up to ``REACHED`` of the sum: ``[...]`` from ``[..., neuron]``."""
    together = np.cumsum(-np.sort(-added, axis=-1), axis=-1)
    return (together < REACHED * together[..., -1:]).sum(-1) + 1


def overlap_of_top(added: np.ndarray) -> np.ndarray:
    """Return the share of top neurons that two queries have in common, averaged over pairs; NaN for a single query.

    The result is ``[...]`` from ``[..., query, neuron]``.
    """
    queries, size = added.shape[-2:]
    top = top_neurons(size)
    is_top = np.zeros(added.shape, dtype=bool)
    np.put_along_axis(is_top, np.argsort(-added, axis=-1, kind="stable")[..., :top], values=True, axis=-1)
    times = is_top.sum(-2)  # a neuron that is on top for t queries is shared by t(t-1)/2 pairs of queries
    shared = (times * (times - 1)).sum(-1)
    return shared / (queries * (queries - 1) * top) if queries > 1 else np.full(shared.shape, np.nan)


def top_neurons(size: int) -> int:
    """Return the number of a head's top neurons."""
    return max(1, round(TOP_SHARE * size))


def attention_by_place(attention: np.ndarray, is_text: np.ndarray) -> dict[str, np.ndarray]:
    """Return mean attention of text tokens to own part, other part, next and special tokens: ``[layer, head]`` each.

    The input is ``[layer, head, query, key]`` and a mask ``[n]``. The token after the last of a part is special.
    """
    part = parts(is_text)
    both = is_text[:, None] & is_text
    same = part[:, None] == part
    masks = {
        "same_segment": both & same,
        "other_segment": both & ~same,
        "next_token": np.eye(len(is_text), k=1, dtype=bool) & is_text[:, None],
        "delimiter": is_text[:, None] & ~is_text,
    }
    return {name: np.einsum("lhqk,qk->lh", attention, mask) / is_text.sum() for name, mask in masks.items()}


def neuron_examples(
    encoder: HookedEncoder, sequence: EncodedSequence, tokens: Sequence[str], vig_neurons: pd.DataFrame
) -> pd.DataFrame:
    """Return table ``vig_neuron_examples``: queries and keys of typical heads in one input, for one query.

    Two heads have the most attention to the next token (``next``) and to special tokens (``delimiter``). In a third,
    attention to the own part falls most without segment ids (``sentence``; only if by ``LEAST_FALL``).
    The query is the middle token of the text, without special tokens.

    Parameters
    ----------
    tokens
        The text of each token.

    Returns
    -------
    A row for each head, key and neuron: ``behaviour``, ``layer``, ``head``, ``query``, ``key`` (indices from 0),
    ``query_token``, ``key_token``, ``neuron`` (from 1), ``query_value``, ``key_value``, ``product``. The whole key has
    a ``score``, the scaled dot product, and ``attention``, the softmax of the scores.
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
    """Return the layer and head, from 0, for each behavior of :func:`neuron_examples` that a head has."""
    of_heads = vig_neurons.set_index(["layer", "head"])
    fall = of_heads["same_segment"] - of_heads["same_segment_ablated"]
    strength = dict(zip(BEHAVIOUR_LABELS, (of_heads["next_token"], of_heads["delimiter"], fall), strict=True))
    if fall.max() < LEAST_FALL:
        del strength["sentence"]
    places = {behaviour: of_behaviour.idxmax() for behaviour, of_behaviour in strength.items()}
    return {behaviour: (int(layer) - 1, int(head) - 1) for behaviour, (layer, head) in places.items()}


def _neuron_rows(layer: LayerNeurons, head: int, query: int, tokens: Sequence[str]) -> pd.DataFrame:
    """Return a row for each key and neuron of a head, for one query of the only sequence of a batch."""
    queries, keys = (vectors[0, head].double().cpu().numpy() for vectors in (layer.queries, layer.keys))
    scores, attention = (values[0, head, query].double().cpu().numpy() for values in (layer.scores, layer.attention))
    words = np.array(tokens, dtype=object)
    return cell_table(
        {"key": 0, "neuron": 1},
        query=query,
        query_token=tokens[query],
        key_token=words[:, None],
        query_value=queries[query],
        key_value=keys,
        product=queries[query] * keys,
        score=scores[:, None],
        attention=attention[:, None],
    )
