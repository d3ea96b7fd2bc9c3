"""Frames in the sentences of the documents, and their elements."""

import re
from collections import Counter

import pytest

from bert_attention.corpora.frame_selection import select_framed
from miniature import framed_sentences
from tests.miniature.conftest import SEED, SIZE


@pytest.fixture(scope="module")
def framed():
    return framed_sentences(SIZE, SEED)


def test_frames_stand_in_the_sentences_of_the_documents_then_in_exemplars(sentences, framed):
    texts = {sentence.comment("text") for sentence in sentences}
    of_documents = [sentence for sentence in framed if sentence.text in texts]
    assert list(framed[: len(of_documents)]) == of_documents
    assert min(len(of_documents), len(framed) - len(of_documents)) > SIZE
    assert len({sentence.frame for sentence in framed}) > 60
    for sentence in framed:
        start, end = sentence.target
        assert sentence.text[start:end].isalpha()
        for element in sentence.elements:
            assert re.fullmatch(r"\w(.*\w)?'?", sentence.text[element.start : element.end])
            assert not element.start < end <= element.end  # no element holds its verb


def test_the_elements_of_a_frame(framed):
    giving = [
        (sentence.text[slice(*sentence.target)], {e.name: sentence.text[e.start : e.end] for e in sentence.elements})
        for sentence in framed
        if sentence.frame == "Giving" and len(sentence.elements) == 3
    ]
    assert giving
    for target, elements in giving:
        assert re.fullmatch("g(ives?|ave|iven|iving)", target.lower())
        assert set(elements) == {"Donor", "Theme", "Recipient"}
        assert not re.match("by |to ", elements["Theme"])


@pytest.mark.parametrize("selection", ["described", "released"])
def test_many_exemplars_pass_the_papers_filters_and_no_offset_links_half_of_them(framed, selection):
    sentences, _ = select_framed(framed, selection, "miniature")
    assert len(sentences) > 0.5 * SIZE
    offsets = Counter(offset for sentence in sentences for offset in offsets_of(sentence))
    assert max(offsets.values()) < 0.5 * len(sentences)
    assert min(offsets) < -5
    assert max(offsets) > 5


def offsets_of(sentence):
    """How many words after those of its elements a target stands."""
    place = len(sentence.text[: sentence.target[0]].split())
    starts = [
        (len(sentence.text[: e.start].split()), len(sentence.text[e.start : e.end].split())) for e in sentence.elements
    ]
    return {place - start - word for start, words in starts for word in range(words)}
