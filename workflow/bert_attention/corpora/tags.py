"""Parts of speech of words, by the Penn Treebank's tags or by universal tags."""

from __future__ import annotations

from bert_attention.corpora.types import Sentence, Word

# Tags of the Penn Treebank and of OntoNotes.
PENN_TAGS = {"CC", "CD", "DT", "EX", "FW", "IN", "JJ", "JJR", "JJS", "LS", "MD", "NN", "NNS", "NNP", "NNPS", "PDT"}
PENN_TAGS |= {"POS", "PRP", "PRP$", "RB", "RBR", "RBS", "RP", "SYM", "TO", "UH", "VB", "VBD", "VBG", "VBN", "VBP"}
PENN_TAGS |= {"VBZ", "WDT", "WP", "WP$", "WRB", "ADD", "AFX", "GW", "HYPH", "NFP", "XX", "$", "-LRB-", "-RRB-"}

PARTS_OF_SPEECH = ("noun", "verb", "pronoun")
_PENN_TAGS_OF = {
    "noun": {"NN", "NNP", "NNPS", "NNS"},
    "verb": {"VB", "VBD", "VBG", "VBN", "VBP", "VBZ"},
    "pronoun": {"PRP", "PRP$"},
}
_UNIVERSAL_TAGS_OF = {"noun": {"NOUN", "PROPN"}, "verb": {"VERB", "AUX"}, "pronoun": {"PRON"}}


def has_tag(word: Word, part_of_speech: str) -> bool:
    """Return True if a word's tag is a tag of the part of speech: XPOS if that is a Penn tag, and else UPOS.

    Other languages' treebanks have other tags there, such as STTS for German.
    """
    if word.xpos in PENN_TAGS:
        return word.xpos in _PENN_TAGS_OF[part_of_speech]
    is_other_pronoun = "PronType=" in word.feats and "PronType=Prs" not in word.feats
    return word.upos in _UNIVERSAL_TAGS_OF[part_of_speech] and not (part_of_speech == "pronoun" and is_other_pronoun)


def is_tagged(sentence: Sentence) -> bool:
    """Return True if any word has a tag that :func:`has_tag` knows."""
    return any(word.upos != "_" or word.xpos in PENN_TAGS for word in sentence.words)
