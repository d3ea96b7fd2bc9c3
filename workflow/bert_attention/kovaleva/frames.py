"""Heads that link a predicate and its frame elements (Kovaleva et al. 2019, section 4.2, figure 3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from bert_attention.corpora.types import FramedSentence, FrameElement
from bert_attention.heads import cell_table, head_table
from bert_attention.kovaleva.column_values import FRAME_LINKS, VARIANTS
from bert_attention.kovaleva.frame_links import FrameLinks
from bert_attention.statistics.sums import Sums, ratio

# The sentence of the paper's figure 3, from FrameNet, and the heads (from 1) whose attention it shows.
PAPERS_EXAMPLE = FramedSentence(
    "He was becoming agitated .", "Emotion_directed", (16, 24), (FrameElement("Experiencer", 0, 2),)
)
_PAPERS_HEADS = ((1, 2), (7, 6))
_BEST_HEADS = 2
_PERCENTILE = 99


def sums(attention: np.ndarray, links: FrameLinks) -> dict[str, np.ndarray | int]:
    """Return a sentence's sums, by variant: each head's score on the links, and on moved links.

    ``scores`` are the greatest attention over the linked pairs, ``[direction, layer, head]``: from the first token of a
    pair to the second, then back. The control moves all pairs together to each other position in the text where they
    fit and no moved pair is a linked pair. ``elsewhere`` is the mean score of the moved pairs in the first direction,
    ``[layer, head]``. ``gain`` is ``scores`` minus the mean score of the moved pairs, in each direction. Both are 0 if
    there is no such position. The sums also count the offsets of the links.

    Parameters
    ----------
    attention
        ``[layer, head, query, key]``.
    """
    directions = (attention, attention.swapaxes(-1, -2))
    added: dict[str, np.ndarray | int] = {}
    for variant, pairs in links.pairs.items():
        if not len(pairs):
            continue
        own = np.array([_highest(weights, pairs) for weights in directions])
        elsewhere, gain = np.zeros_like(own), np.zeros_like(own)
        moved = _moved(pairs, links.text)
        if len(moved):
            elsewhere = np.array([_highest(weights, moved).mean(-1) for weights in directions])
            gain = own - elsewhere
        of_variant = {
            **{"scores": own, "n": 1, "elsewhere": elsewhere[0], "gain": gain, "fit/n": int(len(moved) > 0)},
            **{f"offset/{offset}": 1 for offset in np.unique(np.diff(pairs))},
        }
        added |= {f"{variant}/{name}": value for name, value in of_variant.items()}
    return added


def table(sums: Sums) -> dict[str, pd.DataFrame]:
    """Return tables ``kovaleva_frames`` and ``kovaleva_frame_offsets``: the attention that follows links of frames.

    A head's score in a sentence is its greatest attention over the linked pairs of tokens. ``attention`` is its mean
    over sentences. ``annotated`` is attention from a frame element to its predicate, as in the paper's figures and the
    released code. ``reversed`` is the other direction, which the paper's wording suggests.

    ``random_pair`` is our control, which the paper lacks: attention between other pairs of tokens at the same distance
    as predicate and element. All linked pairs of a sentence are moved along it together, to each other position where
    they fit and no moved pair is a linked pair. The score is the mean over all these positions, which is the limit of
    random draws. ``n`` excludes sentences without such a position. ``gain`` is the score of ``annotated``, or of
    ``reversed``, minus that of the moved pairs in the same direction and the same sentences. ``gain_n`` counts these
    sentences.

    The paper's own threshold is the 99th percentile of all heads. ``above_99th_percentile`` is True for heads that
    exceed it, among those of the same variant and link.

    ``kovaleva_frame_offsets`` measures how well a fixed offset explains the links. ``share`` is the share of sentences
    in which a predicate's token stands ``offset`` tokens after a linked token of a frame element (before it, if
    negative). A head that attends only to this offset would score ``share``.
    """
    by_variant = {variant: sums.within(f"{variant}/") for variant in VARIANTS}
    links = [_link_table(of_variant).assign(variant=variant) for variant, of_variant in by_variant.items()]
    offsets = [_offset_table(of_variant).assign(variant=variant) for variant, of_variant in by_variant.items()]
    return {
        "kovaleva_frames": pd.concat(links, ignore_index=True),
        "kovaleva_frame_offsets": pd.concat(offsets, ignore_index=True),
    }


def frame_example(
    attention: np.ndarray, tokens: Sequence[str], links: FrameLinks, kovaleva_frames: pd.DataFrame
) -> pd.DataFrame:
    """Return table ``kovaleva_frame_example``: attention of some heads in one sentence, cell by cell (figure 3).

    The heads are the two with the largest ``gain`` from a frame element to its predicate, as described, the better head
    first. Then come the paper's heads 1-2 and 7-6, if the encoder has them.

    Parameters
    ----------
    attention
        Attention of the sentence, ``[layer, head, query, key]``.
    tokens
        The text of each token.
    links
        The sentence's linked tokens: ``linked`` is True if the cell's query is of a frame element and its key of the
        predicate.
    kovaleva_frames
        The table of all sentences.
    """
    own = kovaleva_frames.query("variant == 'described' and link == 'annotated'")
    best = own.sort_values("gain", ascending=False, kind="stable")[["layer", "head"]].to_numpy()[:_BEST_HEADS]
    layers, heads, *queries_and_keys = attention.shape
    theirs = [(layer, head) for layer, head in _PAPERS_HEADS if layer <= layers and head <= heads]
    layer, head = np.array(list(dict.fromkeys([*map(tuple, best.tolist()), *theirs]))).T
    linked = np.zeros(queries_and_keys, dtype=bool)
    linked[tuple(links.pairs["described"].T)] = True
    words = np.array(tokens, dtype=object)
    return cell_table(
        {"shown": 0, "query": 0, "key": 0},
        layer=layer[:, None, None],
        head=head[:, None, None],
        query_token=words[:, None],
        key_token=words,
        weight=attention[layer - 1, head - 1],
        linked=linked,
    ).drop(columns="shown")


def _highest(weights: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return the greatest of ``[layer, head, query, key]`` over ``[..., pair, 2]``: ``[layer, head, ...]``."""
    return weights[..., pairs[..., 0], pairs[..., 1]].max(-1)


def _moved(pairs: np.ndarray, text: range) -> np.ndarray:
    """Return the pairs at each other position where no moved pair is a linked pair: ``[position, pair, 2]``."""
    linked = set(map(tuple, pairs.tolist()))
    moved = [pairs + move for move in range(text.start - pairs.min(), text.stop - pairs.max())]
    apart = [places for places in moved if linked.isdisjoint(map(tuple, places.tolist()))]
    return np.array(apart, dtype=int).reshape(-1, *pairs.shape)


def _link_table(sums: Sums) -> pd.DataFrame:
    """Return the rows of one variant."""
    n, fit = sums["n"], sums["fit/n"]
    own, elsewhere, gain = ratio(sums["scores"], n), ratio(sums["elsewhere"], fit), ratio(sums["gain"], fit)
    attention = np.stack([*own, elsewhere])  # [link, layer, head]
    highest = np.percentile(attention, _PERCENTILE, axis=(1, 2), keepdims=True)
    return head_table(
        {"link": FRAME_LINKS},
        attention=attention,
        n=np.array([n, n, fit])[:, None, None],
        above_99th_percentile=attention > highest,
        gain=np.stack([*gain, np.full_like(elsewhere, np.nan)]),
        gain_n=np.array([fit, fit, 0])[:, None, None],
    )


def _offset_table(sums: Sums) -> pd.DataFrame:
    """Return the rows of one variant."""
    found = sums.within("offset/")
    offsets = sorted(map(int, found))
    share = [ratio(found[str(offset)], sums["n"]) for offset in offsets]
    return pd.DataFrame({"offset": offsets, "share": np.array(share), "n": sums["n"]})
