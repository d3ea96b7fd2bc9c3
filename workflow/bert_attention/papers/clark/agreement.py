"""Number, gender and person of mentions, for the rule-based baseline of Clark et al. 2019, section 4.3.

The paper names these three features and gives no details. The rules here use only English grammar and short lists of
words, without a lexicon of names:

- the features of the head word in the treebank (FEATS), if it has any and is not a verb;
- personal and demonstrative pronouns, by their forms;
- number of nouns by tag (NN, NNP: singular; NNS, NNPS: plural); a group joined by "and" is plural;
- gender of people by a courtesy title (Mr., Mrs.) or a noun that implies it (mother, king);
- person: third, except for pronouns; a group has the lowest person of its members (you and I: first).

An unknown value agrees with every value. Names of people have no gender here, and no noun is neuter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bert_attention.corpora.types import Document, Mention, Word

_VALUES = {"Number": {"Sing", "Plur"}, "Gender": {"Masc", "Fem", "Neut"}, "Person": {"1", "2", "3"}}
_NUMBER_OF_TAG = {"NN": "Sing", "NNP": "Sing", "NNS": "Plur", "NNPS": "Plur"}

_TITLES = {"Masc": "mr mr. mister sir lord", "Fem": "mrs mrs. ms ms. miss madam lady"}
_PERSON_NOUNS = {
    "Masc": "man boy gentleman king prince father dad son brother husband uncle nephew grandfather grandson",
    "Fem": "woman girl lady queen princess mother mom daughter sister wife aunt niece grandmother granddaughter",
}
_GENDER_OF_TITLE = {title: gender for gender, titles in _TITLES.items() for title in titles.split()}
_GENDER_OF_NOUN = {noun: gender for gender, nouns in _PERSON_NOUNS.items() for noun in nouns.split()}


class Agreement(NamedTuple):
    """Number (Sing, Plur), gender (Masc, Fem, Neut) and person (1, 2, 3) of a mention; None if unknown."""

    number: str | None = None
    gender: str | None = None
    person: str | None = None

    def matches(self, other: Agreement) -> bool:
        """Return True if the two mentions agree in every feature that is known for both."""
        return all(None in pair or pair[0] == pair[1] for pair in zip(self, other, strict=True))


_PRONOUNS = {
    form: agreement
    for forms, agreement in {
        "i me my mine myself": Agreement("Sing", None, "1"),
        "we us our ours ourselves 's ’s": Agreement("Plur", None, "1"),
        "you your yours ye": Agreement(None, None, "2"),
        "yourself": Agreement("Sing", None, "2"),
        "yourselves": Agreement("Plur", None, "2"),
        "he him his himself": Agreement("Sing", "Masc", "3"),
        "she her hers herself": Agreement("Sing", "Fem", "3"),
        "it its itself": Agreement("Sing", "Neut", "3"),
        "they them their theirs themselves": Agreement("Plur", None, "3"),
        "this that": Agreement("Sing", None, "3"),
        "these those": Agreement("Plur", None, "3"),
    }.items()
    for form in forms.split()
}


def mention_agreements(document: Document) -> list[Agreement]:
    """Return the number, gender and person of each mention of a document, by the rules of this module."""
    words: list[Word] = []
    parents: list[int] = []  # index of each word's head in the document, -1 for roots
    for sentence in document.sentences:
        start = len(words)
        words += sentence.words
        parents += [start + word.head - 1 if word.head else -1 for word in sentence.words]
    return [_mention_agreement(mention, words, parents) for mention in document.mentions]


def _mention_agreement(mention: Mention, words: Sequence[Word], parents: Sequence[int]) -> Agreement:
    head = words[mention.head]
    dependents = [index for index in mention.words if parents[index] == mention.head]
    if _is_group(mention, words, parents):
        members = (head, *(words[index] for index in dependents if index > mention.head))
        return Agreement("Plur", None, min(_word_agreement(member).person for member in members))
    return _word_agreement(head, [words[index] for index in dependents if index < mention.head])


def _is_group(mention: Mention, words: Sequence[Word], parents: Sequence[int]) -> bool:
    """Return True if an "and" joins other words to the mention's head.

    The "and" comes after the head. It depends on the head (trees made from constituents, Stanford Dependencies) or on a
    word joined to the head (Universal Dependencies). An "and" before the head, or deeper in the tree, joins modifiers.
    """
    for index in mention.words:
        if index > mention.head and words[index].form.lower() == "and":
            parent = parents[index]
            is_joined = parent in mention.words and words[parent].relation.startswith("conj")
            if parent == mention.head or (is_joined and parents[parent] == mention.head):
                return True
    return False


def _word_agreement(word: Word, modifiers: Sequence[Word] = ()) -> Agreement:
    """Return each feature from the first source that has a value: treebank, list of pronouns, other forms and tags."""
    titles = [_GENDER_OF_TITLE.get(part.form.lower()) for part in (word, *modifiers)]
    genders = [*titles, _GENDER_OF_NOUN.get(word.lemma.lower()), _GENDER_OF_NOUN.get(word.form.lower())]
    by_form_and_tag = Agreement(_NUMBER_OF_TAG.get(word.xpos), next(filter(None, genders), None), "3")
    known = zip(_features(word), _pronoun_agreement(word), by_form_and_tag, strict=True)
    return Agreement(*(next(filter(None, values), None) for values in known))


def _features(word: Word) -> Agreement:
    """Return the features in FEATS whose value is one of ``_VALUES``; ``Fem,Masc`` is unknown.

    All features of verbs are unknown: a verb that heads the mention of an event agrees with its own subject, not with
    pronouns for the event.
    """
    if word.upos in ("VERB", "AUX"):
        return Agreement()
    features = dict(feature.split("=", 1) for feature in word.feats.split("|") if "=" in feature)
    return Agreement(*(features[name] if features.get(name) in known else None for name, known in _VALUES.items()))


def _pronoun_agreement(word: Word) -> Agreement:
    """Return the features of a pronoun's form; unknown for other words (the US, a gold mine)."""
    if word.xpos not in ("PRP", "PRP$", "DT") and word.upos not in ("PRON", "DET"):
        return Agreement()
    return _PRONOUNS.get(word.form.lower(), Agreement())
