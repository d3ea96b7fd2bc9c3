"""Number, gender and person of mentions, for the rule-based baseline of Clark et al. 2019, section 4.3.

The paper names these three features and says no more. This is the least that English grammar offers without a lexicon
of names:

- the features of the head word in the treebank (FEATS), if it has any and is not a verb;
- personal and demonstrative pronouns, by their forms;
- number of nouns by tag (NN, NNP: singular; NNS, NNPS: plural), a group joined by "and": plural;
- gender of people by a courtesy title (Mr., Mrs.) or a noun that implies it (mother, king);
- person: third for all but pronouns; a group has the lowest person of its members (you and I: first).

An unknown value agrees with everything. Names of people have no gender here, and no noun is neuter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bert_attention.corpora.types import Document, Mention, Word

# Forms of pronouns, by number, gender and person.
_PRONOUN_TABLE = """
    i me my mine myself                 Sing  -     1
    we us our ours ourselves 's ’s      Plur  -     1
    you your yours ye                   -     -     2
    yourself                            Sing  -     2
    yourselves                          Plur  -     2
    he him his himself                  Sing  Masc  3
    she her hers herself                Sing  Fem   3
    it its itself                       Sing  Neut  3
    they them their theirs themselves   Plur  -     3
    this that                           Sing  -     3
    these those                         Plur  -     3
"""
_PRONOUN_TAGS = {"PRP", "PRP$", "DT"}
_PRONOUN_UPOS = {"PRON", "DET"}
_VERBAL_UPOS = {"VERB", "AUX"}
_VALUES = {"Number": {"Sing", "Plur"}, "Gender": {"Masc", "Fem", "Neut"}, "Person": {"1", "2", "3"}}
_NUMBER_OF_TAG = {"NN": "Sing", "NNP": "Sing", "NNS": "Plur", "NNPS": "Plur"}

_TITLES = {"Masc": "mr mr. mister sir lord", "Fem": "mrs mrs. ms ms. miss madam lady"}
_PERSONS = {
    "Masc": "man boy gentleman king prince father dad son brother husband uncle nephew grandfather grandson",
    "Fem": "woman girl lady queen princess mother mom daughter sister wife aunt niece grandmother granddaughter",
}
_GENDER_OF_TITLE = {title: gender for gender, titles in _TITLES.items() for title in titles.split()}
_GENDER_OF_PERSON = {noun: gender for gender, nouns in _PERSONS.items() for noun in nouns.split()}


class Agreement(NamedTuple):
    """Number (Sing, Plur), gender (Masc, Fem, Neut) and person (1, 2, 3) of a mention; None if unknown."""

    number: str | None = None
    gender: str | None = None
    person: str | None = None

    def matches(self, other: Agreement) -> bool:
        """Whether the two agree in every feature that is known of both."""
        return all(None in pair or pair[0] == pair[1] for pair in zip(self, other, strict=True))


def _pronoun_agreements() -> dict[str, Agreement]:
    known = {}
    for line in _PRONOUN_TABLE.strip().splitlines():
        *forms, number, gender, person = (None if field == "-" else field for field in line.split())
        known |= dict.fromkeys(forms, Agreement(number, gender, person))
    return known


_PRONOUNS = _pronoun_agreements()


def mention_agreements(document: Document) -> list[Agreement]:
    """Number, gender and person of each mention of a document (see the module)."""
    words: list[Word] = []
    parents: list[int] = []  # place of each word's head in the document, -1 for roots
    for sentence in document.sentences:
        start = len(words)
        words += sentence.words
        parents += [start + word.head - 1 if word.head else -1 for word in sentence.words]
    return [_mention_agreement(mention, words, parents) for mention in document.mentions]


def _mention_agreement(mention: Mention, words: Sequence[Word], parents: Sequence[int]) -> Agreement:
    head = words[mention.head]
    dependents = [place for place in mention.words if parents[place] == mention.head]
    if _is_group(mention, words, parents):
        members = (head, *(words[place] for place in dependents if place > mention.head))
        return Agreement("Plur", None, min(_person(member) for member in members))
    before = [words[place] for place in dependents if place < mention.head]
    return Agreement(_number(head), _gender(head, before), _person(head))


def _is_group(mention: Mention, words: Sequence[Word], parents: Sequence[int]) -> bool:
    """Whether an "and" joins other words to the head.

    Such an "and" comes after the head and depends on it (trees made from constituents, Stanford Dependencies) or on a
    word joined to it (Universal Dependencies). An "and" before the head, or deeper in the tree, joins modifiers.
    """
    for place in mention.words:
        if place > mention.head and words[place].form.lower() == "and":
            parent = parents[place]
            joined = parent in mention.words and words[parent].relation.startswith("conj")
            if mention.head in (parent, parents[parent] if joined else None):
                return True
    return False


def _number(head: Word) -> str | None:
    return _feature(head, "Number") or _pronoun_agreement(head).number or _NUMBER_OF_TAG.get(head.xpos)


def _gender(head: Word, modifiers: Sequence[Word]) -> str | None:
    titles = (_GENDER_OF_TITLE.get(word.form.lower()) for word in (head, *modifiers))
    by_title = next(filter(None, titles), None)
    by_noun = _GENDER_OF_PERSON.get(head.lemma.lower()) or _GENDER_OF_PERSON.get(head.form.lower())
    return _feature(head, "Gender") or _pronoun_agreement(head).gender or by_title or by_noun


def _person(head: Word) -> str:
    return _feature(head, "Person") or _pronoun_agreement(head).person or "3"


def _pronoun_agreement(word: Word) -> Agreement:
    """What the form of a pronoun tells; nothing for other words (the US, a gold mine)."""
    if word.xpos not in _PRONOUN_TAGS and word.upos not in _PRONOUN_UPOS:
        return Agreement()
    return _PRONOUNS.get(word.form.lower(), Agreement())


def _feature(word: Word, name: str) -> str | None:
    """The value of a feature in FEATS; None if it is absent or not one of ``_VALUES`` (``Fem,Masc``).

    None for verbs, too: as the head of a mention of an event, it agrees with its subject, not with what refers to it.
    """
    if word.upos in _VERBAL_UPOS:
        return None
    features = dict(feature.split("=", 1) for feature in word.feats.split("|") if "=" in feature)
    return features[name] if features.get(name) in _VALUES[name] else None
