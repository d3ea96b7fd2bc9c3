"""Heads for dependency relations: the definition word by word, and the relations that have rows."""

from collections import Counter, defaultdict
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bert_attention.corpora.relations import clark_name
from bert_attention.papers.clark import dependency_heads as module
from bert_attention.papers.clark.columns import DEPENDENCY_DIRECTIONS
from bert_attention.papers.clark.dependency_heads import VARIANTS
from bert_attention.statistics.sums import Sums
from tests.statistics.blocks import halves_of_units, table_of
from tests.treebanks import random_sequences, random_trees, sentence_of

RELATIONS = ("punct", "obj", "mark", "aux", *("nmod:poss", "poss", "case", "possessive") * 2)
FORMS = ("'s", "s'", "a", "’s", "to", "To")


def random_treebank(seed, sentences):
    """Random trees, with maps that have some equal weights."""
    trees = random_trees(seed, sentences, longest=8, relations=RELATIONS, forms=FORMS)
    maps = [item.attention.round(2) for item in random_sequences(trees, seed)]
    return trees, [SimpleNamespace(attention=attention) for attention in maps]


# ---- the definition, word by word ----


def plain_prediction(attention, index, direction, candidates):
    """The first candidate with the greatest weight in ``[query][key]``; [CLS] is at 0, and a word's own weight is 0."""
    found, greatest = None, -1.0
    for other in candidates:
        query, key = (index, other) if direction == "dependent_to_head" else (other, index)
        weight = 0.0 if query == key else attention[query][key]
        if weight > greatest:
            found, greatest = other, weight
    return found


def described_is_right(sentence, index, predictions):
    """Return True if a word gets its head, or a possessor by way of the marker that depends on it."""
    word = sentence.words[index]
    if clark_name(word.relation) == "poss":
        for other in range(index + 1, len(sentence.words)):
            if sentence.words[other].head == index + 1 and sentence.words[other].relation in ("case", "possessive"):
                return predictions[other] == word.head - 1
    return predictions[index] == word.head - 1


def released_is_right(sentence, index, predictions):
    """The notebook's rule, with heads counted from 1 as there; 0 is the root.

    A possessor whose predicted head comes before the last word has a rule of its own: if the next word is 's or s', the
    prediction for that word counts. At the last word of a sentence the notebook fails; here there is no such rule.
    """
    heads = [prediction + 1 for prediction in predictions]
    words, gold = sentence.forms, sentence.words[index].head
    is_possessor = clark_name(sentence.words[index].relation) == "poss"
    if is_possessor and heads[index] < len(words) and index + 1 < len(words) and words[index + 1] in ("'s", "s'"):
        return heads[index + 1] == gold
    return heads[index] == gold


IS_RIGHT = {"described": described_is_right, "released": released_is_right}


def plain_head_predictions(maps, layer, head, direction):
    """For each sentence the words that a head predicts for its words."""
    predictions = []
    for all_heads in maps:
        attention = all_heads[layer, head].tolist()
        words = range(1, len(attention) - 1)
        predictions.append([plain_prediction(attention, word, direction, words) - 1 for word in words])
    return predictions


def plain_offset_predictions(treebank, offset, variant):
    """For each sentence the words that an offset predicts for its words: -1 is the root, -2 no word."""
    predictions = []
    for sentence in treebank:
        targets, last = [word + offset for word in range(len(sentence.words))], len(sentence.words) - 1
        if variant == "released":
            predictions.append([min(max(target, -1), last) for target in targets])
        else:
            predictions.append([target if 0 <= target <= last else -2 for target in targets])
    return predictions


def plain_counts(systems, treebank, relation, variant, apart):
    """For each system and sentence, how many of the words that count get their head."""
    return {
        name: np.array([
            sum(IS_RIGHT[variant](sentence, word, predicted) for word in counted_words(sentence, relation, apart))
            for predicted, sentence in zip(predictions, treebank, strict=True)
        ])
        for name, predictions in systems.items()
    }  # fmt: skip


def counted_words(sentence, relation, apart):
    """The words that count; if ``apart``, only words with at least one word between them and their head."""
    counted = []
    for index, word in enumerate(sentence.words):
        between = abs(index - (word.head - 1)) - 1
        if is_counted(relation, word) and (not apart or (word.head != 0 and between > 0)):
            counted.append(index)
    return counted


def is_counted(relation, word):
    """Return True if a word counts in the row of a relation."""
    is_to = word.relation == "mark" and word.form in ("to", "To")
    return {
        "all": True,
        "all_without_punctuation": word.relation != "punct",
        "mark_without_to": word.relation == "mark" and not is_to,
        "aux_with_to": word.relation == "aux" or is_to,
    }.get(relation, word.relation == relation)


def best(counts, sentences, variant):
    """The best head or offset. Ties go to the first; in the notebook to the last by layer, head and direction."""
    return max(counts, key=lambda name: (counts[name][sentences].sum(), name if variant == "released" else 0))


@pytest.mark.parametrize("variant", VARIANTS)
@settings(max_examples=6)
@given(seed=st.integers(0, 1000))
def test_the_table_equals_the_definition_word_by_word(variant, seed):
    treebank, sequences = random_treebank(seed, 20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_FEWEST_INSTANCES", 1)
        patch.setattr(module, "_FEWEST_APART", 1)
        table = table_of(module, sequences, treebank)
    everything = np.ones(len(treebank), dtype=bool)
    maps = [item.attention for item in sequences]
    heads = {
        (layer + 1, head + 1, direction): plain_head_predictions(maps, layer, head, direction)
        for direction in DEPENDENCY_DIRECTIONS
        for layer, head in np.ndindex(maps[0].shape[:2])
    }
    offsets = range(-3, 3) if variant == "released" else range(-3, 4)
    offsets = {offset: plain_offset_predictions(treebank, offset, variant) for offset in offsets}
    for relation, rows in table[table["variant"] == variant].groupby("relation"):
        whole, apart = (
            (
                plain_counts(heads, treebank, relation, variant, is_apart),
                plain_counts(offsets, treebank, relation, variant, is_apart),
                np.array([len(counted_words(sentence, relation, is_apart)) for sentence in treebank]),
            )
            for is_apart in (False, True)
        )
        for row in rows.to_dict("records"):
            halves = [(everything, everything)] if row["selection"] == "same_data" else halves_of_units(len(treebank))
            check_row(row, whole, apart, halves)


def check_row(row, whole, apart, halves):
    """Chosen on the first of each two sets of sentences and scored on the second, and averaged.

    Heads and offsets are chosen on all words, and for words apart on these.
    """
    (heads, offsets, n), (heads_apart, offsets_apart, n_apart) = whole, apart
    variant, values, chosen = row["variant"], defaultdict(list), defaultdict(list)

    def score(name, hits, n, sentences):
        values[name].append(hits[sentences].sum() / n[sentences].sum())

    for one, other in halves:
        if n[one].any() and n[other].any():
            head, offset = best(heads, one, variant), best(offsets, one, variant)
            chosen["head"].append(head)
            chosen["baseline_offset"].append(offset)
            score("accuracy", heads[head], n, other)
            score("baseline_accuracy", offsets[offset], n, other)
            from_dependent, from_head = (
                heads[best({name: heads[name] for name in heads if name[2] == direction}, one, variant)]
                for direction in DEPENDENCY_DIRECTIONS
            )
            score("direction_lead", from_dependent - from_head, n, other)
            if n_apart[other].any():
                score("same_head_apart_accuracy", heads_apart[head], n_apart, other)
        if n_apart[one].any() and n_apart[other].any():
            head, offset = best(heads_apart, one, variant), best(offsets_apart, one, variant)
            chosen["apart_head"].append(head)
            chosen["apart_baseline_offset"].append(offset)
            score("apart_accuracy", heads_apart[head], n_apart, other)
            score("apart_baseline_accuracy", offsets_apart[offset], n_apart, other)
    names = ("accuracy", "baseline_accuracy", "direction_lead")
    names += ("apart_accuracy", "apart_baseline_accuracy", "same_head_apart_accuracy")
    expected = {name: np.mean(values[name]) if values[name] else np.nan for name in names}
    expected |= {
        "gain": expected["accuracy"] - expected["baseline_accuracy"],
        "apart_gain": expected["apart_accuracy"] - expected["apart_baseline_accuracy"],
        "same_head_apart_gain": expected["same_head_apart_accuracy"] - expected["apart_baseline_accuracy"],
    }
    assert {name: row[name] for name in expected} == pytest.approx(expected, nan_ok=True)
    assert (row["n"], row["apart_n"]) == (n.sum(), n_apart.sum())
    found = row | {
        f"{prefix}head": tuple(row[f"{prefix}{column}"] for column in ("layer", "head", "direction"))
        for prefix in ("", "apart_")
    }
    for name, choices in chosen.items():
        counts = Counter(choices)
        assert counts[found[name]] == max(counts.values())
        if name == "head":
            assert row["chosen"] == pytest.approx(counts[found[name]] / len(choices))


@pytest.mark.parametrize("neighbors", [2, 3])
def test_words_apart_have_a_head_of_their_own(neighbors):
    """Head 1 finds the neighbors, which are all that a choice on all words sees, and head 2 only the words apart."""
    near = sentence_of(("a", 2, "det"), ("c", 0, "root"), ("d", 2, "dep"))
    far = sentence_of(("a", 3, "det"), ("b", 3, "amod"), ("c", 0, "root"))
    treebank = ([near] * neighbors + [far]) * 80
    sequences = random_sequences(treebank)
    for item in sequences:
        item.attention[:] = 0.01
        item.attention[0, 0, 1, 2] = 1  # the next word
        item.attention[0, 1, 1, 3] = 1  # the word after it
    table = table_of(module, sequences, treebank).query("relation == 'det' and variant == 'described'")
    for row in table.to_dict("records"):
        assert (row["layer"], row["head"], row["apart_layer"], row["apart_head"]) == (1, 1, 1, 2)
        assert (row["apart_accuracy"], row["same_head_apart_accuracy"]) == (1, 0)
        assert row["apart_gain"] == 0  # an offset of two words finds all of them, too


# ---- the relations that have rows ----


def rows_of(treebank):
    """The relations that have rows, and how many words they count."""
    found = table_of(module, random_sequences(treebank), treebank)
    return found.query("variant == 'described' and selection == 'same_data'").set_index("relation")["n"]


def test_an_infinitives_to_counts_as_in_stanford_dependencies():
    """In UD "to" is mark; an SD treebank, whose "to" is aux, has no further rows."""
    words = [("so", 3, "mark"), ("To", 3, "mark"), ("go", 0, "root"), ("can", 3, "aux"), ("to", 3, "case")]
    universal, stanford = sentence_of(*words), sentence_of(words[0], ("To", 3, "aux"), *words[2:])
    found = rows_of([universal] * 100)
    assert list(found.index[2:]) == ["aux_with_to", "mark", "aux", "case", "mark_without_to"]
    assert found[["aux_with_to", "mark", "mark_without_to"]].tolist() == [200, 200, 100]
    assert list(rows_of([stanford] * 100).index[2:]) == ["aux", "case", "mark"]


def test_relations_with_a_hundred_instances_have_rows_by_frequency():
    sentence = sentence_of(("a", 3, "det"), ("b", 3, "amod"), ("c", 0, "root"), (".", 3, "punct"), ("d", 3, "det"))
    assert list(rows_of([sentence] * 99).index[2:]) == ["det"]
    assert list(rows_of([sentence] * 100).index[2:]) == ["det", "amod"]


def test_all_sentences_decide_which_relations_have_rows():
    sentence = sentence_of(("a", 2, "det"), ("c", 0, "root"))
    found = Sums.of(map(module.sums, random_sequences([sentence] * 100), [sentence] * 100), range(100))
    assert module.table(found.without(3))["n"].tolist() == [190, 190, 95] * 4


@pytest.mark.parametrize(("apart", "is_measured"), [(20, True), (19, False), (0, False)])
def test_a_handful_of_words_apart_from_their_heads_has_no_accuracy(apart, is_measured):
    near = sentence_of(("a", 2, "det"), ("c", 0, "root"), (".", 2, "punct"))
    far = sentence_of(("a", 3, "det"), ("b", 3, "amod"), ("c", 0, "root"))
    treebank = [far] * apart + [near] * (120 - apart)
    found = Sums.of(map(module.sums, random_sequences(treebank), treebank), range(120))
    columns = ["apart_head", "apart_accuracy", "apart_baseline_accuracy", "apart_gain", "same_head_apart_accuracy"]
    for sums in (found, found.without(0)):  # all sentences decide
        rows = module.table(sums).query("relation == 'det'")
        assert rows[columns].notna().all(axis=None) == is_measured
        assert rows[columns].notna().any(axis=None) == is_measured
        assert rows["accuracy"].notna().all()
