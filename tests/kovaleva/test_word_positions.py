import numpy as np
import pytest

from bert_attention.corpora.types import Sentence, Word
from bert_attention.papers.kovaleva.word_positions import placed_sentences
from tests.kovaleva.examples import EXAMPLES, PARSES, example, stored, tokens_of


def placed_tokens(task_input, parses):
    """Return each word with its tokens, for each sentence."""
    tokens = np.array(tokens_of(task_input))
    return [
        [" ".join([form, *tokens[mask]]) for form, mask in zip(each.sentence.forms, each.words, strict=True)]
        for each in placed_sentences(task_input, stored(task_input).word_ids, parses)
    ]


@pytest.mark.parametrize(
    ("number", "sentence", "expected"),
    [
        (0, 0, "She she | did didn | n't didn ' t | see see | the the | dog dog | . ."),
        (2, 1, "She she | says says | : : | never never | . ."),  # after another sentence of the text
        (3, 0, "An an | abnormal abnor ##mal | dog | is | a | cat | ."),  # cut off
    ],
)
def test_words_have_the_wordpieces_that_share_their_characters(number, sentence, expected):
    assert placed_tokens(EXAMPLES[number], PARSES)[sentence] == expected.split(" | ")


def test_words_that_are_not_written_out_have_the_tokens_of_the_whole():
    words = tuple(Word(form, form, "X", "_", "_", head, "dep") for form, head in (("want", 0), ("to", 1)))
    line = "\t".join(["1-2", "wanna", *["_"] * 7, "start_char=3|end_char=8"])
    parse = Sentence(words, (), ((0, line),))
    assert placed_tokens(example(1, "We wanna"), {"1 first": [parse]}) == [["want wanna", "to wanna"]]
