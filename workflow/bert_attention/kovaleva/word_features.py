"""Linguistic features of words, by Penn tags and dependency labels (Kovaleva et al. 2019, section 4.4).

The paper's code has spaCy's Penn tags and its dependency labels, which are those of ClearNLP. Penn tags are used
unchanged. A word without a Penn tag (``_``) uses its universal part of speech: ``NOUN`` and ``PROPN``; ``VERB`` and
``AUX``, which include modal verbs; ``PRON``, unless its features (``PronType``) mark it as not personal.

With ClearNLP's labels, subjects and objects are those of the code. The agent is the "by" of a passive, a dative can be
a "to", and the verb of a predicate nominal is its head. Labels of Universal Dependencies (UD) correspond as follows:

- Subjects: nsubj, nsubjpass, csubj, csubjpass, expl are UD's nsubj, nsubj:pass, csubj, csubj:pass, expl (and :outer).
  agent is obl:agent, on the word that "by" introduces.
- Objects: dobj and a dative without a preposition are obj and iobj. attr and oprd, predicate nominals of subject and
  object, are nouns, proper nouns, pronouns and numerals that have a copula or are an xcomp. A dative with "to" is one
  of many obl in UD, and an object's predicate adjective looks like a subject's, so both are left out.

No label is a subject or an object in one scheme and something else in the other, except xcomp, which is a clause in
ClearNLP. A label that UD lacks shows that the sentence follows ClearNLP.
"""

from __future__ import annotations

import numpy as np

from bert_attention.corpora.tags import PARTS_OF_SPEECH, has_tag
from bert_attention.corpora.types import Sentence, Word

# The list of the released code. Its substring test makes "nor" hit "normal".
NEGATIONS = (
    *("neither", "nor", "not", "never", "none", "don't", "won't", "didn't", "hadn't", "haven't", "can't", "isn't"),
    *("wasn't", "shouldn't", "couldn't", "nothing", "nowhere"),
)
_NEGATION_WORDS = {*NEGATIONS, "n't"}

_SUBJECTS = {"nsubj", "nsubj:pass", "nsubj:outer", "csubj", "csubj:pass", "csubj:outer", "expl", "obl:agent"}
_SUBJECTS |= {"nsubjpass", "csubjpass", "agent"}
_OBJECTS = {"obj", "iobj", "dobj", "dative", "attr", "oprd"}
# Labels that UD lacks; most English sentences have one.
_CLEARNLP = {
    "nsubjpass",
    "csubjpass",
    "agent",
    "dobj",
    "dative",
    "attr",
    "oprd",
    "acomp",
    "prep",
    "pobj",
    "pcomp",
    "poss",
}
_CLEARNLP |= {"nn", "auxpass", "prt", "relcl", "neg", "npadvmod", "quantmod", "preconj", "predet"}
_NOMINALS = {"NOUN", "PROPN", "PRON", "NUM"}


def feature_words(sentence: Sentence) -> dict[str, np.ndarray]:
    """Return the words that have each of ``WORD_FEATURES``, as masks ``[word]``.

    Negation is a word of the released list, or an "n't", regardless of case.
    """
    words = sentence.words
    predicate_nominals = _predicate_nominals(sentence)
    found = {
        **{name: [has_tag(word, name) for word in words] for name in PARTS_OF_SPEECH},
        "subject": [word.relation in _SUBJECTS for word in words],
        "object": [word.relation in _OBJECTS or place in predicate_nominals for place, word in enumerate(words)],
        "negation": [word.form.lower().replace("’", "'") in _NEGATION_WORDS for word in words],
        "punctuation": [_is_punctuation(word) for word in words],
    }
    return {name: np.array(of_words, dtype=bool) for name, of_words in found.items()}


def verb_links(sentence: Sentence, feature: str, chosen: np.ndarray) -> list[tuple[int, int]]:
    """Return the index of the verb and of the word, from 0, for each chosen word that has a verb.

    The verb is the head of its clause, or the copula if the head is no verb. A predicate nominal has its own copula.

    Parameters
    ----------
    feature
        ``subject`` or ``object``.
    chosen
        ``[word]``: True for words that have the feature.
    """
    copulas = _copulas(sentence)
    links = [(_verb_of(sentence, place, feature, copulas), place) for place in np.flatnonzero(chosen).tolist()]
    return [(verb, place) for verb, place in links if verb is not None]


def plain_subjects(sentence: Sentence) -> list[tuple[int, int]]:
    """Return the index of the verb and of the word for each ``nsubj`` whose head is a verb, as in the released code.

    The code requires ``VERB``, which the code's version of spaCy also gave to auxiliaries.
    """
    words = sentence.words
    return [
        (word.head - 1, place)
        for place, word in enumerate(words)
        if word.relation == "nsubj" and word.head and words[word.head - 1].upos in ("VERB", "AUX")
    ]


def _is_punctuation(word: Word) -> bool:
    return word.upos == "PUNCT" if word.upos != "_" else not any(map(str.isalnum, word.form))


def _predicate_nominals(sentence: Sentence) -> set[int]:
    """Return the indices of predicate nominals in UD; in ClearNLP, they have labels of their own."""
    copulas = _copulas(sentence)
    xcomp_is_clause = any(word.relation in _CLEARNLP for word in sentence.words)
    return {
        place
        for place, word in enumerate(sentence.words)
        if word.upos in _NOMINALS and (place in copulas or (word.relation == "xcomp" and not xcomp_is_clause))
    }


def _copulas(sentence: Sentence) -> dict[int, int]:
    """Return the index of the copula of each predicate that has one."""
    return {word.head - 1: place for place, word in enumerate(sentence.words) if word.relation == "cop"}


def _verb_of(sentence: Sentence, place: int, feature: str, copulas: dict[int, int]) -> int | None:
    word = sentence.words[place]
    if feature == "object" and place in copulas:
        return copulas[place]
    if word.head and has_tag(sentence.words[word.head - 1], "verb"):
        return word.head - 1
    return copulas.get(word.head - 1)
