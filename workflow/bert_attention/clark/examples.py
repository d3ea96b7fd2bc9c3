"""Example sentences for figures of attention (Clark et al. 2019, figures 1 and 5), chosen by rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.clark.column_values import (
    ALL_RELATIONS,
    COREFERENCE_DIRECTIONS,
    DEPENDENCY_DIRECTIONS,
    FIGURE_5_RELATIONS,
)
from bert_attention.clark.coreference import Anaphora, find_anaphora
from bert_attention.clark.dependency_heads import possessive_markers
from bert_attention.corpora.types import Document, Sentence
from bert_attention.errors import InputError

SENTENCES = 2  # for each relation; for coreference, passages
# Fewest and most words that fit the figure, for a sentence and for a passage of sentences.
_SENTENCE_WORDS, _PASSAGE_WORDS = (5, 12), (8, 16)
_LETTERS = 12  # most letters of a word that fits the figure

WINDOW = 15  # tokens at the end of a segment, as in figure 1


def examples(
    sequences: Iterable[StoredSequence], treebank: Sequence[Sentence], clark_dependency_heads: pd.DataFrame
) -> pd.DataFrame:
    """Return table ``clark_examples``: the best heads' attention in two sentences for each relation of figure 5.

    The sentences are the first two distinct sentences that have 5 to 12 words of at most 12 letters and contain the
    relation at least twice. If there are too few, sentences that contain it once follow, then those nearest to that
    size. Attention plays no part in the choice. [SEP] is left out, and each row is scaled to sum to one. The released
    notebook scales for ``pobj`` only, and also leaves out attention to [CLS]. If the table has none of the relations,
    only its best head for all relations is shown.

    Parameters
    ----------
    sequences
        Attention between words, in the order of ``treebank``; read only for the chosen sentences.
    clark_dependency_heads
        The table; its best heads on the same data are used.

    Returns
    -------
    A row for each pair of words: ``relation``, ``layer``, ``head``, ``direction``, ``sentence`` (from 1), ``query`` and
    ``key`` (the words' numbers; [CLS] is 0), ``query_word``, ``key_word``, ``weight``, and ``gold``. ``gold`` is True
    if the pair is a dependent of the relation and its syntactic head, in the attention head's direction. The 's of a
    possessor stands for the possessor.

    Raises
    ------
    InputError
        If no word of the treebank depends on another.
    """
    best = clark_dependency_heads.query("selection == 'same_data' and variant == 'described'").set_index("relation")
    wanted = [name for name in FIGURE_5_RELATIONS if name in best.index] or [ALL_RELATIONS]
    chosen = {relation: _choose_sentences(treebank, relation) for relation in wanted}
    pieces = {}
    for place, (sequence, sentence) in enumerate(zip(sequences, treebank, strict=True)):
        showing = [relation for relation in wanted if place in chosen[relation]]
        attention = sequence.attention if showing else None
        for relation in showing:
            layer, head, direction = best.loc[relation, ["layer", "head", "direction"]]
            rows = _pair_rows(attention[layer - 1, head - 1, :-1, :-1], ["[CLS]", *sentence.forms])
            gold = _gold_pairs(sentence, relation, direction).ravel()
            of_head = {"relation": relation, "layer": layer, "head": head, "direction": direction}
            pieces[relation, place] = rows.assign(**of_head, sentence=place + 1, gold=gold)
    ordered = [pieces[relation, place] for relation in wanted for place in chosen[relation]]
    if not ordered:
        raise InputError("treebank", "no sentence has a word that depends on another", "give longer sentences")
    return pd.concat(ordered, ignore_index=True)


def coreference_examples(
    sequences: Iterable[StoredSequence], documents: Sequence[Document], clark_coreference: pd.DataFrame
) -> pd.DataFrame:
    """Return table ``clark_coreference_examples``: the best head's attention in two passages with coreferent mentions.

    A passage is one or more whole sentences of a document. It should have 8 to 16 words of at most 12 letters. It
    should also have at least two mentions whose antecedents in the passage all have another head word, as the
    antecedents of pronouns do.
    Each document offers its best passage. Passages of this size come first, then those nearest to it; among these,
    passages with two such mentions come before passages with one or none. Every passage has an antecedent. The shortest
    of equally good passages wins, then the first. The table shows the best two passages of different documents that
    have different words; here length does not count. Attention plays no part in the choice. Each row of attention is
    scaled to sum to one over the passage.

    Parameters
    ----------
    sequences
        Attention between words, in the order of ``documents``; read only for the chosen documents.
    clark_coreference
        The table; the head that chooses best among earlier mentions is used, in its better direction.

    Returns
    -------
    A row for each pair of words: ``layer``, ``head``, ``direction``, ``document`` (its name), ``query`` and ``key``
    (the words' indices in the document, from 1), ``query_word``, ``key_word``, ``weight``, and ``gold``. ``gold`` is
    True for the head word of a mention and that of its antecedent, or the reverse in the other direction.
    """
    heads = clark_coreference.query("system == 'best_head' and candidates == 'mentions' and selection == 'same_data'")
    best = heads[heads["mention_type"] == "all"].nlargest(1, "accuracy").iloc[0]
    layer, head, direction = int(best["layer"]), int(best["head"]), best["direction"]
    chosen = _choose_passages(documents)
    pieces = {}
    for place, (sequence, document) in enumerate(zip(sequences, documents, strict=True)):
        if place not in chosen:
            continue
        passage = chosen[place]
        positions = slice(passage.start + 1, passage.stop + 1)  # after [CLS]
        attention = sequence.attention[layer - 1, head - 1, positions, positions]
        rows = _pair_rows(attention, document.forms[passage.start : passage.stop], passage.start + 1)
        gold = _coreferent_pairs(document, passage, direction).ravel()
        of_head = {"layer": layer, "head": head, "direction": direction}
        pieces[place] = rows.assign(**of_head, document=document.id, gold=gold)
    return pd.concat([pieces[place] for place in chosen], ignore_index=True)


def pattern_examples(
    sequences: Iterable[StoredSequence],
    vocabulary: Sequence[str],
    clark_positions: pd.DataFrame,
    clark_entropy: pd.DataFrame,
) -> pd.DataFrame:
    """Return table ``clark_pattern_examples``: a head for each behavior of figure 1, at the end of one segment.

    One head has the highest entropy (``broad``). The others have the most attention to the next token, to [SEP] and to
    periods and commas. The segment is the first with two periods or commas among its last 15 tokens, or else the first
    of all. Only these tokens are shown, and each row is scaled to sum to one over them.

    Parameters
    ----------
    sequences
        Attention between wordpieces in the first block of a corpus.
    vocabulary
        The wordpiece of each token id.

    Returns
    -------
    A row for each pair of tokens: ``behaviour``, ``layer``, ``head``, ``sequence`` (from 1), ``query`` and ``key``
    (indices in the segment from 0), ``query_word``, ``key_word``, ``weight``.
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
        rows = _pair_rows(attention[head["layer"] - 1, head["head"] - 1], words, first)
        of_head = {"behaviour": behaviour, "layer": head["layer"], "head": head["head"]}
        pieces.append(rows.assign(**of_head, sequence=place + 1))
    return pd.concat(pieces, ignore_index=True)


def _choose_sentences(treebank: Sequence[Sentence], relation: str) -> list[int]:
    """Return the indices of the sentences that show a relation."""
    candidates: dict[tuple[str, ...], tuple[int, int, int]] = {}
    for place, sentence in enumerate(treebank):
        instances = min(len(_dependents(sentence, relation)), 2)
        if instances:
            candidates.setdefault(sentence.forms, (_misfit(sentence.forms, _SENTENCE_WORDS), -instances, place))
    return [place for *_, place in sorted(candidates.values())[:SENTENCES]]


def _choose_passages(documents: Sequence[Document]) -> dict[int, range]:
    """Return the words of the passages that show coreference, by the index of their document."""
    candidates: dict[tuple[str, ...], tuple[int, int, int, range]] = {}
    for place, document in enumerate(documents):
        ranked = sorted(_passages(document), key=lambda found: (*found[:2], len(found[2])))
        for misfit, missing, passage in ranked[:1]:
            forms = document.forms[passage.start : passage.stop]
            candidates.setdefault(forms, (misfit, missing, place, passage))
    ranked = sorted(candidates.values(), key=lambda found: found[:3])
    return {place: passage for *_, place, passage in ranked[:SENTENCES]}


def _passages(document: Document) -> Iterator[tuple[int, int, range]]:
    """Yield the passages with an antecedent: misfit, minus the number of mentions that show coreference, and words.

    The number is at most 2. From each first sentence, passages grow up to the first that has an antecedent and is too
    long.
    """
    anaphora = find_anaphora(document)
    if anaphora is None:
        return
    forms, ends = document.forms, list(accumulate(len(sentence.words) for sentence in document.sentences))
    for first, start in enumerate([0, *ends[:-1]]):
        for end in ends[first:]:
            antecedents = list(_antecedents(anaphora, forms, range(start, end)))
            instances = sum(head not in others for head, others in antecedents)
            if antecedents:
                yield _misfit(forms[start:end], _PASSAGE_WORDS), -min(instances, 2), range(start, end)
                if end - start > _PASSAGE_WORDS[1]:
                    break


def _antecedents(anaphora: Anaphora, forms: Sequence[str], passage: range) -> Iterator[tuple[str, set[str]]]:
    """Yield the head words of each mention and its antecedents within a passage; skip mentions without antecedents."""
    for head, is_antecedent in zip(anaphora.heads, anaphora.antecedents, strict=True):
        others = {forms[word].lower() for word in passage if is_antecedent[word]}
        if head in passage and others:
            yield forms[head].lower(), others


def _coreferent_pairs(document: Document, passage: range, direction: str) -> np.ndarray:
    """Return a mask ``[query, key]`` of the pairs in a passage that a head of this direction should attend to."""
    anaphora = find_anaphora(document)
    pairs = np.zeros((len(document.forms),) * 2, dtype=bool)
    np.logical_or.at(pairs, anaphora.heads, anaphora.antecedents)
    words = slice(passage.start, passage.stop)
    pairs = pairs[words, words]
    return pairs if direction == COREFERENCE_DIRECTIONS[0] else pairs.T


def _misfit(forms: Sequence[str], bounds: tuple[int, int]) -> int:
    """Return the number of words and letters by which a text is too long or too short for the figure."""
    (fewest, most), letters = bounds, max(map(len, forms))
    return max(fewest - len(forms), 0) + max(len(forms) - most, 0) + max(letters - _LETTERS, 0)


def _dependents(sentence: Sentence, relation: str) -> list[int]:
    """Return the indices of the dependents of a relation, or of all relations."""
    words = enumerate(sentence.words)
    return [place for place, word in words if word.head and relation in (word.relation, ALL_RELATIONS)]


def _choose_segment(sequences: Iterable[StoredSequence]) -> tuple[int, StoredSequence]:
    """Return the segment that shows the patterns, with its index."""
    first = None
    for place, sequence in enumerate(sequences):
        first = first or (place, sequence)
        if sequence.categories["punctuation"][-WINDOW:].sum() >= 2:
            return place, sequence
    return first


def _pair_rows(attention: np.ndarray, words: Sequence[str], first: int = 0) -> pd.DataFrame:
    """Return a row for each pair of words, numbered from ``first``, with weights that sum to one over the keys."""
    weights = attention.astype(np.float64)
    weights = weights / np.maximum(weights.sum(-1, keepdims=True), np.finfo(np.float16).tiny)
    query, key = (places.ravel() for places in np.indices(weights.shape))
    named = np.array(words, dtype=object)
    columns = {"query": query + first, "key": key + first, "query_word": named[query], "key_word": named[key]}
    return pd.DataFrame(columns | {"weight": weights.ravel()})


def _gold_pairs(sentence: Sentence, relation: str, direction: str) -> np.ndarray:
    """Return a mask ``[query, key]``, [CLS] at 0, of the pairs that a head of this direction should attend to."""
    markers = possessive_markers(sentence)
    pairs = np.zeros((len(sentence.words) + 1,) * 2, dtype=bool)
    for place in _dependents(sentence, relation):
        pairs[markers.get(place, place) + 1, sentence.words[place].head] = True
    return pairs if direction == DEPENDENCY_DIRECTIONS[0] else pairs.T
