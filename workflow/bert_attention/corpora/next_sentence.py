"""Next-sentence prediction from running text: does the second sentence follow the first (Devlin et al. 2019)?

In half of the pairs, two sentences of one paragraph follow each other. In the other half, the second sentence is from
another article. No sentence is in two pairs. Training and validation pairs are from different articles: the first and
every fifth article after it are for validation. The treebank holds out the same articles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from bert_attention.corpora.types import LAYOUTS, Article, PairTask, TaskExample
from bert_attention.corpora.writing_systems import count_words
from bert_attention.errors import InputError

NAME = "nsp"
_NOT_NEXT, _NEXT = 0.0, 1.0
_EVERY = 5  # one article in five is for validation
_WORDS = range(5, 41)  # number of words of a sentence

# Title of an article, and two sentences of the article that follow each other.
_Pair = tuple[str, str, str]


def next_sentence_task(articles: Sequence[Article], seed: int) -> PairTask:
    """Return the task ``nsp``: pairs of sentences of 5 to 40 words, half of which follow each other.

    The examples of an article are adjacent, and their group is the article's title. Raise InputError if the articles
    for training or for validation do not give pairs of both kinds.
    """
    layout = LAYOUTS[NAME]
    random = np.random.default_rng(seed)
    held_out = [article for index, article in enumerate(articles) if index % _EVERY == 0]
    others = [article for index, article in enumerate(articles) if index % _EVERY != 0]
    train, validation = (_examples(part, random) for part in (others, held_out))
    if any({example.label for example in examples} != {_NOT_NEXT, _NEXT} for examples in (train, validation)):
        problem = f"{len(articles)} articles yield too few sentence pairs for training and validation"
        raise InputError(
            f"task {NAME}", problem, f"give at least {_EVERY + 1} articles with several sentences in a paragraph"
        )
    return PairTask(NAME, layout.classes, layout.metrics, train, validation)


def _examples(articles: Iterable[Article], random: np.random.Generator) -> tuple[TaskExample, ...]:
    """Return the examples of some articles, in the order of the articles."""
    following, apart = [], []
    for article in articles:
        pairs = list(_pairs_of(article))
        order = random.permutation(len(pairs))
        middle = (len(pairs) + int(random.integers(2))) // 2
        following += [TaskExample(pairs[index][1], pairs[index][2], _NEXT, article.title) for index in order[:middle]]
        apart += [pairs[index] for index in order[middle:]]
    examples = [*following, *_mismatched_examples(apart)]
    positions = {title: index for index, title in enumerate(dict.fromkeys(example.group for example in examples))}
    return tuple(sorted(examples, key=lambda example: positions[example.group]))


def _pairs_of(article: Article) -> Iterable[_Pair]:
    """Yield pairs of sentences that follow each other, each sentence at most once."""
    for paragraph in article.paragraphs:
        for first, second in zip(paragraph[::2], paragraph[1::2], strict=False):
            if count_words(first) in _WORDS and count_words(second) in _WORDS:
                yield article.title, first.strip(), second.strip()


def _mismatched_examples(pairs: Sequence[_Pair]) -> list[TaskExample]:
    """Return the pairs with their second sentences rotated by the number of pairs of the largest article.

    If an article has more than half of the pairs, some of its sentences stay in the article. These pairs are skipped.
    """
    shift = max(Counter(title for title, _, _ in pairs).values(), default=0)
    rotated = [*pairs[shift:], *pairs[:shift]]
    return [
        TaskExample(first, second, _NOT_NEXT, title)
        for (title, first, _), (other, _, second) in zip(pairs, rotated, strict=True)
        if title != other
    ]
