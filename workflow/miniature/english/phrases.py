"""English noun phrases and prepositional phrases, from meanings to trees."""

from __future__ import annotations

from collections.abc import Callable

from miniature.english.function_words import (
    COMMA,
    CONJUNCTIONS,
    DETERMINERS,
    LAST,
    NEXT,
    PERSONAL,
    POSSESSIVE,
    POSSESSIVE_AFTER_S,
    PREPOSITIONS,
)
from miniature.english.lexicon import NOUNS, NUMERALS
from miniature.meaning import (
    Coordination,
    Nominal,
    NounPhrase,
    Pronoun,
    Property,
    Reduced,
    Referent,
    Relative,
    Setting,
    Time,
)
from miniature.tokens import Token
from miniature.trees import Node, leaf

# Makes the tree of a clause about a noun. The module of clauses builds on this one and passes it in.
NounClause = Callable[[Relative | Reduced, NounPhrase], Node]


def nominal(meaning: Nominal, relation: str, case: str, noun_clause: NounClause) -> Node:
    """The tree of a nominal; ``case`` is Nom, Acc or Gen (a possessor)."""
    match meaning:
        case Pronoun():
            return _pronoun(meaning, relation, case)
        case Referent():
            return Node(None, relation, referent=meaning, case=case)
        case Coordination():
            return _coordination(meaning, relation, case, noun_clause)
        case _:
            return _noun_phrase(meaning, relation, case, noun_clause)


def _pronoun(meaning: Pronoun, relation: str, case: str) -> Node:
    gender = meaning.gender if meaning.number == "Sing" else ""
    token = PERSONAL[meaning.person, meaning.number, gender, case]
    node = leaf(token, relation, (meaning, "head"))
    node.mention = meaning.entity
    return node


def _coordination(meaning: Coordination, relation: str, case: str, noun_clause: NounClause) -> Node:
    """The first member with the others below it; commas and the conjunction hang on the member that they precede."""
    first, *others = (nominal(member, relation, case, noun_clause) for member in meaning.members)
    for number, member in enumerate(others, start=1):
        member.relation = "conj"
        last = number == len(others)
        joint = (
            leaf(CONJUNCTIONS[meaning.conjunction], "cc", (meaning, "conjunction")) if last else leaf(COMMA, "punct")
        )
        member.left.insert(0, joint)
        first.right.append(member)
    return first


def _noun_phrase(meaning: NounPhrase, relation: str, case: str, noun_clause: NounClause) -> Node:
    token = meaning.noun.plural if meaning.number == "Plur" else meaning.noun.singular
    node = leaf(token, relation, (meaning, "head"))
    node.left = _before_noun(meaning, noun_clause)
    node.right = [leaf(name.singular, "flat", (meaning, name.lemma)) for name in meaning.names]
    if meaning.attribute:
        node.right.append(prepositional_phrase(meaning.attribute, "nmod", noun_clause))
    if meaning.clause:
        node.right.append(noun_clause(meaning.clause, meaning))
    if meaning.apposition:
        node.right.append(_apposition(meaning.apposition, noun_clause))
    if case == "Gen":
        after_s = token.form.endswith("s") and meaning.number == "Plur"
        mark = POSSESSIVE_AFTER_S if after_s else POSSESSIVE
        node.right.append(leaf(mark, "case", loosely=((meaning, "determiner"), (meaning, "head"))))
    return node


def _before_noun(meaning: NounPhrase, noun_clause: NounClause) -> list[Node]:
    nodes = []
    if meaning.all:
        nodes.append(leaf(DETERMINERS["all"], "det:predet", (meaning, "all")))
    if meaning.owner:
        nodes.append(nominal(meaning.owner, "nmod:poss", "Gen", noun_clause))
    elif meaning.determiner:
        nodes.append(leaf(determiner(meaning.determiner, meaning.number), "det", (meaning, "determiner")))
    if meaning.numeral:
        nodes.append(leaf(NUMERALS[meaning.numeral], "nummod", (meaning, "numeral")))
    for place, adjective in enumerate(meaning.adjectives):
        node = leaf(adjective.token, "amod", (meaning, adjective.lemma))
        if place == 0 and meaning.degree:
            node.left.append(leaf(meaning.degree.token, "advmod", (meaning, "degree")))
        nodes.append(node)
    nodes += [leaf(noun.singular, "compound", (meaning, noun.lemma)) for noun in meaning.modifiers]
    return nodes


def determiner(form: str, number: str) -> Token:
    """A determiner in a number."""
    return DETERMINERS["these" if form == "this" and number == "Plur" else form]


def _apposition(meaning: NounPhrase, noun_clause: NounClause) -> Node:
    """An apposition between commas; the second is dropped later if other punctuation follows."""
    node = _noun_phrase(meaning, "appos", "Nom", noun_clause)
    node.left.insert(0, leaf(COMMA, "punct"))
    node.right.append(leaf(COMMA, "punct"))
    return node


def prepositional_phrase(meaning: Setting, relation: str, noun_clause: NounClause) -> Node:
    """The tree of a prepositional phrase: its noun is the head, the preposition its ``case``."""
    node = nominal(meaning.nominal, relation, "Acc", noun_clause)
    node.left.insert(0, leaf(PREPOSITIONS[meaning.preposition], "case", (meaning, "preposition")))
    return node


def time(meaning: Time, relation: str) -> Node:
    """The tree of an expression of time without a preposition."""
    *before, head = meaning.words
    node = leaf(NOUNS[head].singular, relation, (meaning, "head"))
    node.left = [_time_word(word, meaning) for word in before]
    return node


def _time_word(word: str, meaning: Time) -> Node:
    sense = (meaning, word)
    if word in DETERMINERS:
        return leaf(DETERMINERS[word], "det", sense)
    if word in NUMERALS:
        return leaf(NUMERALS[word], "nummod", sense)
    return leaf({"last": LAST, "next": NEXT}[word], "amod", sense)


def property_phrase(meaning: Property, relation: str) -> Node:
    """The tree of a predicate adjective."""
    node = leaf(meaning.adjective.token, relation, (meaning, "head"))
    if meaning.degree:
        node.left.append(leaf(meaning.degree.token, "advmod", (meaning, "degree")))
    return node
