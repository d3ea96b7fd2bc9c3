"""Example sentences for the pictures of attention (Clark et al. 2019, figures 1 and 5), chosen by rule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from bert_attention.clark.dependency_heads import ALL, DIRECTIONS, possessive_markers
from bert_attention.conllu import Sentence
from bert_attention.store import StoredSequence

# The relations of figure 5 in Stanford and in Universal Dependencies. The pair of a preposition and its object is the
# same in both, though one has the object depend on the preposition, the other the preposition on the object.
FIGURE_5_RELATIONS = (
    ("dobj", "obj"),
    ("det",),
    ("poss", "nmod:poss"),
    ("auxpass", "aux:pass"),
    ("pobj", "case"),
)
SENTENCES = 2  # of each relation
_WORDS = (5, 12)  # as many has a sentence, at least and at most: what fits the figure
_LETTERS = 12  # as many has a word, at most

WINDOW = 15  # tokens at the end of a segment, as in figure 1


def examples(
    sequences: Iterable[StoredSequence], treebank: Sequence[Sentence], clark_dependency_heads: pd.DataFrame
) -> pd.DataFrame:
    """Table ``clark_examples``: the best heads' attention in two sentences of each relation of figure 5.

    The sentences are the first two of the treebank that have 5 to 12 words of at most 12 letters, differ, and hold the
    relation twice or more; where there are too few, those that hold it once follow, then those nearest to that size.
    Attention does not enter the choice. As in the released notebook, [SEP] is left out and each row made to sum to one.
    Where the table has none of the relations, its best head for all stands alone.

    Parameters
    ----------
    sequences
        Attention between words, in the order of ``treebank``; read for the chosen sentences alone.
    clark_dependency_heads
        The table; its best heads on the same data are taken.

    Returns
    -------
    A row for each pair of words: ``relation``, ``layer``, ``head``, ``direction``, ``sentence`` (from 1), ``query`` and
    ``key`` (the words' numbers; [CLS] is 0), ``query_word``, ``key_word``, ``weight``, and ``gold``: whether the pair
    is a dependent of that relation, or the 's that marks it, and its head; in the head's direction.
    """
    best = clark_dependency_heads.query("selection == 'same_data' and variant == 'described'").set_index("relation")
    wanted = [name for names in FIGURE_5_RELATIONS for name in names if name in best.index] or [ALL]
    chosen = {relation: _choose_sentences(treebank, relation) for relation in wanted}
    pieces = {}
    for place, (sequence, sentence) in enumerate(zip(sequences, treebank, strict=True)):
        showing = [relation for relation in wanted if place in chosen[relation]]
        attention = sequence.attention if showing else None
        for relation in showing:
            layer, head, direction = best.loc[relation, ["layer", "head", "direction"]]
            words = ["[CLS]", *sentence.forms]
            rows = _pairs(attention[layer - 1, head - 1, :-1, :-1], words)
            rows["gold"] = _gold_pairs(sentence, relation, direction).ravel()
            identity = {"relation": relation, "layer": layer, "head": head, "direction": direction}
            pieces[relation, place] = _labelled(rows, **identity, sentence=place + 1)
    ordered = [pieces[relation, place] for relation in wanted for place in chosen[relation]]
    return pd.concat(ordered, ignore_index=True)


def pattern_examples(
    sequences: Iterable[StoredSequence],
    vocabulary: Sequence[str],
    clark_positions: pd.DataFrame,
    clark_entropy: pd.DataFrame,
) -> pd.DataFrame:
    """Table ``clark_pattern_examples``: a head for each behaviour of figure 1, at the end of one segment.

    The heads are those with the highest entropy (``broad``) and with the most attention to the next token, to [SEP] and
    to periods and commas. The segment is the first with two periods or commas among its last 15 tokens, which are
    shown, each row made to sum to one over them; or the first at all.

    Parameters
    ----------
    sequences
        Attention between wordpieces.
    vocabulary
        The wordpiece of each token id.

    Returns
    -------
    A row for each pair of tokens: ``behaviour``, ``layer``, ``head``, ``sequence`` (from 1), ``query`` and ``key``
    (places in the segment from 0), ``query_word``, ``key_word``, ``weight``.
    """
    broad = clark_entropy[clark_entropy["source"] == "all"].nlargest(1, "entropy")
    heads = {"broad": broad.iloc[0]}
    for target in ("next", "sep", "punctuation"):
        heads[target] = clark_positions[clark_positions["target"] == target].nlargest(1, "attention").iloc[0]
    place, sequence = _choose_segment(sequences)
    words = [vocabulary[token] for token in sequence.token_ids[-WINDOW:]]
    attention = sequence.attention[..., -WINDOW:, -WINDOW:]
    first = len(sequence.token_ids) - len(words)
    pieces = []
    for behaviour, head in heads.items():
        rows = _pairs(attention[head["layer"] - 1, head["head"] - 1], words)
        rows[["query", "key"]] += first
        identity = {"behaviour": behaviour, "layer": head["layer"], "head": head["head"]}
        pieces.append(_labelled(rows, **identity, sequence=place + 1))
    return pd.concat(pieces, ignore_index=True)


def _choose_sentences(treebank: Sequence[Sentence], relation: str) -> list[int]:
    """Places of the sentences that show a relation."""
    candidates: dict[tuple[str, ...], tuple[int, int, int]] = {}
    for place, sentence in enumerate(treebank):
        instances = min(len(_dependents(sentence, relation)), 2)
        if instances:
            candidates.setdefault(sentence.forms, (_misfit(sentence), -instances, place))
    return [place for *_, place in sorted(candidates.values())[:SENTENCES]]


def _misfit(sentence: Sentence) -> int:
    """By how many words and letters a sentence misses what fits the figure."""
    words, letters = len(sentence.words), max(map(len, sentence.forms))
    return max(_WORDS[0] - words, 0) + max(words - _WORDS[1], 0) + max(letters - _LETTERS, 0)


def _dependents(sentence: Sentence, relation: str) -> list[int]:
    """Places of the dependents of a relation, or of all."""
    words = enumerate(sentence.words)
    return [place for place, word in words if word.head and relation in (word.relation, ALL)]


def _choose_segment(sequences: Iterable[StoredSequence]) -> tuple[int, StoredSequence]:
    """The segment that shows the patterns, with its place."""
    first = None
    for place, sequence in enumerate(sequences):
        first = first or (place, sequence)
        if sequence.categories["punctuation"][-WINDOW:].sum() >= 2:
            return place, sequence
    return first


def _pairs(attention: np.ndarray, words: Sequence[str]) -> pd.DataFrame:
    """A row for each pair of words, with weights that sum to one over the keys."""
    weights = attention.astype(np.float64)
    weights = weights / np.maximum(weights.sum(-1, keepdims=True), np.finfo(np.float16).tiny)
    query, key = (places.ravel() for places in np.indices(weights.shape))
    named = np.array(words, dtype=object)
    columns = {"query": query, "key": key, "query_word": named[query], "key_word": named[key]}
    return pd.DataFrame(columns | {"weight": weights.ravel()})


def _gold_pairs(sentence: Sentence, relation: str, direction: str) -> np.ndarray:
    """A mask ``[query, key]``, [CLS] at 0: where a head of this direction should attend to for the relation."""
    markers = possessive_markers(sentence)
    pairs = np.zeros((len(sentence.words) + 1,) * 2, dtype=bool)
    for place in _dependents(sentence, relation):
        pairs[markers.get(place, place) + 1, sentence.words[place].head] = True
    return pairs if direction == DIRECTIONS[0] else pairs.T


def _labelled(rows: pd.DataFrame, **columns: object) -> pd.DataFrame:
    """The rows behind columns of one value each."""
    return pd.concat([pd.DataFrame(columns, index=rows.index), rows], axis=1)
