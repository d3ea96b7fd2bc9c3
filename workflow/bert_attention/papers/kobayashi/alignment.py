"""Word alignment from a translation model's cross-attention (Kobayashi et al. 2020, section 5).

Each target word is linked to the source word with the highest value. If a special token has the highest value, the
target word has no link. Systems differ in:

- method: attention weights, or norms of weighted vectors;
- heads: one head, or all heads of a layer together;
- setting: rows whose input is the target word (``awi``, alignment with input), or rows that predict the target word
  (``awo``, alignment with output).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from bert_attention.attention.cross_attention_maps import CrossAttentionMaps
from bert_attention.corpora.alignments import diagonal_links
from bert_attention.corpora.types import AlignedPair
from bert_attention.heads import cell_table
from bert_attention.statistics.held_out import best
from bert_attention.statistics.jackknife import Replicates, over_seeds, stacked, tabulated
from bert_attention.statistics.sums import Sums, ratio

SETTINGS = ("awi", "awo")
METHODS = ("weight", "norm")
NO_LINK = -1

_NO_WORD = -1
_SUMMARY = ("statistic", "selection", "setting", "method", "layer", "head", "value", "chosen", "n")
_EXAMPLES = 2  # pairs to show
_WORDS = (6, 10)  # fewest and most words of a sentence that fits the figure
_LETTERS = 11  # most letters of a word that fits the figure


def alignment_tables(
    pairs: Sequence[AlignedPair], maps_of: Callable[[Sequence[AlignedPair]], Iterable[CrossAttentionMaps]]
) -> dict[str, Replicates]:
    """Return the tables ``kobayashi_alignment``, its ``_summary`` and its ``_examples`` of one model, by name.

    ``maps_of`` runs the model over some pairs. It is called for all pairs, and again for the examples, so that no maps
    have to be kept in memory.
    """
    tables = tabulated(table, Sums.of(map(sums, pairs, maps_of(pairs)), range(len(pairs))))
    shown = [pairs[index] for index in example_pairs(pairs)]
    examples = alignment_examples(shown, maps_of(shown), tables["kobayashi_alignment"].whole)
    return {**tables, "kobayashi_alignment_examples": Replicates(examples)}


def tables_of_models(by_seed: Mapping[tuple[str, int | None], Mapping[str, Replicates]]) -> dict[str, Replicates]:
    """Join the tables of all models by name, with the column ``model``.

    Models trained with different seeds have unrelated heads, so the column ``seed`` distinguishes their rows. In the
    summary, values are means over a model's seeds, and ``seeds`` is the number of seeds. Over several seeds, ``layer``
    is also a mean, and ``head`` is empty. The keys of ``by_seed`` are a model's name and the seed of its training,
    which is None if unknown.
    """
    tables, summaries = defaultdict(list), defaultdict(list)
    for (model, seed), model_tables in by_seed.items():
        for name, table in model_tables.items():
            if name == "kobayashi_alignment_summary":
                summaries[model].append(table)
            else:
                tables[name].append(_with_columns(table, model=model, seed=seed))
    for model, seeds in summaries.items():
        no_head = {"head": None} if len(seeds) > 1 else {}
        summary = _with_columns(over_seeds(seeds), model=model, seeds=len(seeds), **no_head)
        tables["kobayashi_alignment_summary"].append(summary)
    return {name: stacked(model_tables) for name, model_tables in tables.items()}


def _with_columns(table: Replicates, **columns: str | int | None) -> Replicates:
    types = {name: "Int64" for name in columns if name != "model"}
    return table.with_rows(lambda rows: rows.assign(**columns).astype(types))


def sums(pair: AlignedPair, maps: CrossAttentionMaps) -> dict[str, np.ndarray | int]:
    """Return a pair's sums: the agreement of every system's links with the gold links.

    Systems are ``[setting, method, layer, 1 + head]``, in the order of ``SETTINGS`` and ``METHODS``. Index 0 of the
    last axis is all heads of the layer together. With links A of a system and gold links, S sure and P possible,
    ``found`` is ``|A & S| + |A & P|`` and ``total`` is ``|A| + |S|``. For the diagonal baseline, both are numbers.
    ``norms`` is the sum of ``||alpha f_h(x_j)||`` over all ``cells`` between subwords, special tokens included,
    ``[layer, head]``. Raise ValueError if the maps do not fit the words of the pair.
    """
    gold = _gold_values(pair)
    links = linked_words(word_maps(maps), len(pair.source))
    if (maps.source_words.max() + 1, links.shape[-1]) != (len(pair.source), len(pair.target)):
        raise ValueError(f"the maps of the pair {' '.join(pair.source)!r} do not fit its words")
    diagonal = diagonal_links(pair)
    return {
        "found": gold[np.arange(len(gold)), links].sum(-1),
        "total": (links != NO_LINK).sum(-1) + len(pair.sure),
        "diagonal_found": sum(gold[target, source] for source, target in diagonal),
        "diagonal_total": len(diagonal) + len(pair.sure),
        "norms": (maps.attention.sum(2, dtype=np.float64) * maps.value_norms).sum(-1),
        "cells": maps.attention[0, 0].size,
        "pairs": 1,
    }


def word_maps(maps: CrossAttentionMaps) -> np.ndarray:
    """Return values between words by setting and method, ``[setting, method, layer, 1 + head, target, source]``.

    All heads of a layer together (index 0) have ``mean_h alpha`` and ``||sum_h alpha f_h(x_j)||``. Values are summed
    over the subwords of a source word and averaged over those of a target word, as in the released code. Special tokens
    of the source follow its words, with one column each. Special tokens of the target are left out. Raise ValueError if
    a target word has no row.
    """
    weights = np.concatenate([maps.attention.mean(1, keepdims=True), maps.attention], axis=1)
    head_norms = maps.attention * maps.value_norms[:, :, None, :]
    norms = np.concatenate([maps.summed_norms[:, None], head_norms], axis=1)
    words, specials = maps.source_words.max() + 1, np.flatnonzero(maps.source_words < 0)
    columns = maps.source_words.copy()
    columns[specials] = words + np.arange(len(specials))
    to_words = np.stack([weights, norms]) @ _membership(columns, words + len(specials)).T
    input_words = np.concatenate([[_NO_WORD], maps.target_words[:-1]])  # row t reads the word that row t - 1 predicts
    row_words = {"awi": input_words, "awo": maps.target_words}
    rows = np.stack([_membership(row_words[setting], maps.target_words.max() + 1) for setting in SETTINGS])
    subwords = rows.sum(-1, keepdims=True)
    if not subwords.all():
        raise ValueError("the attention has no row for a target word")
    return (rows / subwords)[:, None, None, None] @ to_words


def _membership(words: np.ndarray, count: int) -> np.ndarray:
    """Return the subwords of each word, ``[word, subword]`` of 0 and 1."""
    return (words == np.arange(count)[:, None]).astype(np.float32)


def linked_words(between_words: np.ndarray, source_words: int) -> np.ndarray:
    """Return the source word linked to each target word, ``[..., target]``; ``NO_LINK`` if it is a special token.

    ``between_words`` is ``[..., target, source]``. Its first ``source_words`` columns are words, the others special
    tokens.
    """
    most = between_words.argmax(-1)
    return np.where(most < source_words, most, NO_LINK)


def _gold_values(pair: AlignedPair) -> np.ndarray:
    """Return each link's value: 2 if sure, 1 if possible, else 0; ``[target, source + 1]``, last column: no link."""
    gold = np.zeros((len(pair.target), len(pair.source) + 1), dtype=np.int64)
    for value, links in ((1, pair.possible), (2, pair.sure)):
        for source, target in links:
            gold[target, source] = value
    return gold


def table(sums: Sums) -> dict[str, pd.DataFrame]:
    """Return the tables of one model, by name: :func:`alignment` and :func:`alignment_summary`."""
    return {"kobayashi_alignment": alignment(sums), "kobayashi_alignment_summary": alignment_summary(sums)}


def alignment(sums: Sums) -> pd.DataFrame:
    """Return table ``kobayashi_alignment`` of one model: the alignment error rate of every layer and head.

    The rate of a system is ``1 - found / total``, each summed over pairs. ``head`` is empty for all heads of a layer
    together. ``mean_norm`` is the mean of ``||alpha f_h(x_j)||`` over all cells, and for a layer also over heads. It is
    the same in all settings and methods. ``n`` counts pairs.
    """
    rates = _error_rates(sums)
    axes = {"setting": SETTINGS, "method": METHODS, "layer": 1, "head": 0}
    table = cell_table(axes, aer=rates, mean_norm=_mean_norms(sums), n=sums["pairs"])
    return table.assign(head=table["head"].astype("Int64").replace(0, pd.NA))


def alignment_summary(sums: Sums) -> pd.DataFrame:
    """Return table ``kobayashi_alignment_summary`` of one model: the statistics of the paper's table and appendix.

    ``value`` is the alignment error rate of the system that ``statistic`` names:

    - ``layer``: each layer, all heads together; ``layer_mean``: the mean over layers;
    - ``best_layer``, ``best_head``: the layer or head with the lowest rate. ``selection`` is ``same_data`` if it is
      chosen and scored on the same pairs, as in the paper. With ``held_out``, it is chosen on one half of the pairs and
      scored on the other (see :mod:`bert_attention.statistics.held_out`). ``chosen`` is its share of the choices;
    - ``layer_mean_minus_weight``, ``best_layer_minus_weight``: the rate of norms minus that of weights (negative: norms
      align better), each with its own best layer, chosen and scored on the same pairs;
    - ``highest_norm_layer``, ``highest_norm_head``: the layer or head with the highest mean norm;
    - ``diagonal``: the diagonal baseline, which has no setting or method.

    For ``spearman`` and ``pearson``, ``value`` is the correlation of mean norm with alignment error rate over heads.
    ``n`` counts pairs, or heads for correlations.
    """
    rows = [{"statistic": "diagonal", "value": 1 - ratio(sums["diagonal_found"], sums["diagonal_total"])}]
    for setting, method in np.ndindex(len(SETTINGS), len(METHODS)):
        identity = {"setting": SETTINGS[setting], "method": METHODS[method]}
        rows += [identity | row for row in _statistics(sums, setting, method)]
    summary = pd.DataFrame(rows, columns=_SUMMARY).fillna({"n": sums["pairs"]})
    return summary.astype({"layer": float, "head": "Int64", "value": float, "chosen": float, "n": int})


def _statistics(sums: Sums, setting: int, method: int) -> Iterator[dict[str, object]]:
    """Yield the rows of one setting and method."""
    rates, mean_norms = _error_rates(sums)[setting, method], _mean_norms(sums)
    by_norm = METHODS[method] == "norm"
    yield from ({"statistic": "layer", "layer": layer, "value": rate} for layer, rate in enumerate(rates[:, 0], 1))
    yield {"statistic": "layer_mean", "value": rates[:, 0].mean()}
    flat_indices = np.arange(rates.size).reshape(rates.shape)
    for unit, systems in (("layer", flat_indices[:, 0]), ("head", flat_indices[:, 1:].ravel())):

        def score(split_sums: Mapping[str, np.ndarray], systems: np.ndarray = systems) -> np.ndarray:
            scores = -_error_rates(split_sums)[:, setting, method]
            return scores.reshape(len(scores), -1)[:, systems]

        for selection, choice in best(sums, score).items():
            row = {"statistic": f"best_{unit}", "selection": selection, "value": -choice.score, "chosen": choice.share}
            yield row | _layer_and_head(systems[choice.system], rates)
        if by_norm:
            highest = systems[mean_norms.ravel()[systems].argmax()]
            yield {"statistic": f"highest_norm_{unit}", "value": rates.flat[highest]} | _layer_and_head(highest, rates)
    if by_norm:
        heads = pd.DataFrame({"norm": mean_norms[:, 1:].ravel(), "aer": rates[:, 1:].ravel()})
        for name in ("spearman", "pearson"):
            yield {"statistic": name, "value": heads.corr(method=name).loc["norm", "aer"], "n": len(heads)}
        norm, weight = rates[:, 0], _error_rates(sums)[setting, METHODS.index("weight"), :, 0]
        yield {"statistic": "layer_mean_minus_weight", "value": norm.mean() - weight.mean()}
        yield {"statistic": "best_layer_minus_weight", "value": norm.min() - weight.min()}


def _layer_and_head(system: int, rates: np.ndarray) -> dict[str, int | None]:
    """Return the numbers, from 1, of a layer or head by its flat index among all systems."""
    layer, head = np.unravel_index(system, rates.shape)
    return {"layer": layer + 1, "head": head or None}


def _error_rates(sums: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return rates ``[..., setting, method, layer, 1 + head]``; NaN if there are neither links nor sure gold links."""
    return 1 - ratio(sums["found"], sums["total"])


def _mean_norms(sums: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return mean norms ``[layer, 1 + head]``, in the order of the systems; a layer has the mean over its heads."""
    head_norms = sums["norms"] / sums["cells"]
    return np.concatenate([head_norms.mean(1, keepdims=True), head_norms], axis=1)


def example_pairs(pairs: Sequence[AlignedPair]) -> list[int]:
    """Return the indices of the two pairs to show as examples.

    These are the first two distinct pairs with 6 to 10 words of at most 11 letters on both sides, and with links that
    cross. If there are too few, pairs without crossing links follow, then pairs of the nearest size.
    """
    order = sorted(
        range(len(pairs)), key=lambda index: (_size_excess(pairs[index]), not _links_cross(pairs[index]), index)
    )
    distinct: dict[tuple, int] = {}
    for index in order:
        distinct.setdefault((pairs[index].source, pairs[index].target), index)
    return list(distinct.values())[:_EXAMPLES]


def _size_excess(pair: AlignedPair) -> int:
    """Return the number of words and letters by which a pair is too long or too short for the figure."""
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
    """Return table ``kobayashi_alignment_examples`` of one model: the values of one layer in a few pairs.

    The setting and layer have the lowest alignment error rate by norm, all heads together. Each row is a target word
    and a source word or special token. ``pair`` and the words' numbers count from 1, and special tokens follow the
    words. ``gold`` is ``sure``, ``possible`` or ``none``.
    """
    layers = kobayashi_alignment[(kobayashi_alignment["method"] == "norm") & kobayashi_alignment["head"].isna()]
    setting, layer = layers.loc[layers["aer"].idxmin(), ["setting", "layer"]]
    tables = []
    for number, (pair, pair_maps) in enumerate(zip(pairs, maps, strict=True), start=1):
        weight, norm = word_maps(pair_maps)[SETTINGS.index(setting), :, layer - 1, 0]
        specials = (
            token for token, word in zip(pair_maps.source_tokens, pair_maps.source_words, strict=True) if word < 0
        )
        columns = np.array([*pair.source, *specials])
        gold = np.zeros(weight.shape, dtype=np.int64)
        gold[:, : len(pair.source)] = _gold_values(pair)[:, :-1]
        cells = cell_table(
            {"target": 1, "source": 1},
            target_word=np.array(pair.target)[:, None],
            source_word=columns,
            weight=weight,
            norm=norm,
            gold=np.take(("none", "possible", "sure"), gold),
        )
        tables.append(cells.assign(pair=number, setting=setting, layer=layer))
    return pd.concat(tables, ignore_index=True)
