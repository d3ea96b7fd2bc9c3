"""Linguistic features of words, by Penn tags and dependency labels (Kovaleva et al. 2019, section 4.4).

The released code uses spaCy's Penn tags and spaCy's dependency labels, which are ClearNLP's. Penn tags are used
unchanged. For a word without a Penn tag (``_``), its universal part of speech is used: ``NOUN`` and ``PROPN``; ``VERB``
and ``AUX``, which include modal verbs; ``PRON``, unless its feature ``PronType`` marks it as not personal.

With ClearNLP's labels, subjects and objects are those of the released code. The agent is the "by" of a passive, a
dative can be a "to", and the head of a predicate nominal is its verb. Universal Dependencies (UD) have these labels:

- Subjects: nsubj, nsubjpass, csubj, csubjpass, expl are UD's nsubj, nsubj:pass, csubj, csubj:pass, expl (and :outer).
  agent is obl:agent, on the word that "by" introduces.
- Objects: dobj and a dative without a preposition are obj and iobj. attr and oprd are predicate nominals of subject and
  object. In UD, they are the nouns, proper nouns, pronouns and numerals that have a copula or are an xcomp. UD does not
  tell a dative with "to" from another obl, nor an object's predicate adjective from a subject's. Both are left out.

Only xcomp has another meaning in the other scheme: it is a clause in ClearNLP. A sentence with a label that UD lacks is
taken to follow ClearNLP.
"""

from __future__ import annotations

import numpy as np

from bert_attention.corpora.tags import PARTS_OF_SPEECH, has_tag
from bert_attention.corpora.types import Sentence, Word

# This is the list of the released code.
NEGATIONS = (
    *("neither", "nor", "not", "never", "none", "don't", "won't", "didn't", "hadn't", "haven't", "can't", "isn't"),
    *("wasn't", "shouldn't", "couldn't", "nothing", "nowhere"),
)
_NEGATION_WORDS = {*NEGATIONS, "n't"}

_SUBJECTS = {"nsubj", "nsubj:pass", "nsubj:outer", "csubj", "csubj:pass", "csubj:outer", "expl", "obl:agent"}
_SUBJECTS |= {"nsubjpass", "csubjpass", "agent"}
_OBJECTS = {"obj", "iobj", "dobj", "dative", "attr", "oprd"}
# Labels that UD lacks; most English sentences have one.
_CLEARNLP = {"nsubjpass", "csubjpass", "agent", "dobj", "dative", "attr", "oprd", "acomp", "prep", "pobj", "pcomp"}
_CLEARNLP |= {"poss", "nn", "auxpass", "prt", "relcl", "neg", "npadvmod", "quantmod", "preconj", "predet"}
_NOMINALS = {"NOUN", "PROPN", "PRON", "NUM"}


def feature_words(sentence: Sentence) -> dict[str, np.ndarray]:
    """Return masks ``[word]`` of the words that have each of ``WORD_FEATURES``.

    Words of ``NEGATIONS`` and "n't" have the feature ``negation``, regardless of case.
    """
    words = sentence.words
    predicate_nominals = _predicate_nominals(sentence)
    features = {
        **{name: [has_tag(word, name) for word in words] for name in PARTS_OF_SPEECH},
        "subject": [word.relation in _SUBJECTS for word in words],
        "object": [word.relation in _OBJECTS or index in predicate_nominals for index, word in enumerate(words)],
        "negation": [word.form.lower().replace("’", "'") in _NEGATION_WORDS for word in words],
        "punctuation": [_is_punctuation(word) for word in words],
    }
    return {name: np.array(mask, dtype=bool) for name, mask in features.items()}


def verb_links(sentence: Sentence, feature: str, chosen: np.ndarray) -> list[tuple[int, int]]:
    """Return the indices, from 0, of the verb and the word, for each chosen word that has a verb.

    The verb of a word is its head, or the copula of the head if the head is not a verb. The verb of a predicate nominal
    is its own copula. The feature is ``subject`` or ``object``, and ``chosen`` is a mask ``[word]`` of the words that
    have it.
    """
    copulas = _copulas(sentence)
    links = [(_verb_of(sentence, index, feature, copulas), index) for index in np.flatnonzero(chosen).tolist()]
    return [(verb, index) for verb, index in links if verb is not None]


def plain_subjects(sentence: Sentence) -> list[tuple[int, int]]:
    """Return the indices of the verb and the word, for each ``nsubj`` whose head is a verb, as in the released code.

    The code requires ``VERB``. The version of spaCy that it uses also gives this tag to auxiliaries.
    """
    words = sentence.words
    return [
        (word.head - 1, index)
        for index, word in enumerate(words)
        if word.relation == "nsubj" and word.head and words[word.head - 1].upos in ("VERB", "AUX")
    ]


def _is_punctuation(word: Word) -> bool:
    return word.upos == "PUNCT" if word.upos != "_" else not any(map(str.isalnum, word.form))


def _predicate_nominals(sentence: Sentence) -> set[int]:
    """Return the indices of predicate nominals by UD's labels; ClearNLP has labels for predicate nominals."""
    copulas = _copulas(sentence)
    xcomp_is_clause = any(word.relation in _CLEARNLP for word in sentence.words)
    return {
        index
        for index, word in enumerate(sentence.words)
        if word.upos in _NOMINALS and (index in copulas or (word.relation == "xcomp" and not xcomp_is_clause))
    }


def _copulas(sentence: Sentence) -> dict[int, int]:
    """Return the index of the copula of each predicate that has one."""
    return {word.head - 1: index for index, word in enumerate(sentence.words) if word.relation == "cop"}


def _verb_of(sentence: Sentence, index: int, feature: str, copulas: dict[int, int]) -> int | None:
    word = sentence.words[index]
    if feature == "object" and index in copulas:
        return copulas[index]
    if word.head and has_tag(sentence.words[word.head - 1], "verb"):
        return word.head - 1
    return copulas.get(word.head - 1)
