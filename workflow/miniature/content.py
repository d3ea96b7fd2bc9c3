"""What sentences say, as sets of facts: sentences are compared by these, not by their words.

A fact is a path into the meaning with a value, such as ``("object", "noun", "letter")``. Facts show who does what to
whom. They do not show style: voice, the order of objects, the place of a particle or an adjunct.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace

from miniature.english.verbs import FACTIVE
from miniature.meaning import (
    ROLES,
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

PLACE_KINDS = ("building", "place", "city", "container", "vehicle")

_OPEN_ADVERBS = {"never", "rarely", "almost", "probably", "perhaps"}  # what they modify may be false
_STRICT_VERBS = {"refuse", "forget", "wonder", "ask"}  # to refuse to run fast is not to refuse to run
_STRICT_DETERMINERS = {"every", "no", "another"}  # what is true of every old dog is not true of every dog
_MINOR = {"timing", "determiner", "number"}  # facts that do not count towards likeness
_MAJOR = {"verb", "noun", "negated"}  # facts that count twice
_HIGHEST_SCORE = 5.0


# A fact, and whether it must stay: if another one is left out, the rest stays true.
MarkedFact = tuple[Fact, bool]


def content(clause: Clause) -> set[MarkedFact]:
    """The facts of a clause; those of a question lack what it asks for."""
    return set(_of_clause(clause, (), False))


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
    if not _covers(content(clause), content(question)):
        return False
    if question.question in ROLES:
        return getattr(clause, question.question) is not None
    return question.question in map(answers_to, (*clause.adjuncts, clause.front))


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
    return {fact: 2 if _MAJOR & set(fact) else 1 for fact, _ in content(clause) if not _MINOR & set(fact)}


def _covers(whole: set[MarkedFact], part: set[MarkedFact]) -> bool:
    """Whether the whole has every fact of the part, and the part every fact of the whole that must stay."""
    return part <= whole and not any(fixed for _, fixed in whole - part)


def implications(clause: Clause) -> Iterator[Clause]:
    """The clause and those in it that it implies: joined by "and" or "but", or content of a factive verb."""
    if clause.also and clause.also[0] != "or":
        joined = clause.also[1]
        yield from implications(replace(clause, also=None))
        if not joined.grammatical_subject:
            joined = replace(joined, subject=clause.subject, tense=clause.tense)
        yield from implications(joined)
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


def _of_clause(clause: Clause, path: Fact, fixed: bool) -> Iterator[MarkedFact]:
    fixed = fixed or clause.negated
    yield (*path, "verb", clause.verb.name), True
    yield (*path, "timing", clause.tense, clause.modal, clause.perfect, clause.progressive), True
    if clause.negated:
        yield (*path, "negated"), True
    if clause.adverb:
        yield (*path, "adverb", clause.adverb.lemma), fixed or clause.adverb.lemma in _OPEN_ADVERBS
    for role in ROLES:
        nominal = getattr(clause, role)
        if nominal and clause.question != role:
            yield from _of_part(nominal, (*path, role), fixed)
    if clause.complement:
        yield from _of_part(clause.complement, (*path, "complement"), fixed)
    if clause.content:
        yield from _of_clause(clause.content, (*path, "content"), fixed or clause.verb.name in _STRICT_VERBS)
    for adjunct in (*clause.adjuncts, clause.front):
        if adjunct:
            yield from _of_part(adjunct, path, fixed)
    if clause.also:
        conjunction, joined = clause.also
        yield from _of_clause(joined, (*path, conjunction), fixed or conjunction == "or")


def _of_whole_clause(clause: Clause, path: Fact, fixed: bool) -> Iterator[MarkedFact]:
    """The facts of a clause that can be left out as a whole: none of them must stay unless all must."""
    return ((fact, fixed) for fact, _ in _of_clause(clause, path, fixed))


def _of_part(part: Nominal | Complement | Adjunct, path: Fact, fixed: bool) -> Iterator[MarkedFact]:
    match part:
        case NounPhrase():
            yield from _of_phrase(part, path, fixed)
        case Pronoun():
            yield (*path, "noun", part.person, part.number, part.gender), fixed
        case Coordination():
            members = (frozenset(fact for fact, _ in _of_part(member, (), False)) for member in part.members)
            yield (*path, "noun", frozenset(members)), fixed
        case Property():
            yield (*path, "adjective", part.adjective.lemma), fixed
            if part.degree:
                yield (*path, "degree", part.degree.lemma), fixed
        case Setting():
            yield from _of_part(part.nominal, (*path, part.preposition), fixed)
        case Time():
            yield (*path, "when", part.words), fixed
        case Manner():
            yield (*path, "manner", part.adverb.lemma), fixed or part.adverb.lemma in _OPEN_ADVERBS
        case Subordinate():
            yield from _of_whole_clause(part.clause, (*path, part.conjunction), fixed or part.conjunction == "if")
        case Purpose():
            yield from _of_whole_clause(part.clause, (*path, "purpose"), fixed)


def _of_phrase(phrase: NounPhrase, path: Fact, fixed: bool) -> Iterator[MarkedFact]:
    yield (*path, "noun", phrase.noun.lemma, *(name.lemma for name in phrase.names)), fixed
    yield (*path, "number", phrase.number, phrase.numeral), fixed
    determiner = None if phrase.owner else phrase.determiner
    yield (*path, "determiner", determiner, phrase.all), fixed
    fixed = fixed or phrase.all or determiner in _STRICT_DETERMINERS
    for adjective in phrase.adjectives:
        yield (*path, "adjective", adjective.lemma), fixed
    if phrase.degree:
        yield (*path, "degree", phrase.degree.lemma), fixed
    for noun in phrase.modifiers:
        yield (*path, "modifier", noun.lemma), fixed
    if phrase.owner:
        yield from _of_part(phrase.owner, (*path, "owner"), fixed)
    if phrase.attribute:
        yield from _of_part(phrase.attribute, path, fixed)
    if phrase.clause:
        yield from _of_whole_clause(phrase.clause.clause, (*path, "clause"), fixed)
    if phrase.apposition:
        yield from _of_phrase(phrase.apposition, (*path, "apposition"), fixed)
