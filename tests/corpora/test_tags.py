"""Parts of speech, by Penn tags and by universal tags."""

import pytest

from bert_attention.corpora.tags import PARTS_OF_SPEECH, has_tag, is_tagged
from bert_attention.corpora.types import Sentence, Word

PRONOUN = "PronType=Prs"


def tagged(upos, xpos, feats="_"):
    return Word("x", "x", upos, xpos, feats, 0, "root")


@pytest.mark.parametrize(
    ("word", "part_of_speech"),
    [
        (tagged("_", "NNS"), "noun"),
        (tagged("NOUN", "VBG"), "verb"),  # a Penn tag comes before UPOS
        (tagged("PRON", "PRP$"), "pronoun"),
        (tagged("PRON", "DT"), None),
        (tagged("PROPN", "_"), "noun"),
        (tagged("PROPN", "NE"), "noun"),  # German, STTS
        (tagged("NOUN", "S"), "noun"),  # Italian
        (tagged("AUX", "VAFIN"), "verb"),
        (tagged("PRON", "PPER", PRONOUN), "pronoun"),
        (tagged("PRON", "PDS", "PronType=Dem"), None),
        (tagged("_", "NE"), None),
    ],
)
def test_penn_tags_count_and_other_tags_leave_it_to_upos(word, part_of_speech):
    assert [name for name in PARTS_OF_SPEECH if has_tag(word, name)] == ([part_of_speech] if part_of_speech else [])


@pytest.mark.parametrize(
    ("upos", "xpos", "known"), [("_", "_", False), ("_", "NE", False), ("X", "NE", True), ("_", "NN", True)]
)
def test_a_sentence_is_tagged_if_a_tag_is_known(upos, xpos, known):
    assert is_tagged(Sentence((tagged("_", "_"), tagged(upos, xpos)))) == known
