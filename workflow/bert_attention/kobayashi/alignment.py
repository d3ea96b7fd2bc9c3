"""Word alignment from a translation model's cross-attention (Kobayashi et al. 2020, section 5).

Each target word is linked to the source word from which it takes most; if that is a special token, it has no link.
Links are read off attention weights or off norms of weighted vectors (method); off one head or off all heads of a layer
together; and off the rows whose input is the target word (setting ``awi``, alignment with input) or those that predict
it (``awo``, alignment with output).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from bert_attention.attention.cross_attention_maps import CrossAttentionMaps
from bert_attention.corpora.alignments import diagonal_links
from bert_attention.corpora.types import AlignedPair
from bert_attention.statistics.held_out import best
from bert_attention.statistics.jackknife import Replicates, over_seeds, stacked, tabulated
from bert_attention.statistics.sums import Sums, ratio

SETTINGS = ("awi", "awo")
METHODS = ("weight", "norm")
NO_LINK = -1

_NO_WORD = -1
_SUMMARY = ("statistic", "selection", "setting", "method", "layer", "head", "value", "chosen", "n")
# Of the last axis of all systems: all heads of a layer together, or each of its heads.
_SYSTEMS = {"layer": slice(0, 1), "head": slice(1, None)}
_EXAMPLES = 2  # pairs to show
_WORDS = (6, 10)  # fewest and most words of a sentence that fits the figure
_LETTERS = 11  # most letters of a word that fits


def alignment_tables(
    pairs: Sequence[AlignedPair], maps_of: Callable[[Sequence[AlignedPair]], Iterable[CrossAttentionMaps]]
) -> dict[str, Replicates]:
    """The tables ``kobayashi_alignment``, its ``_summary`` and its ``_examples`` of one model, by name.

    Parameters
    ----------
    maps_of
        Runs the model over some pairs: first over all, then again over those to show, so that no maps are kept.
    """
    tables = tabulated(table, Sums.of(map(sums, pairs, maps_of(pairs)), len(pairs)))
    shown = [pairs[place] for place in example_pairs(pairs)]
    examples = alignment_examples(shown, maps_of(shown), tables["kobayashi_alignment"].whole)
    return {**tables, "kobayashi_alignment_examples": Replicates(examples)}


def tables_of_models(by_seed: Mapping[tuple[str, int | None], Mapping[str, Replicates]]) -> dict[str, Replicates]:
    """Join the tables of all models by name, with the column ``model``.

    Each seed of a model is another model, with other heads: its rows are marked with a column ``seed``. The summary is
    the mean over a model's seeds, whose number is ``seeds``. Of several, ``layer`` is the mean too, and ``head`` is
    empty: heads of the same number have nothing in common.

    Parameters
    ----------
    by_seed
        The tables of each model by its name and the seed of its training, which is None where it is not known.
    """
    summary = "kobayashi_alignment_summary"
    summaries: dict[str, list[Replicates]] = {}
    for (model, _), tables in by_seed.items():
        summaries.setdefault(model, []).append(tables[summary])
    names = [name for name in next(iter(by_seed.values())) if name != summary]
    joined = {
        name: stacked([_marked(tables[name], model=model, seed=seed) for (model, seed), tables in by_seed.items()])
        for name in names
    }
    of_models = [
        _marked(over_seeds(seeds), model=model, seeds=len(seeds), **({"head": None} if len(seeds) > 1 else {}))
        for model, seeds in summaries.items()
    ]
    return joined | {summary: stacked(of_models)}


def _marked(tables: Replicates, **columns: str | int | None) -> Replicates:
    numbers = {name: "Int64" for name in columns if name != "model"}
    return tables.made_into(lambda rows: rows.assign(**columns).astype(numbers))


def sums(pair: AlignedPair, maps: CrossAttentionMaps) -> dict[str, np.ndarray | int]:
    """What a pair adds: how the links of every system agree with gold.

    Systems are ``[setting, method, layer, 1 + head]``, in the order of ``SETTINGS`` and ``METHODS``; index 0 of the
    last axis is all heads of the layer together. With links A of a system and gold links, S sure and P possible,
    ``found`` is ``|A & S| + |A & P|`` and ``total`` is ``|A| + |S|``; those of the diagonal baseline are numbers.
    ``norms`` is the sum of ``||alpha f_h(x_j)||`` over all ``cells`` between subwords, special tokens included,
    ``[layer, head]``.

    Raises
    ------
    ValueError
        If the maps do not fit the words of the pair.
    """
    gold = _gold_values(pair)
    links = linked_words(word_maps(maps), len(pair.source))
    if (maps.source_words.max() + 1, links.shape[-1]) != (len(pair.source), len(pair.target)):
        raise ValueError(f"the maps of the pair {' '.join(pair.source)!r} do not fit its words")
    found, total = _agreement(links, gold)
    diagonal_found, diagonal_total = _agreement(_diagonal_baseline(pair), gold)
    return {
        "found": found,
        "total": total,
        "diagonal_found": diagonal_found,
        "diagonal_total": diagonal_total,
        "norms": (maps.attention.sum(2, dtype=np.float64) * maps.value_norms).sum(-1),
        "cells": maps.attention[0, 0].size,
        "pairs": 1,
    }


def word_maps(maps: CrossAttentionMaps) -> np.ndarray:
    """What target words take from source words, ``[setting, method, layer, 1 + head, target, source]``.

    All heads of a layer together (index 0) have ``mean_h alpha`` and ``||sum_h alpha f_h(x_j)||``. Values are summed
    over the subwords of a source word and averaged over those of a target word, as in the released code. Special tokens
    of the source follow its words, with one column each; those of the target are left out.

    Raises
    ------
    ValueError
        If a target word has no row.
    """
    weights = np.concatenate([maps.attention.mean(1, keepdims=True), maps.attention], axis=1)
    of_heads = maps.attention * maps.value_norms[:, :, None, :]
    norms = np.concatenate([maps.summed_norms[:, None], of_heads], axis=1)
    words, specials = maps.source_words.max() + 1, np.flatnonzero(maps.source_words < 0)
    columns = maps.source_words.copy()
    columns[specials] = words + np.arange(len(specials))
    to_words = np.stack([weights, norms]) @ _membership(columns, words + len(specials)).T
    given = np.concatenate([[_NO_WORD], maps.target_words[:-1]])  # the input of row t is what row t - 1 predicts
    of_rows = {"awi": given, "awo": maps.target_words}
    rows = [_membership(of_rows[setting], maps.target_words.max() + 1) for setting in SETTINGS]
    subwords = [members.sum(1, keepdims=True) for members in rows]
    if not np.all(subwords):
        raise ValueError("the attention has no row for a target word")
    return np.stack([members / number @ to_words for members, number in zip(rows, subwords, strict=True)])


def _membership(words: np.ndarray, count: int) -> np.ndarray:
    """Which subwords make up each word, ``[word, subword]`` of 0 and 1."""
    return (words == np.arange(count)[:, None]).astype(np.float32)


def linked_words(between_words: np.ndarray, source_words: int) -> np.ndarray:
    """The source word to which each target word is linked, ``[..., target]``; ``NO_LINK`` if that is a special token.

    Parameters
    ----------
    between_words
        ``[..., target, source]``, with the special tokens after ``source_words`` columns of words.
    """
    most = between_words.argmax(-1)
    return np.where(most < source_words, most, NO_LINK)


def _gold_values(pair: AlignedPair) -> np.ndarray:
    """Value of each link: 2 if sure, 1 if possible, else 0; ``[target, source + 1]``, last column: no link."""
    gold = np.zeros((len(pair.target), len(pair.source) + 1), dtype=np.int64)
    for value, links in ((1, pair.possible), (2, pair.sure)):
        for source, target in links:
            gold[target, source] = value
    return gold


def _diagonal_baseline(pair: AlignedPair) -> np.ndarray:
    links = np.full(len(pair.target), NO_LINK)
    for source, target in diagonal_links(pair):
        links[target] = source
    return links


def _agreement(links: np.ndarray, gold: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``|A & S| + |A & P|`` and ``|A| + |S|`` of links ``[..., target]``."""
    found = gold[np.arange(len(gold)), links].sum(-1)
    return found, (links != NO_LINK).sum(-1) + (gold == 2).sum()


def table(sums: Sums) -> dict[str, pd.DataFrame]:
    """The tables of one model, by name: :func:`alignment` and :func:`alignment_summary`."""
    return {"kobayashi_alignment": alignment(sums), "kobayashi_alignment_summary": alignment_summary(sums)}


def alignment(sums: Sums) -> pd.DataFrame:
    """Table ``kobayashi_alignment`` of one model: the alignment error rate of every layer and head.

    The rate of a system is ``1 - found / total``, each summed over pairs. ``head`` is empty for all heads of a layer
    together. ``mean_norm`` is the mean of ``||alpha f_h(x_j)||`` over all cells, for a layer its mean over heads; it
    is the same in all settings and methods. ``n`` counts pairs.
    """
    rates = _error_rates(sums)
    setting, method, layer, head = np.indices(rates.shape)
    return pd.DataFrame(
        {
            "setting": np.take(SETTINGS, setting.ravel()),
            "method": np.take(METHODS, method.ravel()),
            "layer": layer.ravel() + 1,
            "head": pd.Series(head.ravel(), dtype="Int64").replace(0, pd.NA),
            "aer": rates.ravel(),
            "mean_norm": np.broadcast_to(_mean_norms(sums), rates.shape).ravel(),
            "n": sums["pairs"],
        }
    )


def alignment_summary(sums: Sums) -> pd.DataFrame:
    """Table ``kobayashi_alignment_summary`` of one model: the statistics of the paper's table and appendix.

    ``value`` is the alignment error rate of what ``statistic`` names:

    - ``layer``: each layer, all heads together; ``layer_mean``: their mean;
    - ``best_layer``, ``best_head``: the one with the lowest rate, chosen and scored on the same pairs as in the paper
      (``selection`` is ``same_data``), or chosen on one half of the pairs and scored on the other (``held_out``; see
      :mod:`bert_attention.statistics.held_out`); ``chosen`` says in what share of the choices;
    - ``layer_mean_minus_weight``, ``best_layer_minus_weight``: that of norms minus that of weights (negative: norms
      align better), each with its own best layer, chosen and scored on the same pairs;
    - ``highest_norm_layer``, ``highest_norm_head``: the one with the highest mean norm;
    - ``diagonal``: the diagonal baseline, which has no setting or method.

    For ``spearman`` and ``pearson``, it is the correlation of mean norm with alignment error rate over the heads.
    ``n`` counts pairs, or heads for correlations.
    """
    rows = [{"statistic": "diagonal", "value": 1 - ratio(sums["diagonal_found"], sums["diagonal_total"])}]
    for setting, method in np.ndindex(len(SETTINGS), len(METHODS)):
        identity = {"setting": SETTINGS[setting], "method": METHODS[method]}
        rows += [identity | row for row in _statistics(sums, setting, method)]
        if METHODS[method] == "norm":
            rows += [identity | row for row in _minus_weight(sums, setting)]
    summary = pd.DataFrame(rows, columns=_SUMMARY).fillna({"n": sums["pairs"]})
    return summary.astype({"layer": float, "head": "Int64", "value": float, "chosen": float, "n": int})


def _statistics(sums: Sums, setting: int, method: int) -> Iterator[dict[str, object]]:
    """The rows of one setting and method."""
    rates, mean_norms = _error_rates(sums)[setting, method], _mean_norms(sums)
    yield from ({"statistic": "layer", "layer": layer, "value": rate} for layer, rate in enumerate(rates[:, 0], 1))
    yield {"statistic": "layer_mean", "value": rates[:, 0].mean()}
    for unit, heads in _SYSTEMS.items():
        shape = rates[:, heads].shape

        def rightness(of_splits: Mapping[str, np.ndarray], heads: slice = heads) -> np.ndarray:
            return -_error_rates(of_splits)[:, setting, method, :, heads].reshape(len(of_splits["pairs"]), -1)

        for selection, choice in best(sums, rightness).items():
            row = {"statistic": f"best_{unit}", "selection": selection, "value": -choice.score, "chosen": choice.share}
            yield row | _numbers(unit, choice.system, shape)
        if METHODS[method] == "norm":
            highest = mean_norms[:, heads].argmax()
            value = rates[:, heads].ravel()[highest]
            yield {"statistic": f"highest_norm_{unit}", "value": value} | _numbers(unit, highest, shape)
    if METHODS[method] == "norm":
        heads = pd.DataFrame({"norm": mean_norms[:, 1:].ravel(), "aer": rates[:, 1:].ravel()})
        for name in ("spearman", "pearson"):
            yield {"statistic": name, "value": heads.corr(method=name).loc["norm", "aer"], "n": len(heads)}


def _minus_weight(sums: Sums, setting: int) -> Iterator[dict[str, object]]:
    """How much lower or higher the rates of norms are than those of weights."""
    weight, norm = _error_rates(sums)[setting, :, :, 0]
    yield {"statistic": "layer_mean_minus_weight", "value": norm.mean() - weight.mean()}
    yield {"statistic": "best_layer_minus_weight", "value": norm.min() - weight.min()}


def _numbers(unit: str, system: int, shape: tuple[int, int]) -> dict[str, int]:
    """The numbers, from 1, of a layer or head by its place among all."""
    layer, head = np.unravel_index(system, shape)
    return {"layer": layer + 1} if unit == "layer" else {"layer": layer + 1, "head": head + 1}


def _error_rates(sums: Mapping[str, np.ndarray]) -> np.ndarray:
    """``[..., setting, method, layer, 1 + head]``; NaN where there are neither links nor sure gold links."""
    return 1 - ratio(sums["found"], sums["total"])


def _mean_norms(sums: Mapping[str, np.ndarray]) -> np.ndarray:
    """``[layer, 1 + head]``, as the systems: that of a layer is the mean over its heads."""
    of_heads = sums["norms"] / sums["cells"]
    return np.concatenate([of_heads.mean(1, keepdims=True), of_heads], axis=1)


def example_pairs(pairs: Sequence[AlignedPair]) -> list[int]:
    """Places of the pairs to show.

    They are the first two different pairs that have 6 to 10 words of at most 11 letters on both sides, and links that
    cross. If there are too few, pairs without crossing links follow, then those nearest to that size.
    """
    order = sorted(range(len(pairs)), key=lambda place: (_misfit(pairs[place]), not _links_cross(pairs[place]), place))
    first_of_its_kind: dict[tuple, int] = {}
    for place in order:
        first_of_its_kind.setdefault((pairs[place].source, pairs[place].target), place)
    return list(first_of_its_kind.values())[:_EXAMPLES]


def _misfit(pair: AlignedPair) -> int:
    """By how many words and letters a pair is too long or too short for the figure."""
    return sum(
        max(_WORDS[0] - len(words), len(words) - _WORDS[1], 0) + max(max(map(len, words)) - _LETTERS, 0)
        for words in (pair.source, pair.target)
    )


def _links_cross(pair: AlignedPair) -> bool:
    targets = [target for _, target in sorted(pair.sure)]
    return targets != sorted(targets)


def alignment_examples(
    pairs: Sequence[AlignedPair], maps: Iterable[CrossAttentionMaps], kobayashi_alignment: pd.DataFrame
) -> pd.DataFrame:
    """Table ``kobayashi_alignment_examples`` of one model: what one layer takes from the source, in a few pairs.

    The setting and layer are those with the lowest alignment error rate by norm, all heads together.

    Parameters
    ----------
    pairs
        The pairs to show, as :func:`example_pairs` chooses them.
    maps
        The maps of these pairs.
    kobayashi_alignment
        The table of the model.

    Returns
    -------
    A row for each target word and source word or special token: ``pair`` (from 1), ``setting``, ``layer``, ``target``
    and ``source`` (the words' numbers; special tokens follow the words), ``target_word``, ``source_word``, ``weight``,
    ``norm``, and ``gold`` (``sure``, ``possible`` or ``none``).
    """
    layers = kobayashi_alignment[(kobayashi_alignment["method"] == "norm") & kobayashi_alignment["head"].isna()]
    setting, layer = layers.loc[layers["aer"].idxmin(), ["setting", "layer"]]
    pieces = []
    for number, (pair, of_pair) in enumerate(zip(pairs, maps, strict=True), start=1):
        weight, norm = word_maps(of_pair)[SETTINGS.index(setting), :, layer - 1, 0]
        specials = (token for token, word in zip(of_pair.source_tokens, of_pair.source_words, strict=True) if word < 0)
        columns = np.array([*pair.source, *specials])
        gold = np.zeros(weight.shape, dtype=np.int64)
        gold[:, : len(pair.source)] = _gold_values(pair)[:, :-1]
        target, source = np.indices(weight.shape).reshape(2, -1)
        values = {
            "target": target + 1,
            "source": source + 1,
            "target_word": np.take(pair.target, target),
            "source_word": columns[source],
            "weight": weight.ravel(),
            "norm": norm.ravel(),
            "gold": np.take(("none", "possible", "sure"), gold.ravel()),
        }
        pieces.append(pd.DataFrame({"pair": number, "setting": setting, "layer": layer, **values}))
    return pd.concat(pieces, ignore_index=True)
