"""Attention to special tokens where a head's function does not apply: a loop over the definition."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bert_attention.corpora.relations import clark_name
from bert_attention.corpora.types import Sentence
from bert_attention.papers.clark import no_op
from tests.clark.test_dependency_heads import described_is_right, plain_prediction, random_treebank
from tests.statistics.blocks import halves_of_units, table_of
from tests.treebanks import random_sequences, sentence_of

TARGETS = ("cls", "sep", "punctuation")


def tagged(sentence, random):
    """The sentence with a random tag for each word, some of which are periods and commas.

    One sentence in four has no tags.
    """
    tags = ["_"] if random.integers(4) == 0 else ["NOUN", "PROPN", "PRON", "VERB"]

    def changed(word):
        form = str(random.choice([word.form, ".", ","], p=[0.8, 0.1, 0.1]))
        return replace(word, upos=str(random.choice(tags)), form=form)

    return Sentence(tuple(map(changed, sentence.words)))


def plain_weight(query, position, sentence, target):
    """The weight that the word at a position (from 1) gives to a target, in its row of a map."""
    if target != "punctuation":
        return float(query[{"cls": 0, "sep": -1}[target]])
    marks = [other for other, word in enumerate(sentence.words, start=1) if word.form in (".", ",")]
    return sum(float(query[other]) for other in marks if other != position)


def plain_words(sentence, relation, kind):
    """The indices of the words of a kind."""
    dependents = [index for index, word in enumerate(sentence.words) if clark_name(word.relation) == relation]
    attending = []
    for dependent in dependents:
        markers = [
            index
            for index, word in enumerate(sentence.words)
            if relation == "poss" and index > dependent
            if word.head == dependent + 1 and word.relation in ("case", "possessive")
        ]
        attending.append(markers[0] if markers else dependent)
    others = [index for index in range(len(sentence.words)) if index not in dependents + attending]
    is_tagged = {word.upos for word in sentence.words} != {"_"}
    non_nouns = [index for index in others if is_tagged and sentence.words[index].upos not in ("NOUN", "PROPN")]
    return {"dependents": attending, "others": others, "non_nouns": non_nouns}[kind]


def plain_right(attention, sentence, relation):
    """Return the number of dependents that attend most to their syntactic head, with one head's ``[query][key]``."""
    words = range(1, len(attention) - 1)
    predictions = [plain_prediction(attention, word, "dependent_to_head", words) - 1 for word in words]
    dependents = [index for index, word in enumerate(sentence.words) if clark_name(word.relation) == relation]
    return sum(described_is_right(sentence, index, predictions) for index in dependents)


def plain_share(maps, treebank, relation, kind, target, chosen):
    """Mean attention of the words of a kind to a target in the chosen sentences; NaN without such words."""
    weights = [
        plain_weight(attention[index + 1], index + 1, sentence, target)
        for attention, sentence, is_chosen in zip(maps, treebank, chosen, strict=True)
        if is_chosen
        for index in plain_words(sentence, relation, kind)
    ]
    return sum(weights) / len(weights) if weights else float("nan")


@settings(max_examples=5)
@example(529)  # trees without one of the relations
@given(st.integers(0, 1000))
def test_the_table_equals_the_definition_word_by_word(seed):
    treebank, sequences = random_treebank(seed, 25)
    random = np.random.default_rng(seed)
    treebank = [tagged(sentence, random) for sentence in treebank]
    found = table_of(no_op, sequences, treebank)
    assert len(found) == 2 * 2 * 3 * 3
    everything = np.ones(len(treebank), dtype=bool)
    systems = list(np.ndindex(sequences[0].attention.shape[:2]))
    maps = {system: [item.attention[system].tolist() for item in sequences] for system in systems}
    for (relation, selection), rows in found.groupby(["relation", "selection"]):
        right = np.array([
            [plain_right(attention, sentence, relation) for attention, sentence in zip(of_head, treebank, strict=True)]
            for of_head in maps.values()
        ])  # fmt: skip
        has = np.array([len(plain_words(sentence, relation, "dependents")) for sentence in treebank])
        halves = [(everything, everything)] if selection == "same_data" else halves_of_units(len(treebank))
        halves = [(one, other) for one, other in halves if has[one].sum() and has[other].sum()]
        if not halves:  # no head can be chosen on one half and measured on the other
            assert rows[["attention", "difference", "chosen"]].isna().all(axis=None)
            continue
        chosen = [systems[right[:, one].sum(1).argmax()] for one, _ in halves]
        for row in rows.to_dict("records"):
            shares, differences = [], []
            for system, (_, other) in zip(chosen, halves, strict=True):
                share, of_dependents = (
                    plain_share(maps[system], treebank, relation, words, row["target"], other)
                    for words in (row["words"], "dependents")
                )
                shares.append(share)
                differences.append(share - of_dependents)
            expected = np.nanmean(shares), np.nan if row["words"] == "dependents" else np.nanmean(differences)
            assert (row["attention"], row["difference"]) == pytest.approx(expected, nan_ok=True)
            assert row["n"] == sum(len(plain_words(sentence, relation, row["words"])) for sentence in treebank)
            assert chosen.count((row["layer"] - 1, row["head"] - 1)) / len(chosen) == pytest.approx(row["chosen"])


def test_trees_without_tags_or_possessors_have_empty_cells():
    sentence = sentence_of(("sees", 0, "root"), ("dogs", 1, "dobj"))
    found = table_of(no_op, random_sequences([sentence] * 3), [sentence] * 3).set_index(["relation", "words"])
    assert found.loc[("dobj", "non_nouns"), ["n", "attention"]].fillna(-1).to_numpy().tolist() == [[0, -1]] * 6
    assert found.loc[("dobj", "others"), "difference"].notna().all()
    possessors = found.loc["poss"].loc["dependents"]
    assert possessors[["layer", "head", "attention", "difference"]].isna().all(axis=None)
    assert possessors["n"].eq(0).all()
