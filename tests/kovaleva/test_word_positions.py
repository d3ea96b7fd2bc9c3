"""Positions of words among wordpieces."""

import dataclasses

import numpy as np
import pytest

from bert_attention.corpora.types import Sentence, Word
from bert_attention.kovaleva.word_positions import placed_sentences, text_positions
from tests.kovaleva.examples import EXAMPLES, PARSES, example, parsed, stored, tokens_of


def placed_tokens(task_input, parses):
    """For each sentence its words with their tokens."""
    tokens = np.array(tokens_of(task_input))
    placed = placed_sentences(task_input, stored(task_input, 0).word_ids, parses)
    return [
        {form: tokens[mask].tolist() for form, mask in zip(one.sentence.forms, one.words, strict=True)}
        for one in placed
    ]


def test_words_have_the_wordpieces_that_share_their_characters():
    first, second = placed_tokens(EXAMPLES[0], PARSES)
    assert first == {
        "She": ["she"],
        "did": ["didn"],
        "n't": ["didn", "'", "t"],
        "see": ["see"],
        "the": ["the"],
        "dog": ["dog"],
        ".": ["."],
    }
    assert second["remarkable"] == ["remar", "##kable"]
    assert (second["dog"], second["she"]) == (["dog"], ["she"])


def test_equal_words_stand_where_they_are():
    _, second = placed_sentences(EXAMPLES[0], stored(EXAMPLES[0], 0).word_ids, PARSES)
    assert [np.flatnonzero(mask).tolist() for mask in second.words] == [
        *([10], [11], [12], [13, 14], [15], [16], [17], [18], [19]),
    ]


def test_sentences_of_one_text_stand_one_after_the_other():
    normal, says, abnormal = placed_tokens(EXAMPLES[2], PARSES)
    assert normal["Normal"] == ["norma", "##l"]
    assert says == {"She": ["she"], "says": ["says"], ":": [":"], "never": ["never"], ".": ["."]}
    assert abnormal["dog"] == ["dog"]


def test_words_that_were_cut_off_have_no_token():
    first, second = placed_tokens(EXAMPLES[3], PARSES)
    assert first == {"An": ["an"], "abnormal": ["abnor", "##mal"], "dog": [], "is": [], "a": [], "cat": [], ".": []}
    assert second["sees"] == ["sees"]
    assert second["remarkable"] == []


def test_a_word_cut_within_has_the_tokens_that_are_left():
    task_input = example(1, "An abnormal dog", kept=2)
    (words,) = placed_tokens(
        task_input, {"1 first": [parsed("An abnormal", "An DET DT 2 det", "abnormal ADJ JJ 0 root")]}
    )
    assert words["abnormal"] == ["abnor"]


def test_words_that_are_not_written_out_have_the_tokens_of_the_whole():
    words = tuple(Word(form, form, "X", "_", "_", head, "dep") for form, head in (("want", 0), ("to", 1)))
    line = "\t".join(["1-2", "wanna", *["_"] * 7, "start_char=3|end_char=8"])
    (placed,) = placed_tokens(example(1, "We wanna"), {"1 first": [Sentence(words, (), ((0, line),))]})
    assert placed == {"want": ["wanna"], "to": ["wanna"]}


def test_examples_and_attention_of_other_lengths_do_not_belong_together():
    longer = dataclasses.replace(
        EXAMPLES[1], first=("more", *EXAMPLES[1].first), first_begins=(True, *EXAMPLES[1].first_begins)
    )
    with pytest.raises(ValueError, match="example 2 has 7 wordpieces, its attention 6"):
        text_positions(longer, stored(EXAMPLES[1], 0).word_ids)
