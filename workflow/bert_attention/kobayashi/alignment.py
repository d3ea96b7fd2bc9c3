"""Word alignment from a translation model's cross-attention (Kobayashi et al. 2020, section 5).

Each target word is linked to the source word from which it takes most; if that is a special token, it has no link.
Links are read off attention weights or off norms of weighted vectors (method); off one head or off all heads of a layer
together; and off the rows whose input is the target word (setting ``awi``, alignment with input) or those that predict
it (``awo``, alignment with output).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bert_attention.attention.cross_attention_maps import CrossAttentionMaps
from bert_attention.corpora.alignments import diagonal_links
from bert_attention.corpora.types import AlignedPair
from bert_attention.statistics.intervals import bootstrap_interval
from bert_attention.statistics.old_held_out import Choice, choices, second_half

SETTINGS = ("awi", "awo")
METHODS = ("weight", "norm")
NO_LINK = -1

_NO_WORD = -1
_SUMMARY = ("statistic", "selection", "setting", "method", "layer", "head", "other_layer", "other_head")
_SUMMARY += ("value", "low", "high", "n")
_EXAMPLES = 2  # pairs to show
_WORDS = (6, 10)  # fewest and most words of a sentence that fits the figure
_LETTERS = 11  # most letters of a word that fits


@dataclass(frozen=True)
class LinkCounts:
    """How the links of every system agree with gold, by pair of sentences.

    Systems are ``[setting, method, layer, 1 + head]``, in the order of ``SETTINGS`` and ``METHODS``; index 0 of the
    last axis is all heads of the layer together. With links A of a system and gold links, S sure and P possible,
    the alignment error rate is ``1 - found / total``, each summed over pairs.

    Attributes
    ----------
    found
        ``|A & S| + |A & P|``, ``[pair, setting, method, layer, 1 + head]``.
    total
        ``|A| + |S|``, of the same shape.
    diagonal_found, diagonal_total
        The same for the diagonal baseline, ``[pair]``.
    mean_norms
        Mean ``||alpha f_h(x_j)||``, ``[layer, head]``, over all cells between subwords of all pairs, special tokens
        included.
    """

    found: np.ndarray
    total: np.ndarray
    diagonal_found: np.ndarray
    diagonal_total: np.ndarray
    mean_norms: np.ndarray


def alignment_tables(
    pairs: Sequence[AlignedPair], maps_of: Callable[[Sequence[AlignedPair]], Iterable[CrossAttentionMaps]], seed: int
) -> dict[str, pd.DataFrame]:
    """The tables ``kobayashi_alignment``, its ``_summary`` and its ``_examples`` of one model, by name.

    Parameters
    ----------
    maps_of
        Runs the model over some pairs: first over all, then again over those to show, so that no maps are kept.
    """
    counts = count_links(pairs, maps_of(pairs))
    table = alignment(counts, seed)
    shown = [pairs[place] for place in example_pairs(pairs)]
    examples = alignment_examples(shown, maps_of(shown), table)
    return {
        "kobayashi_alignment": table,
        "kobayashi_alignment_summary": alignment_summary(counts, seed),
        "kobayashi_alignment_examples": examples,
    }


def tables_of_models(by_seed: Mapping[tuple[str, int | None], Mapping[str, pd.DataFrame]]) -> dict[str, pd.DataFrame]:
    """Join the tables of all models by name, and add the columns ``model`` and ``seed``.

    Parameters
    ----------
    by_seed
        The tables of each model by its name and the seed of its training, which is None where it is not known.
    """
    names = next(iter(by_seed.values()))
    return {
        name: pd.concat(
            [tables[name].assign(model=model, seed=seed) for (model, seed), tables in by_seed.items()],
            ignore_index=True,
        ).astype({"seed": "Int64"})
        for name in names
    }


def count_links(pairs: Sequence[AlignedPair], maps: Iterable[CrossAttentionMaps]) -> LinkCounts:
    """Align pairs by every system, and compare the links with gold.

    Parameters
    ----------
    maps
        The maps of each pair, in order; read once.

    Raises
    ------
    ValueError
        If there are no pairs, not as many maps as pairs, or maps that do not fit the words of a pair.
    """
    by_pair, by_pair_diagonal = [], []
    norms, cells = 0.0, 0
    for pair, of_pair in zip(pairs, maps, strict=True):
        gold = _gold_values(pair)
        links = linked_words(word_maps(of_pair), len(pair.source))
        if (of_pair.source_words.max() + 1, links.shape[-1]) != (len(pair.source), len(pair.target)):
            raise ValueError(f"the maps of the pair {' '.join(pair.source)!r} do not fit its words")
        by_pair.append(_agreement(links, gold))
        by_pair_diagonal.append(_agreement(_diagonal_baseline(pair), gold))
        norms = norms + (of_pair.attention.sum(2, dtype=np.float64) * of_pair.value_norms).sum(-1)
        cells += of_pair.attention[0, 0].size
    if not by_pair:
        raise ValueError("there are no pairs to align")
    found, total = map(np.stack, zip(*by_pair, strict=True))
    diagonal_found, diagonal_total = map(np.array, zip(*by_pair_diagonal, strict=True))
    return LinkCounts(found, total, diagonal_found, diagonal_total, norms / cells)


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


def alignment(counts: LinkCounts, seed: int) -> pd.DataFrame:
    """Table ``kobayashi_alignment`` of one model: the alignment error rate of every layer and head.

    ``head`` is empty for all heads of a layer together. ``mean_norm`` is that of :class:`LinkCounts`, for a layer its
    mean over heads; it is the same in all settings and methods. ``low`` and ``high`` bound the 95 % bootstrap interval
    over pairs; ``n`` counts pairs.

    Parameters
    ----------
    seed
        Seed of the resamples.
    """
    rates, low, high = _error_rates(counts.found, counts.total, seed)
    setting, method, layer, head = np.indices(rates.shape)
    mean_norms = np.concatenate([counts.mean_norms.mean(1, keepdims=True), counts.mean_norms], axis=1)
    columns = {"aer": rates, "low": low, "high": high, "mean_norm": np.broadcast_to(mean_norms, rates.shape)}
    return pd.DataFrame(
        {
            "setting": np.take(SETTINGS, setting.ravel()),
            "method": np.take(METHODS, method.ravel()),
            "layer": layer.ravel() + 1,
            "head": pd.Series(head.ravel(), dtype="Int64").replace(0, pd.NA),
            **{name: values.ravel() for name, values in columns.items()},
            "n": len(counts.found),
        }
    )


def alignment_summary(counts: LinkCounts, seed: int) -> pd.DataFrame:
    """Table ``kobayashi_alignment_summary`` of one model: the statistics of the paper's table and appendix.

    ``value`` is the alignment error rate of what ``statistic`` names:

    - ``layer_mean``: the mean over layers;
    - ``best_layer``, ``best_head``: the one with the lowest rate, chosen and scored on the same pairs as in the paper
      (``selection`` is ``same_data``), or chosen on one half of the pairs and scored on the other (``held_out``; see
      :mod:`bert_attention.statistics.held_out`);
    - ``highest_norm_layer``, ``highest_norm_head``: the one with the highest mean norm;
    - ``diagonal``: the diagonal baseline, which has no setting or method.

    For ``spearman`` and ``pearson``, it is the correlation of mean norm with alignment error rate over the heads.
    ``low`` and ``high`` bound the 95 % bootstrap interval over pairs if one system or choice is scored; ``n`` counts
    pairs, or heads for correlations.

    Parameters
    ----------
    seed
        Seed of the halves and the resamples.
    """
    rows = [_score_columns(counts.diagonal_found, counts.diagonal_total, seed) | {"statistic": "diagonal"}]
    for setting, method in np.ndindex(len(SETTINGS), len(METHODS)):
        identity = {"setting": SETTINGS[setting], "method": METHODS[method]}
        found, total = counts.found[:, setting, method], counts.total[:, setting, method]
        rows += [identity | row for row in _statistics(found, total, counts.mean_norms, METHODS[method], seed)]
    numbers = dict.fromkeys(("layer", "head", "other_layer", "other_head"), "Int64")
    return pd.DataFrame(rows, columns=_SUMMARY).astype(numbers)


def _statistics(
    found: np.ndarray, total: np.ndarray, mean_norms: np.ndarray, method: str, seed: int
) -> Iterator[dict[str, object]]:
    """The rows of one setting and method, from counts ``[pair, layer, 1 + head]``."""
    rates = 1 - _shares(found.sum(0), total.sum(0))
    second = second_half(len(found), seed)
    yield {"statistic": "layer_mean", "value": rates[:, 0].mean(), "n": len(found)}
    for unit in ("layer", "head"):
        systems = _Systems.of(unit, found, total, mean_norms)
        for selection, choice in systems.best_choices(second).items():
            yield {"statistic": f"best_{unit}", "selection": selection} | systems.score_columns(choice, second, seed)
        if method == "norm":
            highest = int(systems.mean_norms.argmax())
            yield {"statistic": f"highest_norm_{unit}"} | systems.score_columns(Choice(highest, highest), second, seed)
    if method == "norm":
        heads = pd.DataFrame({"norm": mean_norms.ravel(), "aer": rates[:, 1:].ravel()})
        for name in ("spearman", "pearson"):
            yield {"statistic": name, "value": heads.corr(method=name).loc["norm", "aer"], "n": len(heads)}


@dataclass(frozen=True)
class _Systems:
    """The layers, or the heads, of one setting and method: their numbers from 1 and counts ``[pair, system]``."""

    numbers: list[dict[str, int]]
    found: np.ndarray
    total: np.ndarray
    mean_norms: np.ndarray

    @classmethod
    def of(cls, unit: str, found: np.ndarray, total: np.ndarray, mean_norms: np.ndarray) -> _Systems:
        pairs = len(found)
        if unit == "layer":
            numbers = [{"layer": layer + 1} for layer in range(len(mean_norms))]
            return cls(numbers, found[..., 0], total[..., 0], mean_norms.mean(1))
        numbers = [{"layer": layer + 1, "head": head + 1} for layer, head in np.ndindex(mean_norms.shape)]
        return cls(numbers, found[..., 1:].reshape(pairs, -1), total[..., 1:].reshape(pairs, -1), mean_norms.ravel())

    def best_choices(self, second: np.ndarray) -> dict[str, Choice]:
        """By selection, the systems with the lowest error rate; ``second`` masks the second half of the pairs."""
        on_all, on_first, on_second = (
            _shares(self.found[some].sum(0), self.total[some].sum(0)) for some in (slice(None), ~second, second)
        )
        return choices(on_all, on_first, on_second if second.any() else None)

    def score_columns(self, choice: Choice, second: np.ndarray, seed: int) -> dict[str, object]:
        """The columns of a choice, scored on all pairs."""
        every = np.arange(len(self.found)), choice.scored(second)
        return choice.columns(self.numbers.__getitem__) | _score_columns(self.found[every], self.total[every], seed)


def _score_columns(found: np.ndarray, total: np.ndarray, seed: int) -> dict[str, float]:
    """The columns of one system, from its counts ``[pair]``."""
    rates = _error_rates(found, total, seed)
    return {**dict(zip(("value", "low", "high"), map(float, rates), strict=True)), "n": len(found)}


def _error_rates(found: np.ndarray, total: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Alignment error rates, and the bounds of their intervals, from counts ``[pair, ...]``."""
    shape = found.shape[1:]
    lowest, highest = bootstrap_interval(found.reshape(len(found), -1), total.reshape(len(total), -1), seed)
    return 1 - _shares(found.sum(0), total.sum(0)), 1 - highest.reshape(shape), 1 - lowest.reshape(shape)


def _shares(found: np.ndarray, total: np.ndarray) -> np.ndarray:
    """``found / total``; 0 where ``total`` is 0, that is, where there are no links and no sure gold links."""
    return np.divide(found, total, out=np.zeros(np.shape(found)), where=np.asarray(total) > 0)


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
