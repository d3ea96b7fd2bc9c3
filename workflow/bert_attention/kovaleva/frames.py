"""Heads that link a predicate and its frame elements (Kovaleva et al. 2019, section 4.2, figure 3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from bert_attention.heads import head_table
from bert_attention.kovaleva.column_values import FRAME_LINKS, FRAME_VARIANTS
from bert_attention.kovaleva.frame_links import FrameLinks
from bert_attention.statistics.intervals import bootstrap_interval

_PERCENTILE = 99


def frames(maps: Iterable[tuple[int, np.ndarray]], links: Sequence[FrameLinks], seed: int) -> dict[str, pd.DataFrame]:
    """Tables ``kovaleva_frames`` and ``kovaleva_frame_offsets``: how much attention follows the links of frames.

    A head's score in a sentence is its greatest attention over the linked pairs of tokens; ``attention`` is its mean
    over sentences. ``annotated`` is attention from a frame element to its predicate, as in the paper's figures and the
    released code; ``reversed`` is the other direction, which the paper's wording suggests.

    ``random_pair`` is our control, which the paper lacks: attention between other pairs of tokens, in which the one is
    as far from the other as the predicate is from the element. All linked pairs of a sentence are moved along it
    together, to each other place where they fit and meet no linked pair, and scored as they are; the score is the mean
    over all these places, which the mean over random draws of them approaches. ``n`` leaves out sentences without such
    a place. ``gain`` is by how much the score of ``annotated``, or of ``reversed``, exceeds that of such pairs in the
    same direction and the same sentences; ``gain_n`` counts these.

    The paper's own yardstick is the 99th percentile of all heads; ``above_99th_percentile`` says which heads exceed it,
    among those of the same variant and link.

    Parameters
    ----------
    maps
        Place of each sentence in ``links``, with its attention ``[layer, head, query, key]``; each place once.
    links
        The linked tokens of each sentence.
    seed
        Of the intervals, which resample sentences.

    Raises
    ------
    ValueError
        If no sentence has linked tokens.
    """
    by_variant = {variant: {} for variant in FRAME_VARIANTS}
    for place, attention in maps:
        for variant, pairs in links[place].pairs.items():
            if len(pairs):
                by_variant[variant][place] = link_scores(attention, pairs, links[place].text)
    tables = []
    for variant, by_place in by_variant.items():
        if not by_place:
            raise ValueError(f"no sentence has linked tokens, variant {variant}")
        scores = np.stack([by_place[place] for place in sorted(by_place)])
        tables += [_link_table(variant, link, scores, seed) for link in FRAME_LINKS]
    return {
        "kovaleva_frames": pd.concat(tables, ignore_index=True),
        "kovaleva_frame_offsets": frame_offsets(links, seed),
    }


def link_scores(attention: np.ndarray, pairs: np.ndarray, text: range) -> np.ndarray:
    """The greatest attention over linked pairs, and over the same pairs elsewhere: ``[direction, score, layer, head]``.

    Direction is from the first token of a pair to the second, then back. Score is that of the pairs, then the mean
    score of the pairs moved to each other place in the text where they fit and meet none of themselves; NaN if there is
    no such place.

    Parameters
    ----------
    attention
        ``[layer, head, query, key]``.
    pairs
        ``[pair, 2]``, at least one; places in ``text``.
    """
    moved = _moved(pairs, text)
    both = []
    for weights in (attention, attention.swapaxes(-1, -2)):
        linked = weights[..., pairs[:, 0], pairs[:, 1]].max(-1)
        elsewhere = weights[..., moved[..., 0], moved[..., 1]].max(-1)
        both.append([linked, elsewhere.mean(-1) if len(moved) else np.full_like(linked, np.nan)])
    return np.array(both)


def _moved(pairs: np.ndarray, text: range) -> np.ndarray:
    """The pairs at each other place in the text where none of them meets another: ``[place, pair, 2]``."""
    linked = set(map(tuple, pairs.tolist()))
    moved = [pairs + move for move in range(text.start - pairs.min(), text.stop - pairs.max())]
    apart = [places for places in moved if linked.isdisjoint(map(tuple, places.tolist()))]
    return np.array(apart, dtype=int).reshape(-1, *pairs.shape)


def _link_table(variant: str, link: str, scores: np.ndarray, seed: int) -> pd.DataFrame:
    """The rows of one variant and link, from ``[sentence, direction, score, layer, head]``."""
    own, elsewhere = scores[:, int(link == "reversed")].swapaxes(0, 1)
    fits = ~np.isnan(elsewhere).any((1, 2))
    if link == "random_pair":
        own, gain = elsewhere[fits], own[:0]
    else:
        gain = (own - elsewhere)[fits]
    attention, low, high = _mean_with_interval(own, seed)
    gained, gain_low, gain_high = _mean_with_interval(gain, seed)
    return head_table(
        variant=variant,
        link=link,
        attention=attention,
        low=low,
        high=high,
        n=len(own),
        above_99th_percentile=attention > np.percentile(attention, _PERCENTILE),
        gain=gained,
        gain_low=gain_low,
        gain_high=gain_high,
        gain_n=len(gain),
    )


def _mean_with_interval(values: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean over sentences and its bounds, ``[layer, head]`` each, from ``[sentence, layer, head]``; NaN without any."""
    sentences, *heads = values.shape
    if not sentences:
        nothing = np.full(heads, np.nan)
        return nothing, nothing, nothing
    by_head = values.reshape(sentences, -1).astype(np.float64)
    bounds = bootstrap_interval(by_head, np.ones((sentences, 1)), seed)
    low, high = (bound.reshape(heads) for bound in bounds)
    return by_head.mean(0).reshape(heads), low, high


def frame_offsets(links: Sequence[FrameLinks], seed: int) -> pd.DataFrame:
    """Table ``kovaleva_frame_offsets``: how well a fixed offset explains the links.

    ``share`` is that of sentences in which a predicate's token stands ``offset`` tokens after a linked one of a frame
    element (before it, if negative). So it is what a head would score that attends to this offset and to nothing else.
    """
    tables = []
    for variant in FRAME_VARIANTS:
        by_sentence = [np.unique(np.diff(of.pairs[variant])) for of in links if len(of.pairs[variant])]
        offsets = np.unique(np.concatenate(by_sentence))
        is_there = np.array([np.isin(offsets, found) for found in by_sentence])
        low, high = bootstrap_interval(is_there, np.ones((len(is_there), 1)), seed)
        columns = {"offset": offsets, "share": is_there.mean(0), "low": low, "high": high, "n": len(is_there)}
        tables.append(pd.DataFrame({"variant": variant} | columns))
    return pd.concat(tables, ignore_index=True)
