from itertools import groupby

import pytest

from bert_attention.corpora.next_sentence import next_sentence_task
from bert_attention.corpora.types import Article
from bert_attention.errors import InputError


def article(number, paragraphs):
    words = "is a sentence of some length"
    text = [
        tuple(f"a{number} p{paragraph} s{sentence} {words}" for sentence in range(4)) for paragraph in range(paragraphs)
    ]
    return Article(f"title {number}", tuple(text))


ARTICLES = [article(number, paragraphs=2 + number % 3) for number in range(20)]
TASK = next_sentence_task(ARTICLES, seed=3)


def position(sentence):
    """Return article, paragraph and number of a sentence."""
    return [int(part[1:]) for part in sentence.split()[:3]]


@pytest.mark.parametrize("examples", [TASK.train, TASK.validation])
def test_half_of_the_pairs_follow_each_other_and_half_are_of_different_articles(examples):
    for example in examples:
        (one, first, number), (other, second, next_number) = position(example.first), position(example.second)
        assert (one != other) if example.label == 0 else (one, first, number + 1) == (other, second, next_number)
        assert example.group == f"title {one}"
        held_out = examples is TASK.validation
        assert (one % 5 == 0, other % 5 == 0) == (held_out, held_out)
    positive = sum(example.label for example in examples)
    assert abs(positive - len(examples) / 2) <= 0.1 * len(examples) + 2
    sentences = [sentence for example in examples for sentence in (example.first, example.second)]
    assert len(set(sentences)) == len(sentences)
    groups = [example.group for example in examples]
    assert len([group for group, _ in groupby(groups)]) == len(set(groups))  # the examples of an article are adjacent


def test_pairs_depend_on_the_seed_and_the_lengths_alone():
    assert next_sentence_task(ARTICLES, seed=3) == TASK
    assert next_sentence_task(ARTICLES, seed=4) != TASK
    # Short and long sentences are skipped.
    short = Article("short", (("Two words.", "a b c d e f g"), ("a b c d e f g", "word " * 41)))
    task = next_sentence_task([short, *ARTICLES], seed=3)
    assert "short" not in {example.group for example in (*task.train, *task.validation)}


@pytest.mark.parametrize("articles", [[], ARTICLES[:5]])
def test_too_few_articles_are_an_error(articles):
    with pytest.raises(InputError, match=r"\d articles yield too few sentence pairs .*\n  Remedy: give at least 6"):
        next_sentence_task(articles, seed=3)
