"""Heads that follow one dependency relation (Clark et al. 2019, section 4.2, table 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.relations import AUX_WITH_TO, MARK_WITHOUT_TO, clark_name, is_infinitive_marker
from bert_attention.corpora.types import Sentence
from bert_attention.papers.clark.columns import ALL_RELATIONS, ALL_WITHOUT_PUNCTUATION, DEPENDENCY_DIRECTIONS
from bert_attention.statistics.held_out import SELECTIONS, Scores, best_of_each, on_halves
from bert_attention.statistics.sums import Sums, ratio

_FEWEST_INSTANCES = 100  # rarer relations have no row
_FEWEST_APART = 20  # relations with fewer words apart from their syntactic heads have no accuracy for such words
_ONLY_IN_ALL = ("root", "punct")
_POSSESSIVE = "poss"
_CASE_MARKERS = ("case", "possessive")  # relations of 's, in Universal and in Stanford Dependencies
_NO_WORD = -2  # a prediction that is never right; -1 is the root

# Types of columns that can be empty.
_APART_TYPES = dict.fromkeys(("apart_layer", "apart_head", "apart_baseline_offset"), "Int64")
_APART_TYPES |= dict.fromkeys(("apart_accuracy", "apart_baseline_accuracy", "apart_gain"), "float64")
_APART_TYPES |= dict.fromkeys(("same_head_apart_accuracy", "same_head_apart_gain"), "float64")

# The analysis as the paper describes it, and as the released notebook computes it: see table().
VARIANTS = ("described", "released")
_OFFSETS = {"described": range(-3, 4), "released": range(-3, 3)}  # offsets of the baseline


def sums(sequence: StoredSequence, sentence: Sentence) -> dict[str, np.ndarray | int]:
    """Return a sentence's sums for each relation: its words, and how many of them get their head.

    Right predictions are counted by variant, for each head in each direction ``[direction, layer, head]`` and for each
    offset ``[offset]``. Names with ``apart/`` count only words whose syntactic head is more than one word away. The
    attention is between words, [CLS] first and [SEP] last.
    """
    predicted = predicted_words(sequence.attention)
    instances = _instances(sentence)
    heads_apart = _heads_apart(sentence)
    apart = {f"apart/{relation}": words[heads_apart[words]] for relation, words in instances.items()}
    counts: dict[str, np.ndarray | int] = {f"n/{relation}": len(words) for relation, words in instances.items()}
    counts |= {f"n_{name}": len(words) for name, words in apart.items()}
    for variant in VARIANTS:
        predictions = {"heads": predicted, "offsets": _at_offsets(len(sentence.words), variant)}
        for system, predicted_heads in predictions.items():
            right = right_predictions(predicted_heads, sentence, variant)
            counted = instances | apart
            counts |= {f"{variant}/{system}/{name}": right[..., words].sum(-1) for name, words in counted.items()}
    return counts


def table(sums: Sums) -> pd.DataFrame:
    """Return table ``clark_dependency_heads``: for each relation the head that predicts it best, and a baseline.

    An attention head predicts the syntactic head of every word. In the direction ``dependent_to_head`` it predicts the
    word to which the dependent attends most. In ``head_to_dependent`` it predicts the word that attends to the
    dependent most. The dependent itself, [CLS] and [SEP] are excluded. The baseline predicts the word at the best fixed
    offset for each relation. ``gain`` is the accuracy minus the baseline's. ``direction_lead`` is the accuracy of the
    best head from dependent to head minus the accuracy of the best head from head to dependent, both chosen as
    ``selection`` says.

    Attention to the next word alone predicts the head of many words. Columns with ``apart_`` are therefore about the
    ``apart_n`` words whose syntactic head is more than one word away, without the root. Both the head and the offset
    are chosen on such words: ``apart_accuracy`` is the accuracy of ``apart_head`` of ``apart_layer`` in
    ``apart_direction``, ``apart_baseline_accuracy`` the accuracy of the offset, and ``apart_gain`` the difference.
    ``same_head_apart_accuracy`` is the accuracy of the row's own head on these words, and ``same_head_apart_gain`` its
    difference from the offset: this head was chosen on all words, so that the offset has the advantage. All of these
    are empty if there are fewer than 20 such words.

    The rows ``all``, which includes punctuation, and ``all_without_punctuation`` come first. Both count the root, which
    no attention head finds. Relations with 100 instances or more follow, the most frequent first. The "to" of an
    infinitive is ``mark`` in Universal Dependencies, but ``aux`` in the paper's Stanford Dependencies. A treebank with
    "to" as ``mark`` has two more rows, ``mark_without_to`` and ``aux_with_to``, which count "to" as the paper does.

    ``selection`` names the sentences on which the head (with its direction) and the offset are chosen. ``chosen`` is
    the share of choices that fall on this head (see :mod:`bert_attention.statistics.held_out`).

    Variant ``described`` has offsets from -3 to 3. If a possessor has the marker 's as a dependent after it, the
    prediction for the marker counts as the possessor's. Ties go to the first layer and head.

    Variant ``released`` follows ``Syntax_Analysis.ipynb``: offsets from -3 to 2, clipped to the sentence and its root.
    A possessor right before the word 's or s' takes that word's prediction, unless its own prediction is the last word
    of the sentence. Ties go to the last layer, head, direction and offset. The notebook stops with an error at a
    possessor that ends its sentence; here its own prediction counts.

    Both variants read the same attention between words; the edition's ``attention.words`` says how wordpieces are
    merged. The released script took each word's attention from its first wordpiece.
    """
    relations, rows = _relations_with_rows(sums.of_all.within("n/")), []
    shape = sums[f"{VARIANTS[0]}/heads/{ALL_RELATIONS}"].shape
    for variant in VARIANTS:
        prefer, by_system = partial(_preference, variant), partial(_accuracies, sums, relations, variant)
        (of_heads, of_heads_apart), (of_offsets, of_offsets_apart) = map(by_system, ("heads", "offsets"))
        reported = Scores(*(np.stack(both, -1) for both in zip(of_heads, of_heads_apart, strict=True)))
        heads = best_of_each(of_heads, prefer(shape), reported)
        of_directions = zip(*(np.split(part, len(DEPENDENCY_DIRECTIONS), -1) for part in of_heads), strict=True)
        from_dependents, from_heads = (best_of_each(Scores(*part), prefer((1, *shape[1:]))) for part in of_directions)
        apart_heads = best_of_each(of_heads_apart, prefer(shape))
        offsets, apart_offsets = (
            best_of_each(part, prefer((len(_OFFSETS[variant]),))) for part in (of_offsets, of_offsets_apart)
        )
        for selection, (index, relation) in product(SELECTIONS, enumerate(relations)):
            head, offset = heads[selection][index], offsets[selection][index]
            from_dependent, from_head = from_dependents[selection][index], from_heads[selection][index]
            apart_head, apart_offset = apart_heads[selection][index], apart_offsets[selection][index]
            accuracy, same_head_apart_accuracy = head.score
            apart = {
                **_named_head(apart_head.system, shape, "apart_"),
                "apart_accuracy": apart_head.score,
                "apart_baseline_offset": _OFFSETS[variant][apart_offset.system],
                "apart_baseline_accuracy": apart_offset.score,
                "apart_gain": apart_head.score - apart_offset.score,
                "same_head_apart_accuracy": same_head_apart_accuracy,
                "same_head_apart_gain": same_head_apart_accuracy - apart_offset.score,
            }
            if sums.of_all[f"n_apart/{relation}"] < _FEWEST_APART:
                apart = dict.fromkeys(apart)
            rows.append(
                {
                    "relation": relation,
                    "selection": selection,
                    "variant": variant,
                    **_named_head(head.system, shape),
                    "chosen": head.share,
                    "accuracy": accuracy,
                    "baseline_offset": _OFFSETS[variant][offset.system],
                    "baseline_accuracy": offset.score,
                    "gain": accuracy - offset.score,
                    "direction_lead": from_dependent.score - from_head.score,
                    **apart,
                    "apart_n": sums[f"n_apart/{relation}"],
                    "n": sums[f"n/{relation}"],
                }
            )
    return pd.DataFrame(rows).astype(_APART_TYPES)


def _named_head(system: int, shape: tuple[int, ...], prefix: str = "") -> dict[str, int | str]:
    """Return the layer, the number and the direction of a head, by the names of their columns."""
    direction, layer, number = np.unravel_index(system, shape)
    named = {"layer": int(layer) + 1, "head": int(number) + 1, "direction": DEPENDENCY_DIRECTIONS[direction]}
    return {f"{prefix}{column}": value for column, value in named.items()}


def _relations_with_rows(counts: Mapping[str, np.ndarray]) -> list[str]:
    """Return the relations that have rows: both rows for all words, then the relations by decreasing frequency."""
    has_infinitives = counts.get("mark", 0) > counts.get(MARK_WITHOUT_TO, 0)
    repeated = () if has_infinitives else (MARK_WITHOUT_TO, AUX_WITH_TO)
    left_out = {ALL_RELATIONS, ALL_WITHOUT_PUNCTUATION, *_ONLY_IN_ALL, *repeated}
    frequent = [name for name in counts if counts[name] >= _FEWEST_INSTANCES and name not in left_out]
    return [ALL_RELATIONS, ALL_WITHOUT_PUNCTUATION, *sorted(frequent, key=lambda name: (-counts[name], name))]


def _accuracies(sums: Sums, relations: Sequence[str], variant: str, system: str) -> tuple[Scores, Scores]:
    """Return the accuracies of all heads or offsets for each relation, ``[split, relation, system]``.

    The first are over all words of a relation, the second over words whose syntactic head is more than one word away.
    """
    of_all, of_apart = (
        sums.together(
            right=[f"{variant}/{system}/{words}{relation}" for relation in relations],
            n=[f"{n}/{relation}" for relation in relations],
        )
        for words, n in (("", "n"), ("apart/", "n_apart"))
    )
    return on_halves(of_all, _accuracy), on_halves(of_apart, _accuracy)


def _accuracy(sums: Sums) -> np.ndarray:
    right, n = sums["right"], sums["n"]
    return ratio(right.reshape(*n.shape, -1), n[..., None])


def _preference(variant: str, shape: tuple[int, ...]) -> np.ndarray | None:
    """Return the order in which ties are decided: in the notebook, the last layer and head come first."""
    last_first = np.arange(np.prod(shape)).reshape(shape[0], -1).T.ravel()[::-1]
    return last_first if variant == "released" else None


def predicted_words(attention: np.ndarray, special: bool = False) -> np.ndarray:
    """Return the word that each head predicts as each word's syntactic head, ``[direction, layer, head, word]``.

    A head never predicts the word itself, and ties go to the first position. The attention
    ``[layer, head, query, key]`` is between words, [CLS] first and [SEP] last. If ``special`` is True, heads can also
    predict [CLS] and [SEP], which both have the number of words as their index.
    """
    positions = attention.shape[-1]
    between = attention.copy()
    between[..., np.arange(positions), np.arange(positions)] = 0
    candidates = slice(None) if special else slice(1, -1)
    found = np.stack([between[..., 1:-1, candidates].argmax(-1), between[..., candidates, 1:-1].argmax(-2)])
    return np.where(found == 0, positions - 1, found) - 1 if special else found


def right_predictions(predictions: np.ndarray, sentence: Sentence, variant: str) -> np.ndarray:
    """Return True where a prediction ``[..., word]`` is right, by the rules for possessors of :func:`table`."""
    markers = markers_beside(sentence) if variant == "released" else possessive_markers(sentence)
    counted = predictions[..., [markers.get(index, index) for index in range(len(sentence.words))]]
    if variant == "released":  # a possessor whose own prediction is the sentence's last word keeps it
        counted = np.where(predictions == len(sentence.words) - 1, predictions, counted)
    return counted == np.array([word.head - 1 for word in sentence.words])


def possessive_markers(sentence: Sentence) -> dict[int, int]:
    """Return the index of each possessor's marker: a case marker that depends on the possessor and comes after it.

    In Universal and in Stanford Dependencies, 's depends on the possessor. No other English word marks case from
    behind.
    """
    markers = {}
    for index, word in enumerate(sentence.words):
        possessor = word.head - 1
        follows = 0 <= possessor < index
        if follows and word.relation in _CASE_MARKERS and _is_possessor(sentence, possessor):
            markers.setdefault(possessor, index)
    return markers


def markers_beside(sentence: Sentence) -> dict[int, int]:
    """Return the index of the next word for each possessor before 's or s'."""
    next_forms = enumerate(sentence.forms[1:])
    return {index: index + 1 for index, form in next_forms if form in ("'s", "s'") and _is_possessor(sentence, index)}


def _is_possessor(sentence: Sentence, index: int) -> bool:
    return clark_name(sentence.words[index].relation) == _POSSESSIVE


def _at_offsets(words: int, variant: str) -> np.ndarray:
    """Return the index of the word that each offset predicts for each word, ``[offset, word]``."""
    found = np.arange(words) + np.array(_OFFSETS[variant])[:, None]
    if variant == "released":  # offsets before the sentence predict the root, offsets after it the last word
        return found.clip(-1, words - 1)
    return np.where((found < 0) | (found >= words), _NO_WORD, found)


def _instances(sentence: Sentence) -> dict[str, np.ndarray]:
    """Return the indices of the words that each relation of the table counts."""
    relations = np.array([word.relation for word in sentence.words])
    is_to = np.array([is_infinitive_marker(word.form, word.relation) for word in sentence.words])
    masks = {ALL_RELATIONS: np.ones(len(relations), dtype=bool), ALL_WITHOUT_PUNCTUATION: relations != "punct"}
    masks |= {name: relations == name for name in dict.fromkeys(relations.tolist())}
    masks |= {MARK_WITHOUT_TO: (relations == "mark") & ~is_to, AUX_WITH_TO: (relations == "aux") | is_to}
    return {name: np.flatnonzero(mask) for name, mask in masks.items() if mask.any()}


def _heads_apart(sentence: Sentence) -> np.ndarray:
    """Return True for the words, ``[word]``, whose syntactic head is more than one word away; False for the root."""
    heads = np.array([word.head for word in sentence.words])
    return (heads > 0) & (np.abs(heads - np.arange(1, len(heads) + 1)) > 1)
