"""Frames made from trees: verbs, their arguments, and the characters of texts."""

from dataclasses import replace

import pytest

from bert_attention.corpora.frame_selection import select_framed
from bert_attention.corpora.types import Sentence
from bert_attention.stand_ins.frames import arguments, framed_sentences, running_text, stretches
from tests.stand_ins.parsed import parsed

SENT = parsed(
    *("In/IN/9/prep", "May/NNP/1/pobj", ",/,/9/punct", "a/DT/5/det", "letter/NN/9/nsubjpass"),
    *("could/MD/9/aux", "have/VB/9/aux", "been/VBN/9/auxpass", "sent/VBN/0/root", "by/IN/9/agent"),
    *("Ann/NNP/10/pobj", "././9/punct"),
)


def test_a_verb_is_the_target_and_its_far_argument_the_element():
    assert list(stretches(SENT)) == [(0, 2), (3, 11)]  # split at punctuation
    assert list(arguments(SENT, 8)) == [("nsubjpass", (3, 5)), ("agent", (9, 11))]
    (framed,) = framed_sentences([SENT])
    assert framed.text == "a letter could have been sent by Ann"
    assert framed.frame == "sent"
    assert framed.text[slice(*framed.target)] == "sent"
    (element,) = framed.elements
    assert element.name == "nsubjpass"
    assert framed.text[element.start : element.end] == "a letter"
    for selection in ("released", "described"):
        assert select_framed([framed], selection, "stand-in") == ([framed], {})


@pytest.mark.parametrize(("document", "group"), [(3, "article-3"), (0, "")])
def test_a_sentence_with_frames_belongs_to_its_article(document, group):
    (framed,) = framed_sentences([replace(SENT, document=document)])
    assert framed.group == group


@pytest.mark.parametrize(
    "words",
    [
        ["Ann/NNP/2/nsubj", "left/VBD/0/root", "Ohio/NNP/2/dobj"],
        ["she/PRP/4/nsubj", "is/VBZ/4/aux", "now/RB/4/advmod", "old/JJ/0/root"],
        ["a/DT/2/det", "letter/NN/13/nsubjpass", *["so/RB/13/advmod"] * 10, "sent/VBN/0/root"],
    ],
)
def test_auxiliaries_verbs_without_far_arguments_and_long_stretches_give_nothing(words):
    assert list(framed_sentences([parsed(*words)])) == []


def test_texts_keep_their_spaces():
    words = parsed("do/VBP/3/aux", "n't/RB/3/neg", "go/VB/0/root").words
    sentence = Sentence((replace(words[0], misc="SpaceAfter=No"), *words[1:]))
    assert running_text(sentence) == ("don't go", [(0, 2), (2, 5), (6, 8)])
