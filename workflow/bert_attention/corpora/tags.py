"""Parts of speech of words, by the Penn Treebank's tags or by universal tags."""

from __future__ import annotations

from bert_attention.corpora.types import Word

PARTS_OF_SPEECH = ("noun", "verb", "pronoun")
_PENN_TAGS = {
    "noun": {"NN", "NNP", "NNPS", "NNS"},
    "verb": {"VB", "VBD", "VBG", "VBN", "VBP", "VBZ"},
    "pronoun": {"PRP", "PRP$"},
}
_UNIVERSAL_TAGS = {"noun": {"NOUN", "PROPN"}, "verb": {"VERB", "AUX"}, "pronoun": {"PRON"}}


def has_tag(word: Word, part_of_speech: str) -> bool:
    """Return True if a word's Penn tag, or else its universal tag, is a tag of the part of speech."""
    if word.xpos != "_":
        return word.xpos in _PENN_TAGS[part_of_speech]
    is_other_pronoun = "PronType=" in word.feats and "PronType=Prs" not in word.feats
    return word.upos in _UNIVERSAL_TAGS[part_of_speech] and not (part_of_speech == "pronoun" and is_other_pronoun)
