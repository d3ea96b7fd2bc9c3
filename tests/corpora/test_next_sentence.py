import pytest

from bert_attention.corpora.next_sentence import next_sentence_task
from bert_attention.corpora.types import Article
from bert_attention.errors import InputError


def article(number, paragraphs=4, sentences=4):
    words = "is a sentence of some length"
    text = [
        tuple(f"a{number} p{place} s{sentence} {words}" for sentence in range(sentences)) for place in range(paragraphs)
    ]
    return Article(f"title {number}", tuple(text))


ARTICLES = [article(number, paragraphs=2 + number % 3) for number in range(20)]
TASK = next_sentence_task(ARTICLES, seed=3)


def place(sentence):
    """Return article, paragraph and number of a sentence."""
    return [int(part[1:]) for part in sentence.split()[:3]]


@pytest.mark.parametrize("examples", [TASK.train, TASK.validation])
def test_half_of_the_pairs_follow_each_other_and_half_are_of_different_articles(examples):
    for example in examples:
        (one, first, number), (other, second, next_number) = place(example.first), place(example.second)
        assert (one != other) if example.label == 0 else (one, first, number + 1) == (other, second, next_number)
        assert example.group == f"title {one}"
    positive = sum(example.label for example in examples)
    assert abs(positive - len(examples) / 2) <= 0.1 * len(examples) + 2
    sentences = [sentence for example in examples for sentence in (example.first, example.second)]
    assert len(set(sentences)) == len(sentences)


def test_training_and_validation_pairs_are_of_different_articles():
    train, validation = (
        {place(sentence)[0] for example in examples for sentence in (example.first, example.second)}
        for examples in (TASK.train, TASK.validation)
    )
    assert validation == {0, 5, 10, 15}
    assert not train & validation
    groups = [example.group for example in TASK.train]
    assert len(list(dict.fromkeys(groups))) == sum(
        one != other for one, other in zip(groups, ["", *groups], strict=False)
    )


def test_pairs_depend_on_the_seed_alone():
    assert next_sentence_task(ARTICLES, seed=3) == TASK
    assert next_sentence_task(ARTICLES, seed=4) != TASK


def test_short_and_long_sentences_are_left_out():
    short = Article("short", (("Two words.", "a b c d e f g"), ("a b c d e f g", "word " * 41)))
    task = next_sentence_task([short, *ARTICLES], seed=3)
    assert "short" not in {example.group for example in (*task.train, *task.validation)}


@pytest.mark.parametrize("articles", [[], ARTICLES[:1], ARTICLES[:5]])
def test_too_few_articles_are_refused(articles):
    with pytest.raises(
        InputError, match=r"task nsp: \d articles yield too few sentence pairs .*\n  Remedy: give at least 6"
    ):
        next_sentence_task(articles, seed=3)
