from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_attention.corpora.segments import MIN_REMAINING, build_segments, cut_pair, remaining_segments, sample_segments
from bert_attention.corpora.types import Article, Segment
from bert_attention.errors import InputError


def letters(texts):
    """Return each letter of a text as a wordpiece."""
    return [tuple((letter, True) for letter in text.replace(" ", "")) for text in texts]


def article(*paragraphs, title="t"):
    return Article(title, tuple(tuple(paragraph) for paragraph in paragraphs))


ALPHABET = [article(["abc", "def", "ghi"], ["jkl", "mno"]), article(["pqr", "stu"], title="u")]


def test_segments_are_consecutive_sentences_of_one_article():
    segments, _ = build_segments(ALPHABET, letters, "sentences", budget=9, seed=0)
    texts = sorted("".join(segment.first + segment.second) for segment in segments)
    assert texts == ["abcdefghi", "jklmno", "pqrstu"]
    assert {segment.article for segment in segments} == {"t", "u"}
    assert all(len(segment.first) % 3 == 0 for segment in segments)  # split at a sentence boundary
    same, _ = build_segments(ALPHABET, lambda texts: [(("".join("ab"), True),) * 3 for _ in texts], "sentences", 9, 0)
    assert len({id(wordpiece) for segment in same for wordpiece in segment.first + segment.second}) == 1  # shared


@pytest.mark.parametrize(
    ("paragraphs", "spans", "expected", "left_out"),
    [
        ([["abcdefgh", "ijk", "lmn"]], "sentences", {"ijklmn"}, "chunks of a single sentence"),
        ([["ab", "c"], ["d"], ["e"], ["f"], ["g"]], "paragraphs", {"abcd", "ef"}, "last paragraphs without a partner"),
    ],
)
def test_only_text_without_a_partner_is_skipped(paragraphs, spans, expected, left_out):
    segments, skipped = build_segments([article(*paragraphs)], letters, spans, budget=6, seed=0)
    assert {"".join(segment.first + segment.second) for segment in segments} == expected
    assert {segment.second for segment in segments} <= {("l", "m", "n"), ("d",), ("f",)}
    assert skipped == {left_out: 1}


@given(st.text("ab", min_size=1), st.text("cd", min_size=1), st.integers(2, 20), st.integers(0, 9))
def test_a_cut_pair_fits_and_keeps_the_middle_of_both_parts(first, second, budget, seed):
    parts = cut_pair(tuple(first), tuple(second), budget, np.random.default_rng(seed))
    assert sum(map(len, parts)) == min(budget, len(first) + len(second))
    assert all(parts)
    assert "".join(parts[0]) in first
    assert "".join(parts[1]) in second


def test_both_ends_of_the_longer_part_are_cut():
    cuts = [cut_pair(tuple("abcdef"), tuple("xy"), 7, np.random.default_rng(seed))[0] for seed in range(20)]
    assert set(cuts) == {tuple("abcde"), tuple("bcdef")}


def test_every_boundary_is_possible_and_only_the_seed_decides():
    articles = [article(["a", "b", "c", "d"], title=str(number)) for number in range(60)]
    drawn = [build_segments(articles, letters, "sentences", budget=4, seed=seed)[0] for seed in (1, 1, 2)]
    assert {len(segment.first) for segment in drawn[0]} == {1, 2, 3}
    assert drawn[0] == drawn[1] != drawn[2]


def doubled(texts):
    """Return each letter of a text as two wordpieces."""
    return [tuple((half, True) for letter in text.replace(" ", "") for half in (letter, "")) for text in texts]


def words(texts):
    """Return each word of a text as a wordpiece."""
    return [tuple((word, True) for word in text.split()) for text in texts]


def contents(segments):
    return [(one.article, "".join(one.first), "".join(one.second)) for one in segments]


@pytest.mark.parametrize("spans", ["sentences", "paragraphs"])
@pytest.mark.parametrize("seed", range(5))
def test_several_encoders_read_the_same_text(spans, seed):
    sentences = ["the cat sat on", "a mat", "and it purred all the long day", "so be it then", "we left", "at dawn"]
    articles = [article(sentences[:3], sentences[3:], title=title) for title in "ab"]
    readers = [(letters, 30), (doubled, 40), (words, 9)]
    found = []
    for index, (tokenize, budget) in enumerate(readers):
        others = readers[:index] + readers[index + 1 :]
        segments, left_out = build_segments(articles, tokenize, spans, budget, seed, others)
        assert all(len(one.first) + len(one.second) <= budget for one in segments)
        assert not left_out
        found.append(contents(segments))
    assert found[0] == found[1] == found[2]
    assert {title for title, *_ in found[0]} == {"a", "b"}
    text = "".join("".join(sentences).split())
    assert all(first in text and second in text for _, first, second in found[0])
    assert (
        max(len(first + second) for _, first, second in found[0]) > 10
    )  # as long as the encoder with most wordpieces allows
    alone, _ = build_segments(articles, words, spans, 9, seed)
    assert contents(alone) != found[0]


def test_a_chunk_with_a_word_that_one_encoder_cannot_take_is_left_out_for_all():
    articles = [article(["a b", "c" * 50])]
    for tokenize, others in ((words, [(letters, 20)]), (letters, [(words, 20)])):
        segments, left_out = build_segments(articles, tokenize, "sentences", 20, 0, others)
        assert not segments
        assert left_out == {"chunks with a word that is too long for an encoder": 1}


def test_the_sample_is_sorted_by_article_and_the_other_segments_remain():
    segments = [Segment(title, (str(number),), ("b",), (True,), (True,)) for number, title in enumerate("bcabca" * 3)]
    found = [(segment.article, *segment.first) for segment in sample_segments(segments, 5)]
    assert found == [("a", "2"), ("b", "0"), ("b", "3"), ("c", "1"), ("c", "4")]
    assert remaining_segments(segments, 5, 100) == segments[5:]
    assert remaining_segments(segments, 5, 3) == segments[5:8]


@pytest.mark.parametrize("found", [11, 18])
def test_fewer_segments_than_asked_for_are_all_used(found):
    segments = [Segment(str(number), ("a",), ("b",), (True,), (True,)) for number in range(10, 10 + found)]
    with pytest.warns(
        UserWarning, match=f"^{found} segments are analyzed: .* is 500, but the text yields only {found}$"
    ):
        assert sample_segments(segments, 500) == segments
    with pytest.warns(UserWarning, match=f"^{found - MIN_REMAINING} segments are analyzed"):
        analyzed = sample_segments(segments, 500, mlm_head="fit")
    fitted = remaining_segments(segments, 500, 100)
    assert analyzed + fitted == segments
    assert len(fitted) == MIN_REMAINING
    problem = (
        rf"yields {MIN_REMAINING} segments, .* mlm_head: fit needs {MIN_REMAINING} .*\n  Remedy: give a longer text"
    )
    for function in (partial(sample_segments, mlm_head="fit"), partial(remaining_segments, at_most=5)):
        with pytest.raises(InputError, match=problem):
            function(segments[:MIN_REMAINING], 5)
    with pytest.raises(InputError, match="yields 0 segments"):
        sample_segments([], 5)
