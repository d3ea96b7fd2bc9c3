from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_attention.corpora.segments import FEWEST_LEFT, build_segments, cut_pair, left_over, sample_of
from bert_attention.corpora.types import Article, Segment
from bert_attention.errors import InputError


def by_characters(texts):
    """Tokenizer that makes every letter a wordpiece."""
    return [tuple((letter, True) for letter in text.replace(" ", "")) for text in texts]


def article(*paragraphs, title="t"):
    return Article(title, tuple(tuple(paragraph) for paragraph in paragraphs))


ALPHABET = [article(["abc", "def", "ghi"], ["jkl", "mno"]), article(["pqr", "stu"], title="u")]


def test_segments_are_consecutive_sentences_of_one_article():
    segments, _ = build_segments(ALPHABET, by_characters, "sentences", budget=9, seed=0)
    texts = sorted("".join(segment.first + segment.second) for segment in segments)
    assert texts == ["abcdefghi", "jklmno", "pqrstu"]
    assert {segment.article for segment in segments} == {"t", "u"}
    assert all(len(segment.first) % 3 == 0 for segment in segments)  # split at a sentence boundary


def test_a_chunk_of_one_sentence_is_left_out_and_the_article_goes_on():
    articles = [article(["abcdefgh", "ijk", "lmn"])]
    segments, left_out = build_segments(articles, by_characters, "sentences", budget=6, seed=0)
    assert segments == [Segment("t", ("i", "j", "k"), ("l", "m", "n"), (True,) * 3, (True,) * 3)]
    assert left_out == Counter({"chunks of a single sentence": 1})


def test_a_wordpiece_is_held_once_however_often_it_occurs():
    def made_anew(texts):
        return [tuple(("".join(["a", "bc"]), True) for _ in text) for text in texts]

    segments, _ = build_segments(ALPHABET, made_anew, "sentences", budget=9, seed=0)
    assert len({id(wordpiece) for segment in segments for wordpiece in segment.first + segment.second}) == 1


def test_paragraphs_are_paired_without_overlap():
    articles = [article(["ab", "c"], ["d"], ["e"], ["f"], ["g"])]
    segments, left_out = build_segments(articles, by_characters, "paragraphs", budget=9, seed=0)
    assert sorted((s.first, s.second) for s in segments) == [(("a", "b", "c"), ("d",)), (("e",), ("f",))]
    assert left_out == Counter({"last paragraphs without a partner": 1})


@given(st.text("ab", min_size=1), st.text("cd", min_size=1), st.integers(2, 20), st.integers(0, 9))
def test_a_cut_pair_fits_keeps_both_parts_and_cuts_ends_only(first, second, budget, seed):
    parts = cut_pair(tuple(first), tuple(second), budget, np.random.default_rng(seed))
    assert sum(map(len, parts)) == min(budget, len(first) + len(second))
    assert all(parts)
    assert "".join(parts[0]) in first
    assert "".join(parts[1]) in second


def test_the_longer_part_is_cut_and_both_ends_are():
    cuts = [cut_pair(tuple("abcdef"), tuple("xy"), 7, np.random.default_rng(seed))[0] for seed in range(20)]
    assert set(cuts) == {tuple("abcde"), tuple("bcdef")}


def test_every_boundary_is_possible_and_the_seed_decides_alone():
    articles = [article(["a", "b", "c", "d"], title=str(number)) for number in range(60)]
    drawn = [build_segments(articles, by_characters, "sentences", budget=4, seed=seed)[0] for seed in (1, 1, 2)]
    assert {len(segment.first) for segment in drawn[0]} == {1, 2, 3}
    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]


def test_segments_are_sampled_by_article_and_the_rest_is_for_the_head():
    segments = [Segment(title, (str(number),), ("b",), (True,), (True,)) for number, title in enumerate("bcabca" * 3)]
    found = [(segment.article, *segment.first) for segment in sample_of(segments, 5)]
    assert found == [("a", "2"), ("b", "0"), ("b", "3"), ("c", "1"), ("c", "4")]
    assert left_over(segments, 5, 100) == segments[5:]
    assert left_over(segments, 5, 3) == segments[5:8]
    with pytest.raises(InputError, match=r"corpora.wikipedia.segments = 19: the articles yield only 18 segments"):
        sample_of(segments, 19)
    for size in (len(segments) - FEWEST_LEFT + 1, len(segments), 99):
        with pytest.raises(InputError, match=r"mlm_head: fit needs 10.*\n.*at most 8,"):
            left_over(segments, size, 100)
