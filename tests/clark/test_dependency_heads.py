"""Heads for dependency relations: known answers, and a loop over the definition."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bert_attention.clark import dependency_heads as module
from bert_attention.clark.column_values import DEPENDENCY_DIRECTIONS
from bert_attention.clark.dependency_heads import VARIANTS, markers_beside, possessive_markers
from bert_attention.corpora.relations import clark_name
from bert_attention.statistics.sums import Sums
from tests.statistics.blocks import halves_of_units, table_of
from tests.treebanks import random_sequences, random_trees, sentence_of

RELATIONS = ("punct", "det", "nmod:poss", "nmod:poss", "case", "obj", "mark", "aux")
FORMS = ("'s", "s'", "a", "’s", "to", "To")


JOHNS_DOG = sentence_of(
    ("John", 3, "nmod:poss"), ("'s", 1, "case"), ("dog", 4, "nsubj"), ("sees", 0, "root"), (".", 4, "punct")
)
KINGS_HAT = sentence_of(
    *(("king", 5, "nmod:poss"), ("of", 3, "case"), ("France", 1, "nmod"), ("’s", 1, "case"), ("hat", 0, "root"))
)
# Stanford Dependencies, with a final possessor, which has no marker
STANFORD = sentence_of(("John", 3, "poss"), ("'s", 1, "possessive"), ("dog", 0, "root"), ("his", 3, "poss"))


def sequence(attention):
    return SimpleNamespace(attention=attention)


def random_treebank(seed, sentences):
    """Random trees, with maps that have some equal weights."""
    trees = random_trees(seed, sentences, longest=8, relations=RELATIONS, forms=FORMS)
    return trees, [sequence(item.attention.round(2)) for item in random_sequences(trees, seed)]


# ---- the definition, word by word ----


def plain_prediction(attention, place, direction, candidates):
    """The candidate with the greatest weight in ``[query][key]`` of one head; all are positions, of which [CLS] is 0.

    Ties go to the first, and a word's own weight is 0.
    """
    best, best_weight = None, -1.0
    for other in candidates:
        query, key = (place, other) if direction == "dependent_to_head" else (other, place)
        weight = 0.0 if query == key else attention[query][key]
        if weight > best_weight:
            best, best_weight = other, weight
    return best


def plain_offset(word, offset, words, variant):
    target = word + offset
    if variant == "released":
        return min(max(target, -1), words - 1)
    return target if 0 <= target < words else -2  # nowhere; -1 is the root


def described_is_right(sentence, place, predictions):
    """Return True if a word gets its head, or a possessor by way of the marker that depends on it."""
    word = sentence.words[place]
    if clark_name(word.relation) == "poss":
        for other in range(place + 1, len(sentence.words)):
            if sentence.words[other].head == place + 1 and sentence.words[other].relation in ("case", "possessive"):
                return predictions[other] == word.head - 1
    return predictions[place] == word.head - 1


def released_is_right(sentence, place, predictions):
    """The notebook's rule, with heads counted from 1 as there; 0 is the root.

    A possessor whose predicted head comes before the last word has a rule of its own: if the next word is 's or s', the
    prediction for that word counts. At the last word of a sentence the notebook fails; here there is no such rule.
    """
    heads = [prediction + 1 for prediction in predictions]
    words, gold = sentence.forms, sentence.words[place].head
    is_possessor = clark_name(sentence.words[place].relation) == "poss"
    if is_possessor and heads[place] < len(words) and place + 1 < len(words):
        if words[place + 1] == "'s":
            return heads[place + 1] == gold
        if words[place + 1] == "s'":
            return heads[place + 1] == gold
    return heads[place] == gold


IS_RIGHT = {"described": described_is_right, "released": released_is_right}


def plain_head_predictions(maps, layer, head, direction):
    """For each sentence the words that a head predicts for its words."""
    predictions = []
    for of_all_heads in maps:
        attention = of_all_heads[layer, head].tolist()
        places = range(1, len(attention) - 1)
        predictions.append([plain_prediction(attention, place, direction, places) - 1 for place in places])
    return predictions


def plain_offset_predictions(treebank, offset, variant):
    """For each sentence the words that an offset predicts for its words."""
    sizes = [len(sentence.words) for sentence in treebank]
    return [[plain_offset(word, offset, words, variant) for word in range(words)] for words in sizes]


def plain_counts(predictions, treebank, relation, variant, apart=False):
    """For each sentence, how many of the words that count get their head."""
    counts = []
    for predicted, sentence in zip(predictions, treebank, strict=True):
        counted = counted_words(sentence, relation, apart)
        counts.append(sum(IS_RIGHT[variant](sentence, place, predicted) for place in counted))
    return np.array(counts)


def counted_words(sentence, relation, apart):
    """The words that count; if ``apart``, those of them with at least one word between them and their head."""
    counted = []
    for place, word in enumerate(sentence.words):
        between = abs(place - (word.head - 1)) - 1
        if is_counted(relation, word) and (not apart or (word.head != 0 and between > 0)):
            counted.append(place)
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


def best_head(counts, sentences, variant):
    """Ties go to the first; in the notebook to what comes last by layer, head and the name of the direction."""
    if variant == "described":
        return max(counts, key=lambda name: counts[name][sentences].sum())
    arrows = dict(zip(DEPENDENCY_DIRECTIONS, ("dep->head", "head<-dep"), strict=True))
    return max(counts, key=lambda name: (counts[name][sentences].sum(), name[0], name[1], arrows[name[2]]))


def of_direction(counts, direction):
    """The counts of heads in one direction."""
    return {name: hits for name, hits in counts.items() if name[2] == direction}


def best_offset(counts, sentences, variant):
    """Ties go to the first; in the notebook to the greatest."""
    if variant == "described":
        return max(counts, key=lambda offset: counts[offset][sentences].sum())
    return max(counts, key=lambda offset: (counts[offset][sentences].sum(), offset))


@settings(max_examples=8)
@given(st.integers(0, 1000), st.sampled_from(VARIANTS))
def test_equals_the_definition_word_by_word(seed, variant):
    treebank, sequences = random_treebank(seed, 12)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_FEWEST_INSTANCES", 1)
        found = table_of(module, sequences, treebank)
    check_table(found, sequences, treebank, variant)


def check_table(table, sequences, treebank, variant):
    """All rows of a variant against the definition."""
    everything = np.ones(len(treebank), dtype=bool)
    maps = [item.attention for item in sequences]
    layers, heads = maps[0].shape[:2]
    by_head = {
        (layer + 1, head + 1, direction): plain_head_predictions(maps, layer, head, direction)
        for direction in DEPENDENCY_DIRECTIONS
        for layer in range(layers)
        for head in range(heads)
    }
    offsets = range(-3, 3) if variant == "released" else range(-3, 4)
    by_offset = {offset: plain_offset_predictions(treebank, offset, variant) for offset in offsets}
    for relation, rows in table[table["variant"] == variant].groupby("relation"):
        of_heads, of_offsets = (
            {name: plain_counts(predictions, treebank, relation, variant) for name, predictions in systems.items()}
            for systems in (by_head, by_offset)
        )
        heads_apart, offsets_apart = (
            {
                name: plain_counts(predictions, treebank, relation, variant, True)
                for name, predictions in systems.items()
            }
            for systems in (by_head, by_offset)
        )
        total, apart = (
            np.array([len(counted_words(sentence, relation, apart)) for sentence in treebank])
            for apart in (False, True)
        )
        found = rows.set_index("selection")
        for selection, halves in (
            ("same_data", [(everything, everything)]),
            ("held_out", list(halves_of_units(len(treebank)))),
        ):
            check_row(found.loc[selection], of_heads, of_offsets, total, halves)
            check_apart(found.loc[selection], of_heads, heads_apart, offsets_apart, total, apart, halves)


def check_row(row, by_head, by_offset, total, halves):
    """Chosen on the first of each two sets of sentences and scored on the second, and averaged."""
    heads, accuracies, baselines, leads = [], [], [], []
    for chosen_on, scored_on in halves:
        if total[chosen_on].sum() == 0 or total[scored_on].sum() == 0:
            continue
        head = best_head(by_head, chosen_on, row["variant"])
        offset = best_offset(by_offset, chosen_on, row["variant"])
        heads.append(head)
        accuracies.append(by_head[head][scored_on].sum() / total[scored_on].sum())
        baselines.append(by_offset[offset][scored_on].sum() / total[scored_on].sum())
        hits = [
            by_head[best_head(of_direction(by_head, name), chosen_on, row["variant"])][scored_on].sum()
            for name in DEPENDENCY_DIRECTIONS
        ]
        leads.append((hits[0] - hits[1]) / total[scored_on].sum())
    assert row["n"] == total.sum()
    expected = [np.mean(accuracies), np.mean(baselines)] if heads else [np.nan, np.nan]
    assert [row["accuracy"], row["baseline_accuracy"]] == pytest.approx(expected, nan_ok=True)
    assert row["gain"] == pytest.approx(expected[0] - expected[1], nan_ok=True)
    assert row["direction_lead"] == pytest.approx(np.mean(leads) if heads else np.nan, nan_ok=True)
    if heads:
        shares = Counter(heads)
        chosen = row["layer"], row["head"], row["direction"]
        assert shares[chosen] == max(shares.values())
        assert row["chosen"] == pytest.approx(shares[chosen] / len(heads))


def check_apart(row, by_head, heads_apart, offsets_apart, total, apart, halves):
    """The head is chosen on all words and scored on those apart; the offset is chosen and scored on those apart."""
    accuracies, baselines = [], []
    for chosen_on, scored_on in halves:
        if apart[scored_on].sum() == 0:
            continue
        if total[chosen_on].sum() > 0:
            head = best_head(by_head, chosen_on, row["variant"])
            accuracies.append(heads_apart[head][scored_on].sum() / apart[scored_on].sum())
        if apart[chosen_on].sum() > 0:
            offset = best_offset(offsets_apart, chosen_on, row["variant"])
            baselines.append(offsets_apart[offset][scored_on].sum() / apart[scored_on].sum())
    expected = [np.mean(values) if values else np.nan for values in (accuracies, baselines)]
    assert row["apart_n"] == apart.sum()
    assert [row["apart_accuracy"], row["apart_baseline_accuracy"]] == pytest.approx(expected, nan_ok=True)
    assert row["apart_gain"] == pytest.approx(expected[0] - expected[1], nan_ok=True)


# ---- known answers ----


def one_hot(*targets):
    """A map in which each word attends to one other, most of all to itself and [SEP]."""
    n = len(targets) + 2
    attention = np.zeros((n, n), dtype=np.float32)
    for word, target in enumerate(targets, start=1):
        attention[word, [target + 1, word, n - 1]] = [0.2, 0.4, 0.4]
    return attention


@pytest.mark.parametrize(
    ("sentence", "described", "released"),
    [
        (JOHNS_DOG, {0: 1}, {0: 1}),
        (KINGS_HAT, {0: 3}, {}),
        (sentence_of(("Ann", 2, "nmod:poss"), ("cat", 0, "root")), {}, {}),
        # what marks case before the possessor speaks for itself
        (sentence_of(("of", 2, "case"), ("Ann", 3, "nmod:poss"), ("cat", 0, "root")), {}, {}),
        (STANFORD, {0: 1}, {0: 1}),
    ],
)
def test_the_marker_speaks_for_the_possessor(sentence, described, released):
    assert possessive_markers(sentence) == described
    assert markers_beside(sentence) == released


@pytest.mark.parametrize(("target", "right"), [(1, 1.0), (2, 1.0), (4, 0.0)])
def test_the_marker_speaks_but_the_notebook_keeps_a_prediction_of_the_last_word(monkeypatch, target, right):
    """John attends to 's, to dog or to the full stop, the last word; 's attends to dog."""
    monkeypatch.setattr(module, "_FEWEST_INSTANCES", 1)
    attention = one_hot(target, 2, 0, 0, 0)[None, None]
    attention[..., 1, 2] = 0.1  # and a little to 's
    found = table_of(module, [sequence(attention)] * 2, [JOHNS_DOG] * 2)
    accuracy = found.set_index(["relation", "variant", "selection"])["accuracy"]
    assert accuracy["nmod:poss", "described", "same_data"] == 1
    assert accuracy["nmod:poss", "released", "same_data"] == right


def test_ties_go_to_the_first_as_described_and_to_the_last_as_released():
    attention = np.stack([one_hot(1, 0)] * 6).reshape(2, 3, 4, 4)  # six heads, in both directions alike
    found = table_of(module, [sequence(attention)] * 3, [sentence_of(("a", 2, "det"), ("b", 0, "root"))] * 3)
    chosen = found[found["relation"] == "all"].set_index(["variant", "selection"])
    columns = ["layer", "head", "direction", "baseline_offset"]
    for selection in ("same_data", "held_out"):
        assert chosen.loc["described", selection][columns].tolist() == [1, 1, "dependent_to_head", 1]
        assert chosen.loc["released", selection][columns].tolist() == [2, 3, "head_to_dependent", 2]


def test_the_lead_of_a_direction_is_by_accuracy_in_both():
    """Both dependents attend to their head, and the head attends to one of them."""
    sentence = sentence_of(("a", 2, "det"), ("b", 0, "root"), ("c", 2, "det"))
    found = table_of(module, [sequence(one_hot(1, 0, 1)[None, None])] * 100, [sentence] * 100)
    assert found[found["relation"] == "det"]["direction_lead"].tolist() == [1 - 0.5] * 4


def test_words_beside_their_head_do_not_count_as_apart():
    """Attention to the next word finds every adjacent head and no other; the best offset apart is 2."""
    sentence = sentence_of(("a", 3, "det"), ("b", 3, "det"), ("c", 0, "root"), ("d", 5, "det"), ("e", 3, "obj"))
    found = table_of(module, [sequence(one_hot(1, 2, 3, 4, 3)[None, None])] * 100, [sentence] * 100)
    (row,) = found.query("relation == 'det' and variant == 'described' and selection == 'same_data'").to_dict("records")
    assert (row["accuracy"], row["n"], row["apart_n"]) == (pytest.approx(2 / 3), 300, 100)
    assert (row["apart_accuracy"], row["apart_baseline_offset"], row["apart_baseline_accuracy"]) == (0, 2, 1)
    assert row["apart_gain"] == -1
    of_all = found.query("relation == 'all' and variant == 'described' and selection == 'same_data'")
    assert of_all["apart_n"].tolist() == [200]  # not the root


def rows_of(treebank):
    """The relations that have rows, and how many words they count."""
    found = table_of(module, random_sequences(treebank), treebank).query(
        "variant == 'described' and selection == 'same_data'"
    )
    return found.set_index("relation")["n"]


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


def test_which_relations_have_rows_is_decided_on_all_sentences():
    sentence = sentence_of(("a", 2, "det"), ("c", 0, "root"))
    found = Sums.of(map(module.sums, random_sequences([sentence] * 100), [sentence] * 100), range(100))
    assert module.table(found.without(3))["n"].tolist() == [190, 190, 95] * 4
