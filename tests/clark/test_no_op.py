"""Resting where a function does not apply: a loop over the definition, and known answers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bert_attention.clark import no_op
from bert_attention.corpora.relations import clark_name
from bert_attention.corpora.types import Sentence, Word
from tests.clark.test_dependency_heads import described_is_right, plain_prediction, sequence
from tests.statistics.blocks import halves_of_units, table_of
from tests.treebanks import random_sequences, random_trees, sentence_of

RELATIONS = ("obj", "nmod:poss", "nmod:poss", "case", "det")
NOUNS = {"NOUN", "PROPN"}


def tagged(sentence, random):
    """The sentence with a random tag for each word."""
    tags = random.choice(["NOUN", "PROPN", "PRON", "VERB"], len(sentence.words))
    words = zip(sentence.words, tags, strict=True)
    return Sentence(tuple(Word(w.form, "_", str(tag), "_", "_", w.head, w.relation) for w, tag in words))


def random_treebank(seed, sentences):
    random = np.random.default_rng(seed)
    trees = random_trees(seed, sentences, longest=8, relations=RELATIONS)
    trees = [tagged(sentence, random) for sentence in trees]
    return trees, [sequence(item.attention.round(2)) for item in random_sequences(trees, seed)]


# ---- the definition, word by word ----


def plain_words(sentence, relation, kind):
    """The places of the words of a kind, from 0."""
    dependents = [place for place, word in enumerate(sentence.words) if clark_name(word.relation) == relation]
    speaking = []
    for place in dependents:
        own = [
            other
            for other in range(place + 1, len(sentence.words))
            if relation == "poss"
            and sentence.words[other].head == place + 1
            and sentence.words[other].relation == "case"
        ]
        speaking.append(own[0] if own else place)
    others = [place for place in range(len(sentence.words)) if place not in dependents + speaking]
    nouns = [place for place in others if sentence.words[place].upos in NOUNS]
    tagged = {word.upos for word in sentence.words} != {"_"}
    non_nouns = [place for place in others if tagged and place not in nouns]
    return {"dependents": speaking, "others": others, "non_nouns": non_nouns}[kind]


def plain_right(attention, sentence, relation):
    """Return the number of dependents that attend most to their syntactic head, with one head's ``[query][key]``."""
    places = range(1, len(attention) - 1)
    predictions = [plain_prediction(attention, place, "dependent_to_head", places) - 1 for place in places]
    dependents = [place for place, word in enumerate(sentence.words) if clark_name(word.relation) == relation]
    return sum(described_is_right(sentence, place, predictions) for place in dependents)


def plain_share(maps, treebank, relation, kind, target, chosen):
    """Mean attention of the words of a kind to a special token in the chosen sentences; NaN without such words."""
    given_away = [
        float(attention[place + 1][{"cls": 0, "sep": -1}[target]])
        for attention, sentence, is_chosen in zip(maps, treebank, chosen, strict=True)
        if is_chosen
        for place in plain_words(sentence, relation, kind)
    ]
    return sum(given_away) / len(given_away) if given_away else float("nan")


def plain_resting_token(sequences):
    """The special token to which words give more, over all heads and words."""
    given_away = {"cls": 0.0, "sep": 0.0}
    for item in sequences:
        for of_layer in item.attention.tolist():
            for of_head in of_layer:
                for query in of_head[1:-1]:
                    given_away["cls"] += query[0]
                    given_away["sep"] += query[-1]
    return max(given_away, key=given_away.get)


def check_table(found, sequences, treebank):
    """All rows against the definition."""
    everything = np.ones(len(treebank), dtype=bool)
    layers, heads = sequences[0].attention.shape[:2]
    systems = [(layer, head) for layer in range(layers) for head in range(heads)]
    maps = {system: [item.attention[system].tolist() for item in sequences] for system in systems}
    resting = plain_resting_token(sequences)
    for (relation, selection), rows in found.groupby(["relation", "selection"]):
        pairs = zip(*maps.values(), strict=True)
        right = np.array([
            [plain_right(attention, sentence, relation) for attention in of_sentence]
            for of_sentence, sentence in zip(pairs, treebank, strict=True)
        ])  # fmt: skip
        has = np.array([len(plain_words(sentence, relation, "dependents")) for sentence in treebank])
        halves = [(everything, everything)] if selection == "same_data" else halves_of_units(len(treebank))
        halves = [(one, other) for one, other in halves if has[one].sum() and has[other].sum()]
        chosen = [systems[right[one].sum(0).argmax()] for one, _ in halves]
        for row in rows.to_dict("records"):
            place = treebank, relation
            shares, differences = [], []
            for system, (_, other) in zip(chosen, halves, strict=True):
                shares.append(plain_share(maps[system], *place, row["words"], row["target"], other))
                differences.append(shares[-1] - plain_share(maps[system], *place, "dependents", row["target"], other))
            expected = np.nanmean(shares), np.nan if row["words"] == "dependents" else np.nanmean(differences)
            assert (row["attention"], row["difference"]) == pytest.approx(expected, nan_ok=True)
            assert row["n"] == sum(len(plain_words(sentence, relation, row["words"])) for sentence in treebank)
            assert row["rests"] == (row["target"] == resting)
            assert chosen.count((row["layer"] - 1, row["head"] - 1)) / len(chosen) == pytest.approx(row["chosen"])


@settings(max_examples=8)
@given(st.integers(0, 1000))
def test_equals_the_definition_word_by_word(seed):
    treebank, sequences = random_treebank(seed, 20)
    found = table_of(no_op, sequences, treebank)
    assert len(found) == 2 * 2 * 2 * 3
    check_table(found, sequences, treebank)


# ---- known answers ----


def resting(n, **attends):
    """A map of n words that attend to [SEP], but for those named, ``w<number>``, which attend to another word."""
    attention = np.zeros((n + 2, n + 2), dtype=np.float32)
    attention[:, -1] = 1
    for word, target in attends.items():
        attention[int(word[1:]), [-1, target]] = 0.25, 0.75
    return attention


SHE_SEES_ANNS_DOG = Sentence(
    tuple(
        Word(form, "_", upos, "_", "_", head, relation)
        for form, upos, head, relation in (
            ("She", "PRON", 2, "nsubj"),
            ("sees", "VERB", 0, "root"),
            ("Ann", "PROPN", 5, "nmod:poss"),
            ("'s", "PART", 3, "case"),
            ("dog", "NOUN", 2, "obj"),
        )
    )
)


def test_a_head_that_acts_on_objects_rests_elsewhere():
    """One head attends from the object to its verb, the other from the marker of the possessor to what is owned."""
    attention = np.stack([resting(5, w5=2), resting(5, w4=5)])[None]
    found = table_of(no_op, [sequence(attention)] * 4, [SHE_SEES_ANNS_DOG] * 4)
    rows = found[(found["target"] == "sep") & found["rests"]].set_index(["relation", "selection", "words"]).sort_index()
    for selection in ("same_data", "held_out"):
        for relation, head, counted in (
            ("dobj", 1, {"others": 4, "non_nouns": 3}),
            ("poss", 2, {"others": 3, "non_nouns": 2}),
        ):
            of_relation = rows.loc[relation, selection]
            assert (of_relation["head"] == head).all()
            assert of_relation["attention"].to_dict() == {"dependents": 0.25, "others": 1, "non_nouns": 1}
            assert of_relation["difference"].drop("dependents").tolist() == [0.75, 0.75]
            assert of_relation["n"].to_dict() == {"dependents": 4} | {kind: 4 * n for kind, n in counted.items()}


def test_trees_without_tags_or_possessors_have_empty_cells():
    sentence = sentence_of(("sees", 0, "root"), ("dogs", 1, "dobj"))
    found = table_of(no_op, random_sequences([sentence] * 3), [sentence] * 3).set_index(["relation", "words"])
    assert found.loc[("dobj", "non_nouns"), "n"].eq(0).all()
    assert found.loc[("dobj", "non_nouns"), "attention"].isna().all()
    assert found.loc[("dobj", "others"), "difference"].notna().all()
    of_possessors = found.loc["poss"]
    assert of_possessors[["layer", "head", "attention", "difference"]].loc["dependents"].isna().all(axis=None)
    assert of_possessors.loc["dependents", "n"].eq(0).all()
