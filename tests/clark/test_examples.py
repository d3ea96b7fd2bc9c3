"""Examples for figures 1 and 5: the choice of texts and heads, and their weights."""

from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from bert_attention.corpora.types import Document, Mention
from bert_attention.papers.clark import entropy, positions
from bert_attention.papers.clark.examples import WINDOW, coreference_examples, examples, pattern_examples
from tests.bert_base_attention import bert_base_sequences
from tests.statistics.blocks import table_of
from tests.treebanks import random_sequences, sentence_of


def sentence(subject, objects, length=6):
    """A verb with so many objects, padded with adverbs."""
    words = [(subject, 2, "nsubj"), ("sees", 0, "root"), *[("it", 2, "obj")] * objects]
    return sentence_of(*words, *[("now", 2, "advmod")] * (length - len(words)))


def heads(**best):
    """A table of best heads: relation = (layer, head, direction)."""
    rows = [
        {"relation": name, "layer": layer, "head": head, "direction": direction}
        for name, (layer, head, direction) in ({"all": (1, 1, "dependent_to_head")} | best).items()
    ]
    return pd.DataFrame(rows).assign(selection="same_data", variant="described")


random_maps = partial(random_sequences, heads=3)
OBJECTS = heads(obj=(2, 3, "dependent_to_head"))


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        ([("a", 1), ("b", 2), ("c", 0), ("d", 3), ("e", 2)], [2, 4]),  # the first two that have the relation twice
        ([("a", 1), ("b", 0), ("c", 2), ("d", 1)], [3, 1]),  # then those that have it once
        # neither too long nor too short nor the same
        ([("a", 2, 13), ("b", 2, 4), ("c", 1), ("c", 1), ("x" * 13, 2), ("d", 1, 12)], [3, 6]),
        ([("a", 1, 20), ("b", 1, 14)], [2, 1]),  # if no sentence has the size, the nearest
    ],
)
def test_sentences_are_chosen_by_relation_and_size(sentences, expected):
    treebank = [sentence(*each) for each in sentences]
    table = examples(random_maps(treebank), treebank, OBJECTS)
    assert list(dict.fromkeys(table["sentence"])) == expected


@pytest.mark.parametrize(
    ("relations", "shown"),
    [
        (("case", "poss", "pobj"), ["poss", "pobj"]),  # ClearNLP, in which case is the possessive 's
        (("case", "nmod:poss", "obj"), ["obj", "nmod:poss", "case"]),  # Universal Dependencies
        (("case", "pobj"), ["pobj"]),
    ],
)
def test_case_is_shown_as_prepositions_only_in_universal_dependencies(relations, shown):
    treebank = [sentence_of(("dogs", 0, "root"), *((name, 1, name) for name in relations), ("now", 1, "advmod"))]
    best = heads(**dict.fromkeys(relations, (1, 1, "dependent_to_head")))
    table = examples(random_maps(treebank), treebank, best)
    assert list(dict.fromkeys(table["relation"])) == shown


def test_weights_leave_out_sep_and_sum_to_one():
    treebank = [sentence("a", 2), sentence("b", 0)]
    item, _ = random_maps(treebank)
    not_read = SimpleNamespace()  # has no attention to read
    table = examples([item, not_read], treebank, OBJECTS)
    attention = item.attention[1, 2].astype(float)
    for row in table.itertuples():
        expected = attention[row.query, row.key] / attention[row.query, :-1].sum()
        assert row.weight == pytest.approx(expected, abs=1e-6)
    assert len(table) == 7 * 7
    assert table["query_word"].unique().tolist() == ["[CLS]", "a", "sees", "it", "now"]
    assert set(table.loc[table["gold"], ["query", "key"]].itertuples(index=False, name=None)) == {(3, 2), (4, 2)}
    assert table[["relation", "layer", "head"]].drop_duplicates().to_numpy().tolist() == [["obj", 2, 3]]


def test_gold_pairs_follow_the_heads_direction_and_the_marker_of_a_possessor():
    johns = sentence_of(
        ("John", 3, "nmod:poss"), ("'s", 1, "case"), ("dog", 4, "nsubj"), ("barks", 0, "root"), (".", 4, "punct")
    )
    for treebank, relation, direction in (
        ([sentence("a", 1)], "obj", "head_to_dependent"),
        ([johns], "nmod:poss", "dependent_to_head"),
    ):
        table = examples(random_maps(treebank), treebank, heads(**{relation: (1, 1, direction)}))
        assert table.loc[table["gold"], ["query", "key"]].to_numpy().tolist() == [[2, 3]]


def test_a_treebank_without_frequent_relations_has_examples_of_all_relations():
    treebank = [sentence("a", 1), sentence("b", 2)]
    table = examples(random_maps(treebank), treebank, heads())
    assert set(table["relation"]) == {"all"}
    assert table["gold"].sum() == 10  # every word but the roots


# ---- coreference ----

LONG = "and then there were still many more words that say nothing"


def document(name, *sentences):
    """Sentences in which ``=`` and a chain follow each word that is a mention; all mentions are pronouns."""
    words = [[word.partition("=")[::2] for word in sentence.split()] for sentence in sentences]
    chains = [chain for sentence in words for _, chain in sentence]
    return Document(
        name,
        tuple(sentence_of(*[(form, int(index > 0), "dep") for index, (form, _) in enumerate(each)]) for each in words),
        tuple(Mention(chain, (index,), index, "pronoun") for index, chain in enumerate(chains) if chain),
    )


def best_head(layer, head, direction):
    """A table in which this head chooses best among mentions, and another head best of something else."""
    rows = [("mentions", "all", layer, head, 0.6), ("mentions", "all", 1, 1, 0.5)]
    rows += [("words", "all", 1, 1, 0.9), ("mentions", "pronoun", 1, 1, 0.9)]
    table = pd.DataFrame(rows, columns=["candidates", "mention_type", "layer", "head", "accuracy"])
    return table.assign(system="best_head", selection="same_data", direction=direction)


def passages(*documents):
    """The words of the passages that are shown, by document."""
    table = coreference_examples(random_maps(documents), documents, best_head(2, 3, "mention_to_antecedent"))
    words = table.drop_duplicates(["document", "key"]).groupby("document", sort=False)["key_word"]
    return words.agg(" ".join).to_dict()


def test_passages_show_two_mentions_without_a_repeated_word():
    repeated = document("repeated", "Tom=1 saw Ann=2 and Tom=1 saw Ann=2 again")
    one = document("one", "Tom=1 saw him and Tom=1 saw that he=1 slept")
    two = document("two", "Now it rains and rains , it rains", "Tom=1 saw Ann=2 and he=1 saw that she=2 slept")
    other = document("other", "Ann=2 saw Tom=1 and he=1 saw that she=2 ran")
    assert list(passages(repeated, one, two, other)) == ["two", "other"]
    assert list(passages(repeated, one, two)) == ["two", "one"]
    assert list(passages(repeated, one)) == ["one", "repeated"]
    assert passages(two)["two"] == "Tom saw Ann and he saw that she slept"


def test_passages_are_whole_sentences_of_a_size_that_fits():
    apart = document("apart", "Tom=1 and Ann=2 slept", "so he=1 told her=2 so", "now it rains and rains , it rains")
    assert passages(apart)["apart"] == "Tom and Ann slept so he told her so"
    far = document("far", "Tom=1 and Ann=2 slept", LONG, "he=1 told her=2 so")
    assert passages(far)["far"].split() == ["Tom", "and", "Ann", "slept", *LONG.split(), "he", "told", "her", "so"]
    assert list(passages(far, apart)) == ["apart", "far"]
    nothing, same_words = document("nothing", "Tom=1 and Ann=2 slept"), replace(apart, id="same words")
    assert list(passages(nothing, apart, same_words)) == ["apart"]


@pytest.mark.parametrize("direction", ["mention_to_antecedent", "antecedent_to_mention"])
def test_weights_of_a_passage_are_the_best_heads_and_sum_to_one(direction):
    text = document("d", "Now it rains", "Tom=1 saw that he=1 saw Ann=2 and she=2 saw him=1")
    (item,) = random_maps([text])
    table = coreference_examples([item], [text], best_head(2, 3, direction))
    attention = item.attention[1, 2].astype(float)
    for row in table.itertuples():
        expected = attention[row.query, row.key] / attention[row.query, 4:14].sum()
        assert row.weight == pytest.approx(expected, abs=1e-6)
    shown = table[["layer", "head", "direction", "document"]].drop_duplicates()
    assert shown.to_numpy().tolist() == [[2, 3, direction, "d"]]
    assert len(table) == 10 * 10
    gold = set(table.loc[table["gold"], ["query_word", "key_word"]].itertuples(index=False, name=None))
    of_mentions = {("he", "Tom"), ("him", "Tom"), ("him", "he"), ("she", "Ann")}
    assert gold == (of_mentions if direction == "mention_to_antecedent" else {pair[::-1] for pair in of_mentions})


# ---- patterns ----

VOCABULARY = ["[CLS]", "[SEP]", ".", "word"]


def segment(ids, *diagonals):
    """Each head attends to the token at its distance; a head without one attends to all alike."""
    n = len(ids)
    attention = np.stack([np.eye(n)[(np.arange(n) + d) % n] if d else np.full((n, n), 1 / n) for d in diagonals])
    ids = np.array(ids)
    masks = {"cls": ids == 0, "sep": ids == 1, "punctuation": ids == 2}
    return SimpleNamespace(attention=attention[None].astype(np.float32), token_ids=ids, categories=masks)


def tables(*segments):
    """Tables ``clark_positions`` and ``clark_entropy``."""
    return [table_of(analysis, segments) for analysis in (positions, entropy)]


def test_patterns_are_of_the_strongest_heads_at_the_end_of_the_first_fitting_segment():
    plain = segment([0, *[3] * 18, 1], 3, 0, 1)
    fitting = segment([0, *[3] * 10, 2, *[3] * 6, 2, 1], 3, 0, 1)
    table = pattern_examples(iter([plain, fitting, plain]), VOCABULARY, *tables(plain, fitting))
    named = table.drop_duplicates("behaviour").set_index("behaviour")
    assert named.index.tolist() == ["broad", "next", "sep", "punctuation"]
    assert named["head"][["broad", "next"]].tolist() == [2, 3]
    assert set(table["sequence"]) == {2}
    of_next = table[table["behaviour"] == "next"]
    assert len(of_next) == WINDOW**2
    assert (of_next["query"].min(), of_next["query"].max()) == (5, 19)
    inner = of_next[of_next["query"] < 19]
    np.testing.assert_array_equal(inner["weight"], (inner["key"] == inner["query"] + 1).astype(float))
    assert of_next.drop_duplicates("key")["key_word"].tolist()[-3:] == ["word", ".", "[SEP]"]
    broad = table[table["behaviour"] == "broad"]
    np.testing.assert_allclose(broad["weight"], 1 / WINDOW)
    table = pattern_examples([plain, plain], VOCABULARY, *tables(plain))
    assert set(table["sequence"]) == {1}  # without a fitting segment, the first


def test_real_bert_shows_the_papers_heads(real_data):
    """Figure 1: head 3-1 attends to the next token, 8-7 to [SEP]; broad heads are in layer 1, punctuation late."""
    segments = bert_base_sequences(real_data)
    vocabulary = sorted({token for segment in segments for token in segment.tokens})
    table = pattern_examples(segments, vocabulary, *tables(*segments))
    found = table.drop_duplicates("behaviour").set_index("behaviour")[["layer", "head"]]
    assert found.loc["next"].tolist() == [3, 1]
    assert found.loc["sep"].tolist() == [8, 7]
    assert found.loc["broad", "layer"] == 1
    assert found.loc["punctuation", "layer"] in (11, 12)
    weights = table[table["behaviour"] == "next"]
    following = weights[weights["key"] == weights["query"] + 1]
    assert following["weight"].min() > 0.9
