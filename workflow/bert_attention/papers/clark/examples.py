"""Examples for the attention maps of Clark et al. 2019, figures 1 and 5, chosen by fixed rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.types import Document, Sentence
from bert_attention.errors import InputError
from bert_attention.papers.clark.columns import (
    ALL_RELATIONS,
    COREFERENCE_DIRECTIONS,
    DEPENDENCY_DIRECTIONS,
    relations_of_figure_5,
)
from bert_attention.papers.clark.coreference import Anaphora, find_anaphora
from bert_attention.papers.clark.dependency_heads import possessive_markers

SENTENCES = 2  # sentences for each relation, or passages for coreference
# Fewest and most words that fit the figure, in a sentence and in a passage of sentences.
_SENTENCE_WORDS, _PASSAGE_WORDS = (5, 12), (8, 16)
_MAX_LETTERS = 12  # longer words do not fit the figure

WINDOW = 15  # tokens at the end of a segment, as in figure 1


def examples(
    sequences: Iterable[StoredSequence], treebank: Sequence[Sentence], clark_dependency_heads: pd.DataFrame
) -> pd.DataFrame:
    """Return table ``clark_examples``: the best heads' attention in two sentences for each relation of figure 5.

    The sentences are the first two distinct sentences that have 5 to 12 words of at most 12 letters and contain the
    relation at least twice. If there are too few, sentences of this size that contain the relation once follow, then
    sentences nearest to this size. The choice does not depend on attention. [SEP] is left out, and each row is scaled
    to sum to one. The released notebook scales for ``pobj`` only, and also leaves out attention to [CLS]. If the table
    has none of the relations, only its best head for all relations is shown. Raise InputError if no word of the
    treebank depends on another.

    The attention is between words, in the order of ``treebank``. The best heads are those whose ``selection`` is
    ``same_data``. Each row is a pair of words: ``sentence``, ``query`` and ``key`` count from 1, and [CLS] is 0.
    ``gold`` is True for a dependent of the relation and its syntactic head, in the attention head's direction. A
    possessor's 's stands for the possessor.
    """
    best = clark_dependency_heads.query("selection == 'same_data' and variant == 'described'").set_index("relation")
    wanted = relations_of_figure_5(best.index) or [ALL_RELATIONS]
    chosen = {relation: _choose_sentences(treebank, relation) for relation in wanted}
    pieces = {}
    for index, (sequence, sentence) in enumerate(zip(sequences, treebank, strict=True)):
        shown = [relation for relation in wanted if index in chosen[relation]]
        attention = sequence.attention if shown else None
        for relation in shown:
            layer, head, direction = best.loc[relation, ["layer", "head", "direction"]]
            rows = _pair_rows(attention[layer - 1, head - 1, :-1, :-1], ["[CLS]", *sentence.forms])
            gold = _gold_pairs(sentence, relation, direction).ravel()
            columns = {"relation": relation, "layer": layer, "head": head, "direction": direction}
            pieces[relation, index] = rows.assign(**columns, sentence=index + 1, gold=gold)
    ordered = [pieces[relation, index] for relation in wanted for index in chosen[relation]]
    if not ordered:
        raise InputError("treebank", "no sentence has a word that depends on another", "give longer sentences")
    return pd.concat(ordered, ignore_index=True)


def coreference_examples(
    sequences: Iterable[StoredSequence], documents: Sequence[Document], clark_coreference: pd.DataFrame
) -> pd.DataFrame:
    """Return table ``clark_coreference_examples``: the best head's attention in two passages with coreferent mentions.

    A passage is one or more whole sentences of a document, with at least one antecedent. A mention is informative if
    all its antecedents in the passage have another head word, as the antecedents of pronouns do. Each document has one
    candidate, its best passage by these criteria, the most important first:

    1. It has 8 to 16 words of at most 12 letters, or is nearest to this size.
    2. It has two informative mentions rather than one, and one rather than none.
    3. It is the shortest, and then the first.

    The table shows the best two candidates with different words, by the first two criteria. The choice does not depend
    on attention. Each row of attention is scaled to sum to one over the passage. The attention is between words, in the
    order of ``documents``. The head is the most accurate one among earlier mentions, in its better direction. Each row
    is a pair of words, ``query`` and ``key``, which count from 1 in the document. ``gold`` is True if the query is a
    mention's head word and the key its antecedent's, or the reverse in the other direction.
    """
    heads = clark_coreference.query("system == 'best_head' and candidates == 'mentions' and selection == 'same_data'")
    best = heads[heads["mention_type"] == "all"].nlargest(1, "accuracy").iloc[0]
    layer, head, direction = int(best["layer"]), int(best["head"]), best["direction"]
    chosen = _choose_passages(documents)
    pieces = {}
    for index, (sequence, document) in enumerate(zip(sequences, documents, strict=True)):
        if index not in chosen:
            continue
        passage = chosen[index]
        positions = slice(passage.start + 1, passage.stop + 1)  # index 0 is [CLS]
        attention = sequence.attention[layer - 1, head - 1, positions, positions]
        rows = _pair_rows(attention, document.forms[passage.start : passage.stop], passage.start + 1)
        gold = _coreferent_pairs(document, passage, direction).ravel()
        columns = {"layer": layer, "head": head, "direction": direction, "document": document.id}
        pieces[index] = rows.assign(**columns, gold=gold)
    return pd.concat([pieces[index] for index in chosen], ignore_index=True)


def pattern_examples(
    sequences: Iterable[StoredSequence],
    vocabulary: Sequence[str],
    clark_positions: pd.DataFrame,
    clark_entropy: pd.DataFrame,
) -> pd.DataFrame:
    """Return table ``clark_pattern_examples``: a head for each behavior of figure 1, at the end of one segment.

    Head ``broad`` has the highest entropy. Heads ``next``, ``sep`` and ``punctuation`` have the most attention to the
    next token, to [SEP] and to periods and commas. The segment is the first with two periods or commas among its last
    15 tokens, or else the first of all. Only these tokens are shown, and each row is scaled to sum to one over them.
    The sequences are the attention between wordpieces in the first block of a corpus. ``vocabulary`` is the wordpiece
    of each token id. Each row is a pair of tokens: ``sequence`` counts from 1, ``query`` and ``key`` count from 0.
    """
    broad = clark_entropy[clark_entropy["source"] == "all"].nlargest(1, "entropy")
    heads = {"broad": broad.iloc[0]}
    for target in ("next", "sep", "punctuation"):
        heads[target] = clark_positions[clark_positions["target"] == target].nlargest(1, "attention").iloc[0]
    index, sequence = _choose_segment(sequences)
    words = [vocabulary[token] for token in sequence.token_ids[-WINDOW:]]
    attention = sequence.attention[..., -WINDOW:, -WINDOW:]
    first = len(sequence.token_ids) - len(words)
    pieces = []
    for behaviour, head in heads.items():
        rows = _pair_rows(attention[head["layer"] - 1, head["head"] - 1], words, first)
        columns = {"behaviour": behaviour, "layer": head["layer"], "head": head["head"]}
        pieces.append(rows.assign(**columns, sequence=index + 1))
    return pd.concat(pieces, ignore_index=True)


def _choose_sentences(treebank: Sequence[Sentence], relation: str) -> list[int]:
    """Return the indices of the sentences that show a relation."""
    candidates: dict[tuple[str, ...], tuple[int, int, int]] = {}
    for index, sentence in enumerate(treebank):
        instances = min(len(_dependents(sentence, relation)), 2)
        if instances:
            deviation = _size_deviation(sentence.forms, _SENTENCE_WORDS)
            candidates.setdefault(sentence.forms, (deviation, -instances, index))
    return [index for *_, index in sorted(candidates.values())[:SENTENCES]]


def _choose_passages(documents: Sequence[Document]) -> dict[int, range]:
    """Return the words of the passages that show coreference, by the index of their document."""
    candidates: dict[tuple[str, ...], tuple[int, int, int, range]] = {}
    for index, document in enumerate(documents):
        ranked = sorted(_passages(document), key=lambda found: (*found[:2], len(found[2])))
        for deviation, negative_informative, passage in ranked[:1]:
            forms = document.forms[passage.start : passage.stop]
            candidates.setdefault(forms, (deviation, negative_informative, index, passage))
    ranked = sorted(candidates.values(), key=lambda found: found[:3])
    return {index: passage for *_, index, passage in ranked[:SENTENCES]}


def _passages(document: Document) -> Iterator[tuple[int, int, range]]:
    """Yield passages with an antecedent: deviation from the size, minus the number of informative mentions, and words.

    Informative mentions are counted up to 2. From each first sentence, passages grow until they have an antecedent and
    are too long.
    """
    anaphora = find_anaphora(document)
    if anaphora is None:
        return
    forms, ends = document.forms, list(accumulate(len(sentence.words) for sentence in document.sentences))
    for first, start in enumerate([0, *ends[:-1]]):
        for end in ends[first:]:
            antecedents = list(_antecedents(anaphora, forms, range(start, end)))
            informative = sum(head not in others for head, others in antecedents)
            if antecedents:
                yield _size_deviation(forms[start:end], _PASSAGE_WORDS), -min(informative, 2), range(start, end)
                if end - start > _PASSAGE_WORDS[1]:
                    break


def _antecedents(anaphora: Anaphora, forms: Sequence[str], passage: range) -> Iterator[tuple[str, set[str]]]:
    """Yield each mention's head word and its antecedents' head words in a passage, for mentions with antecedents."""
    for head, is_antecedent in zip(anaphora.heads, anaphora.antecedents, strict=True):
        others = {forms[word].lower() for word in passage if is_antecedent[word]}
        if head in passage and others:
            yield forms[head].lower(), others


def _coreferent_pairs(document: Document, passage: range, direction: str) -> np.ndarray:
    """Return a mask ``[query, key]`` of a passage: True if a head of this direction should attend from query to key."""
    anaphora = find_anaphora(document)
    pairs = np.zeros((len(document.forms),) * 2, dtype=bool)
    np.logical_or.at(pairs, anaphora.heads, anaphora.antecedents)
    words = slice(passage.start, passage.stop)
    pairs = pairs[words, words]
    return pairs if direction == COREFERENCE_DIRECTIONS[0] else pairs.T


def _size_deviation(forms: Sequence[str], bounds: tuple[int, int]) -> int:
    """Return the number of words and letters by which a text is too long or too short for the figure."""
    (fewest, most), letters = bounds, max(map(len, forms))
    return max(fewest - len(forms), 0) + max(len(forms) - most, 0) + max(letters - _MAX_LETTERS, 0)


def _dependents(sentence: Sentence, relation: str) -> list[int]:
    """Return the indices of the dependents of a relation; ``all`` stands for every relation."""
    words = enumerate(sentence.words)
    return [index for index, word in words if word.head and relation in (word.relation, ALL_RELATIONS)]


def _choose_segment(sequences: Iterable[StoredSequence]) -> tuple[int, StoredSequence]:
    """Return the segment to show, with its index."""
    first = None
    for index, sequence in enumerate(sequences):
        first = first or (index, sequence)
        if sequence.categories["punctuation"][-WINDOW:].sum() >= 2:
            return index, sequence
    return first


def _pair_rows(attention: np.ndarray, words: Sequence[str], first: int = 0) -> pd.DataFrame:
    """Return a row for each pair of words, with indices from ``first`` and weights that sum to one over the keys."""
    weights = attention.astype(np.float64)
    weights = weights / np.maximum(weights.sum(-1, keepdims=True), np.finfo(np.float16).tiny)
    query, key = (axis.ravel() for axis in np.indices(weights.shape))
    forms = np.array(words, dtype=object)
    columns = {"query": query + first, "key": key + first, "query_word": forms[query], "key_word": forms[key]}
    return pd.DataFrame(columns | {"weight": weights.ravel()})


def _gold_pairs(sentence: Sentence, relation: str, direction: str) -> np.ndarray:
    """Return a mask ``[query, key]``, [CLS] at 0: True if a head of this direction should attend from query to key."""
    markers = possessive_markers(sentence)
    pairs = np.zeros((len(sentence.words) + 1,) * 2, dtype=bool)
    for index in _dependents(sentence, relation):
        pairs[markers.get(index, index) + 1, sentence.words[index].head] = True
    return pairs if direction == DEPENDENCY_DIRECTIONS[0] else pairs.T
