"""Frames in the sentences of the documents, and their elements."""

import re

import pytest

from miniature import framed_sentences
from tests.miniature.conftest import SEED, SIZE


@pytest.fixture(scope="module")
def framed():
    return framed_sentences(SIZE, SEED)


def test_frames_stand_in_the_sentences_of_the_documents(sentences, framed):
    texts = {sentence.comment("text") for sentence in sentences}
    assert len(framed) > SIZE
    assert len({sentence.frame for sentence in framed}) > 60
    for sentence in framed:
        assert sentence.text in texts
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
