"""Parsed sentences written by hand."""

from bert_attention.corpora.types import Sentence, Word

_UPOS = {"V": "VERB", "N": "NOUN", "J": "ADJ", "M": "AUX"}


def parsed(*words, document=1):
    """A sentence of words, each ``form/tag/head/relation`` with a Penn tag; heads count from 1, and 0 is the root.

    A noun with the tag of a name is a proper noun, and a verb with the relation of an auxiliary is one.
    """
    return Sentence(tuple(map(_word, words)), document=document)


def _word(text):
    form, tag, head, relation = text.split("/")
    upos = "PROPN" if tag.startswith("NNP") else "PUNCT" if not tag[0].isalpha() else _UPOS.get(tag[0], "X")
    upos = "AUX" if relation.startswith("aux") else upos
    return Word(form, form.lower(), upos, tag, "_", int(head), relation)
