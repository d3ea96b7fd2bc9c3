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
