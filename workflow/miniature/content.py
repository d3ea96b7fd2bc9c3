"""What sentences say, as sets of facts: sentences are compared by these, not by their words.

A fact is a path into the meaning with a value, such as ``("object", "noun", "letter")``. Facts show who does what to
whom. They do not show style: voice, the order of objects, the place of a particle or an adjunct.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace

from miniature.english.verbs import FACTIVE
from miniature.meaning import (
    Adjunct,
    Clause,
    Complement,
    Coordination,
    Manner,
    Nominal,
    NounPhrase,
    Pronoun,
    Property,
    Purpose,
    Setting,
    Subordinate,
    Time,
    kind_of,
)

Fact = tuple[Hashable, ...]

ROLES = ("subject", "object", "recipient", "oblique")
PLACE_KINDS = ("building", "place", "city", "container", "vehicle")

_OPEN_ADVERBS = {"never", "rarely", "almost", "probably", "perhaps"}  # what they modify may be false
_STRICT_VERBS = {"refuse", "forget", "wonder", "ask"}  # to refuse to run fast is not to refuse to run
_STRICT_DETERMINERS = {"every", "no", "another"}  # what is true of every old dog is not true of every dog
_MINOR = {"timing", "determiner", "number"}  # facts that do not count towards likeness
_MAJOR = {"verb", "noun", "negated"}  # facts that count twice
_HIGHEST_SCORE = 5.0


@dataclass(frozen=True)
class Content:
    """The facts of a clause: if one of ``facts`` is left out, the rest stays true; ``fixed`` ones must stay."""

    facts: set[Fact] = field(default_factory=set)
    fixed: set[Fact] = field(default_factory=set)

    def add(self, fact: Fact, fixed: bool) -> None:
        """Add a fact."""
        (self.fixed if fixed else self.facts).add(fact)


def content(clause: Clause) -> Content:
    """The facts of a clause; those of a question lack what it asks for."""
    found = Content()
    _add_clause(clause, (), False, found)
    return found


def same_meaning(first: Clause, second: Clause) -> bool:
    """Whether two clauses say, or ask, the same."""
    return first.question == second.question and content(first) == content(second)


def entails(premise: Clause, hypothesis: Clause) -> bool:
    """Whether the hypothesis is true whenever the premise is, by their facts alone."""
    wanted = content(hypothesis)
    return any(_covers(content(clause), wanted) for clause in implications(premise))


def contradicts(premise: Clause, hypothesis: Clause) -> bool:
    """Whether one clause denies what the other entails."""
    if hypothesis.negated:
        return entails(premise, replace(hypothesis, negated=False))
    return premise.negated and entails(hypothesis, replace(premise, negated=False))


def answers(clause: Clause, question: Clause) -> bool:
    """Whether a clause says what a question asks for and all that the question takes for granted."""
    return _covers(content(clause), content(question)) and fills(clause, question.question)


def fills(clause: Clause, question: str) -> bool:
    """Whether a clause has the part that a kind of question asks for."""
    if question in ROLES:
        return getattr(clause, question) is not None
    return any(answers_to(part) == question for part in (*clause.adjuncts, clause.front))


def answers_to(adjunct: Adjunct | None) -> str | None:
    """The question that an adjunct answers: where, when, why or (None) none of these."""
    match adjunct:
        case Time():
            return "when"
        case Setting() if kind_of(adjunct.nominal) in PLACE_KINDS:
            return "where"
        case Setting() if kind_of(adjunct.nominal) in ("event", "day"):
            return "when"
        case Subordinate() if adjunct.conjunction == "because":
            return "why"
        case Purpose():
            return "why"
    return None


def likeness(first: Clause, second: Clause) -> float:
    """How much two clauses share, from 0 to 5: Dice's coefficient of their facts; heads and negation count twice."""
    one, two = _weighted_facts(first), _weighted_facts(second)
    shared = sum(weight for fact, weight in one.items() if fact in two)
    return _HIGHEST_SCORE * 2 * shared / (sum(one.values()) + sum(two.values()))


def _weighted_facts(clause: Clause) -> dict[Fact, int]:
    found = content(clause)
    facts = [fact for fact in found.facts | found.fixed if not _MINOR & set(fact)]
    return {fact: 2 if _MAJOR & set(fact) else 1 for fact in facts}


def _covers(whole: Content, part: Content) -> bool:
    """Whether the whole has every fact of the part, and the part every fact of the whole that must stay."""
    return part.facts <= whole.facts and part.fixed == whole.fixed


def implications(clause: Clause) -> Iterator[Clause]:
    """The clause and those in it that it implies: joined by "and" or "but", or content of a factive verb."""
    if clause.also and clause.also[0] != "or":
        joined = clause.also[1]
        yield from implications(replace(clause, also=None))
        own_subject = joined.subject or joined.passive
        yield from implications(joined if own_subject else replace(joined, subject=clause.subject, tense=clause.tense))
        return
    yield clause
    if clause.content and clause.verb.name in FACTIVE and is_plain(clause):
        controller = {"infinitival": clause.subject, "control": clause.object}.get(clause.verb.pattern)
        if controller is None:
            yield from implications(clause.content)
        else:
            yield replace(clause.content, subject=controller, tense=clause.tense)


def is_plain(clause: Clause) -> bool:
    """Whether a clause says that something is so: no negation, modal, condition or adverb that leaves it open."""
    adverbs = {clause.adverb.lemma} if clause.adverb else set()
    parts = (*clause.adjuncts, clause.front)
    adverbs |= {part.adverb.lemma for part in parts if isinstance(part, Manner)}
    conditional = any(isinstance(part, Subordinate) and part.conjunction == "if" for part in parts)
    return not (clause.negated or clause.modal or conditional or adverbs & _OPEN_ADVERBS)


def _add_clause(clause: Clause, path: Fact, fixed: bool, found: Content) -> None:
    fixed = fixed or clause.negated
    found.add((*path, "verb", clause.verb.name), True)
    found.add((*path, "timing", clause.tense, clause.modal, clause.perfect, clause.progressive), True)
    if clause.negated:
        found.add((*path, "negated"), True)
    if clause.adverb:
        found.add((*path, "adverb", clause.adverb.lemma), fixed or clause.adverb.lemma in _OPEN_ADVERBS)
    for role in ROLES:
        nominal = getattr(clause, role)
        if nominal is not None and clause.question != role:
            _add_nominal(nominal, (*path, role), fixed, found)
    if clause.complement:
        _add_complement(clause.complement, (*path, "complement"), fixed, found)
    if clause.content:
        _add_clause(clause.content, (*path, "content"), fixed or clause.verb.name in _STRICT_VERBS, found)
    for adjunct in (*clause.adjuncts, clause.front):
        if adjunct:
            _add_adjunct(adjunct, path, fixed, found)
    if clause.also:
        conjunction, joined = clause.also
        _add_clause(joined, (*path, conjunction), fixed or conjunction == "or", found)


def _add_adjunct(adjunct: Adjunct, path: Fact, fixed: bool, found: Content) -> None:
    match adjunct:
        case Setting():
            _add_nominal(adjunct.nominal, (*path, adjunct.preposition), fixed, found)
        case Time():
            found.add((*path, "when", adjunct.words), fixed)
        case Manner():
            found.add((*path, "manner", adjunct.adverb.lemma), fixed or adjunct.adverb.lemma in _OPEN_ADVERBS)
        case Subordinate():
            fixed = fixed or adjunct.conjunction == "if"
            _add_clause(adjunct.clause, (*path, adjunct.conjunction), fixed, _where_to_add(found, fixed))
        case Purpose():
            _add_clause(adjunct.clause, (*path, "purpose"), fixed, _where_to_add(found, fixed))


def _where_to_add(found: Content, fixed: bool) -> Content:
    """Where to add the facts of a clause that can be left out as a whole: none of them is fixed unless all are."""
    return found if fixed else Content(found.facts, found.facts)


def _add_complement(complement: Complement, path: Fact, fixed: bool, found: Content) -> None:
    match complement:
        case Property():
            found.add((*path, "adjective", complement.adjective.lemma), fixed)
            if complement.degree:
                found.add((*path, "degree", complement.degree.lemma), fixed)
        case Setting():
            _add_nominal(complement.nominal, (*path, complement.preposition), fixed, found)
        case _:
            _add_nominal(complement, path, fixed, found)


def _add_nominal(nominal: Nominal, path: Fact, fixed: bool, found: Content) -> None:
    match nominal:
        case NounPhrase():
            _add_phrase(nominal, path, fixed, found)
        case Pronoun():
            found.add((*path, "noun", nominal.person, nominal.number, nominal.gender), fixed)
        case Coordination():
            members = frozenset(_facts_of(member) for member in nominal.members)
            found.add((*path, "noun", nominal.conjunction, members), fixed)


def _facts_of(nominal: Nominal) -> frozenset[Fact]:
    alone = Content()
    _add_nominal(nominal, (), False, alone)
    return frozenset(alone.facts | alone.fixed)


def _add_phrase(phrase: NounPhrase, path: Fact, fixed: bool, found: Content) -> None:
    found.add((*path, "noun", phrase.noun.lemma, *(name.lemma for name in phrase.names)), fixed)
    found.add((*path, "number", phrase.number, phrase.numeral), fixed)
    determiner = None if phrase.owner else phrase.determiner
    found.add((*path, "determiner", determiner, phrase.all), fixed)
    fixed = fixed or phrase.all or determiner in _STRICT_DETERMINERS
    for adjective in phrase.adjectives:
        found.add((*path, "adjective", adjective.lemma), fixed)
    if phrase.degree:
        found.add((*path, "degree", phrase.degree.lemma), fixed)
    for noun in phrase.modifiers:
        found.add((*path, "modifier", noun.lemma), fixed)
    if phrase.owner:
        _add_nominal(phrase.owner, (*path, "owner"), fixed, found)
    if phrase.attribute:
        _add_nominal(phrase.attribute.nominal, (*path, phrase.attribute.preposition), fixed, found)
    if phrase.clause:
        _add_clause(phrase.clause.clause, (*path, "clause"), fixed, _where_to_add(found, fixed))
    if phrase.apposition:
        _add_phrase(phrase.apposition, (*path, "apposition"), fixed, found)
