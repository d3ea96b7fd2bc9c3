"""Heads that link a predicate and its frame elements (Kovaleva et al. 2019, section 4.2, figure 3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from bert_attention.corpora.types import FramedSentence, FrameElement
from bert_attention.heads import cell_table, head_table
from bert_attention.papers.kovaleva.columns import FRAME_LINKS, VARIANTS
from bert_attention.papers.kovaleva.frame_links import FrameLinks
from bert_attention.statistics.sums import Sums, ratio

# The FrameNet sentence of the paper's figure 3, and the heads (from 1) whose attention the figure shows.
PAPERS_EXAMPLE = FramedSentence(
    "He was becoming agitated .", "Emotion_directed", (16, 24), (FrameElement("Experiencer", 0, 2),)
)
_PAPERS_HEADS = ((1, 2), (7, 6))
_BEST_HEADS = 2
_PERCENTILE = 99


def sums(attention: np.ndarray, links: FrameLinks) -> dict[str, np.ndarray | int]:
    """Return a sentence's sums, by variant: each head's score on the linked pairs, and on moved pairs.

    ``scores`` is the greatest attention over the linked pairs, ``[direction, layer, head]``: from the first token of a
    pair to the second, then back. The control moves all pairs together to each other position in the text where they
    fit and no moved pair is a linked pair. ``control`` is the mean score of the moved pairs in the first direction,
    ``[layer, head]``. ``gain`` is ``scores`` minus the mean score of the moved pairs, in each direction. Both are 0 if
    there is no such position, and ``control/n`` counts the sentences that have one. ``offset/k`` counts the sentences
    in which a second token stands k tokens after its first token. The attention is ``[layer, head, query, key]``.
    """
    directions = (attention, attention.swapaxes(-1, -2))
    sums: dict[str, np.ndarray | int] = {}
    for variant, pairs in links.pairs.items():
        if not len(pairs):
            continue
        scores = np.array([_max_over_pairs(weights, pairs) for weights in directions])
        control, gain = np.zeros_like(scores), np.zeros_like(scores)
        moved = _moved_pairs(pairs, links.text)
        if len(moved):
            control = np.array([_max_over_pairs(weights, moved).mean(-1) for weights in directions])
            gain = scores - control
        variant_sums = {
            **{"scores": scores, "n": 1, "control": control[0], "gain": gain, "control/n": int(len(moved) > 0)},
            **{f"offset/{offset}": 1 for offset in np.unique(np.diff(pairs))},
        }
        sums |= {f"{variant}/{name}": value for name, value in variant_sums.items()}
    return sums


def table(sums: Sums) -> dict[str, pd.DataFrame]:
    """Return tables ``kovaleva_frames`` and ``kovaleva_frame_offsets``: the attention that follows links of frames.

    A head's score in a sentence is its greatest attention over the linked pairs of tokens. ``attention`` is the mean
    score over sentences. Link ``annotated`` is attention from a frame element to its predicate, as in the paper's
    figures and the released code. ``reversed`` is the other direction, which the paper's wording suggests.

    ``random_pair`` is our control, which the paper lacks: attention between other pairs of tokens that are as far
    apart. All linked pairs of a sentence are moved together to each other position where they fit and no moved pair is
    a linked pair. The score is the mean over all these positions, which is the limit of random draws. ``n`` excludes
    sentences without such a position. ``gain`` is the score of ``annotated`` or ``reversed`` minus the score of the
    moved pairs in the same direction and the same sentences. ``gain_n`` counts these sentences.

    The paper's threshold is the 99th percentile of all heads. ``above_99th_percentile`` is True for heads that exceed
    it, separately for each variant and link.

    ``kovaleva_frame_offsets`` measures how well a fixed offset explains the links. ``share`` is the share of sentences
    in which a token of the predicate stands ``offset`` tokens after a linked token of a frame element (before it, if
    negative). A head that attends only to this offset would score ``share``.
    """
    by_variant = {variant: sums.within(f"{variant}/") for variant in VARIANTS}
    links = [_link_table(each).assign(variant=variant) for variant, each in by_variant.items()]
    offsets = [_offset_table(each).assign(variant=variant) for variant, each in by_variant.items()]
    return {
        "kovaleva_frames": pd.concat(links, ignore_index=True),
        "kovaleva_frame_offsets": pd.concat(offsets, ignore_index=True),
    }


def frame_example(
    attention: np.ndarray, tokens: Sequence[str], links: FrameLinks, kovaleva_frames: pd.DataFrame
) -> pd.DataFrame:
    """Return table ``kovaleva_frame_example``: attention of some heads in one sentence, cell by cell (figure 3).

    First come the two heads with the largest ``gain`` of link ``annotated``, variant ``described``, best head first.
    Then come the paper's heads 1-2 and 7-6, if the encoder has them. The attention is ``[layer, head, query, key]``.
    Column ``linked`` is True if variant ``described`` links the query with the key.
    """
    annotated = kovaleva_frames.query("variant == 'described' and link == 'annotated'")
    best = annotated.sort_values("gain", ascending=False, kind="stable")[["layer", "head"]].to_numpy()[:_BEST_HEADS]
    layers, heads, *queries_and_keys = attention.shape
    papers_heads = [(layer, head) for layer, head in _PAPERS_HEADS if layer <= layers and head <= heads]
    layer, head = np.array(list(dict.fromkeys([*map(tuple, best.tolist()), *papers_heads]))).T
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


def _max_over_pairs(weights: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return the maximum of ``[layer, head, query, key]`` over pairs ``[..., pair, 2]``: ``[layer, head, ...]``."""
    return weights[..., pairs[..., 0], pairs[..., 1]].max(-1)


def _moved_pairs(pairs: np.ndarray, text: range) -> np.ndarray:
    """Return the pairs at each other position where no moved pair is a linked pair: ``[position, pair, 2]``."""
    linked = set(map(tuple, pairs.tolist()))
    moved = [pairs + shift for shift in range(text.start - pairs.min(), text.stop - pairs.max())]
    unlinked = [shifted for shifted in moved if linked.isdisjoint(map(tuple, shifted.tolist()))]
    return np.array(unlinked, dtype=int).reshape(-1, *pairs.shape)


def _link_table(sums: Sums) -> pd.DataFrame:
    """Return the rows of one variant in ``kovaleva_frames``."""
    n, control_n = sums["n"], sums["control/n"]
    scores, control = ratio(sums["scores"], n), ratio(sums["control"], control_n)
    attention = np.stack([*scores, control])  # [link, layer, head]
    threshold = np.percentile(attention, _PERCENTILE, axis=(1, 2), keepdims=True)
    return head_table(
        {"link": FRAME_LINKS},
        attention=attention,
        n=np.array([n, n, control_n])[:, None, None],
        above_99th_percentile=attention > threshold,
        gain=np.stack([*ratio(sums["gain"], control_n), np.full_like(control, np.nan)]),
        gain_n=np.array([control_n, control_n, 0])[:, None, None],
    )


def _offset_table(sums: Sums) -> pd.DataFrame:
    """Return the rows of one variant in ``kovaleva_frame_offsets``."""
    counts = sums.within("offset/")
    offsets = sorted(map(int, counts))
    share = [ratio(counts[str(offset)], sums["n"]) for offset in offsets]
    return pd.DataFrame({"offset": offsets, "share": np.array(share), "n": sums["n"]})
