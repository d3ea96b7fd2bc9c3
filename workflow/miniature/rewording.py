"""Changes to clauses: the same in other words, something else in nearly the same words, or less than was said."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations

from miniature.content import is_plain
from miniature.drawing import Draw
from miniature.english.lexicon import ADJECTIVES_OF_KIND, COMPOUNDS, GIVEN_NAMES, NOUNS_OF_KIND, PEOPLE, TIMES
from miniature.english.verbs import VERBS_OF_PATTERN
from miniature.inventor import ACTIONS, WITH_NEGATION, WITH_PASSIVE, is_heavy
from miniature.meaning import (
    ROLES,
    Adjunct,
    Clause,
    Coordination,
    Manner,
    NounPhrase,
    Property,
    Purpose,
    Relative,
    Setting,
    Time,
    kind_of,
)

# A way to change a clause. It gives the changed clause, or None if it does not apply.
Change = Callable[[Clause, Draw], Clause | None]


def reword(clause: Clause, draw: Draw, changes: int) -> Clause:
    """The clause with up to ``changes`` changes of style, each of a different sort; it means the same."""
    return _apply(clause, draw, _STYLES, changes)


def alter(clause: Clause, draw: Draw, changes: int = 1) -> Clause:
    """The clause with up to ``changes`` changes of what it says."""
    return _apply(clause, draw, _ALTERATIONS, changes)


def rearrange(clause: Clause, draw: Draw) -> Clause:
    """The clause with two parts swapped, if it has such: other facts in the same words."""
    return _apply(clause, draw, _EXCHANGES, 1)


def weaken(clause: Clause, draw: Draw, changes: int) -> Clause:
    """The clause without up to ``changes`` of its parts that can be left out."""
    return _apply(clause, draw, _OMISSIONS, changes)


def _apply(clause: Clause, draw: Draw, ways: tuple[Change, ...], changes: int) -> Clause:
    for way in draw.shuffled(ways):
        if changes == 0:
            break
        changed = way(clause, draw)
        if changed is not None:
            clause, changes = changed, changes - 1
    return clause


def _one_of(candidates: Callable[[Clause, Draw], Iterator[Clause]]) -> Change:
    """A change to one of several clauses, drawn at random; it does not apply where there are none."""

    def change(clause: Clause, draw: Draw) -> Clause | None:
        choices = list(candidates(clause, draw))
        return draw.pick(choices) if choices else None

    return change


# Where a clause has a noun phrase: a role, or the place of an adjunct.
Slot = str | int


def _phrases(clause: Clause) -> list[tuple[Slot, NounPhrase]]:
    """The noun phrases in a clause's roles and adjuncts."""
    roles = [(role, getattr(clause, role)) for role in ROLES if role != clause.question]
    settings = [(place, part.nominal) for place, part in enumerate(clause.adjuncts) if isinstance(part, Setting)]
    return [(slot, nominal) for slot, nominal in roles + settings if isinstance(nominal, NounPhrase)]


def _with_phrase(clause: Clause, slot: Slot, phrase: NounPhrase) -> Clause:
    """The clause with another noun phrase in a slot."""
    if isinstance(slot, str):
        return replace(clause, **{slot: phrase})
    return _with_adjunct(clause, slot, replace(clause.adjuncts[slot], nominal=phrase))


def _with_adjunct(clause: Clause, place: int, adjunct: Adjunct | None) -> Clause:
    """The clause with the adjunct at a place replaced, or removed if ``adjunct`` is None."""
    adjuncts = list(clause.adjuncts)
    adjuncts[place : place + 1] = [adjunct] if adjunct else []
    return replace(clause, adjuncts=tuple(adjuncts))


# Changes of style.


def _other_voice(clause: Clause, draw: Draw) -> Clause | None:
    """Active for passive, or passive for active."""
    controlled = clause.also or any(isinstance(part, Purpose) for part in (*clause.adjuncts, clause.front))
    both = clause.subject and clause.object and clause.verb.pattern in WITH_PASSIVE
    if not both or controlled or clause.question not in (None, "truth"):
        return None
    return replace(clause, passive=not clause.passive, recipient_first=False)


def _other_order_of_objects(clause: Clause, draw: Draw) -> Clause | None:
    """Gave Anna a book, gave a book to Anna."""
    possible = clause.verb.pattern == "ditransitive" and clause.recipient and clause.object and not clause.passive
    return replace(clause, recipient_first=not clause.recipient_first) if possible else None


def _other_place_of_particle(clause: Clause, draw: Draw) -> Clause | None:
    """Picked up the book, picked the book up."""
    possible = clause.verb.particle and clause.object and not (clause.passive or is_heavy(clause.object))
    return replace(clause, particle_last=not clause.particle_last) if possible else None


def _other_place_of_adjunct(clause: Clause, draw: Draw) -> Clause | None:
    """Yesterday Anna slept, Anna slept yesterday."""
    if clause.question:
        return None
    if clause.front:
        if isinstance(clause.front, Manner):
            return None
        return replace(clause, front=None, adjuncts=(*clause.adjuncts, clause.front))
    movable = [place for place, part in enumerate(clause.adjuncts) if not isinstance(part, Manner)]
    if not movable:
        return None
    place = draw.pick(movable)
    return replace(_with_adjunct(clause, place, None), front=clause.adjuncts[place])


def _other_negation(clause: Clause, draw: Draw) -> Clause | None:
    """Did not, didn't."""
    return replace(clause, contracted=not clause.contracted) if clause.negated else None


def _other_conjunction(clause: Clause, draw: Draw) -> Clause | None:
    """Said that he came, said he came."""
    if clause.verb.pattern != "clausal":
        return None
    return replace(clause, conjunction=None if clause.conjunction else "that")


@_one_of
def _other_relative_pronoun(clause: Clause, draw: Draw) -> Iterator[Clause]:
    """The man who came, the man that came."""
    for slot, phrase in _phrases(clause):
        if isinstance(phrase.clause, Relative) and phrase.clause.pronoun:
            which = "who" if phrase.noun.kind in PEOPLE else "which"
            pronoun = which if phrase.clause.pronoun == "that" else "that"
            yield _with_phrase(clause, slot, replace(phrase, clause=replace(phrase.clause, pronoun=pronoun)))


def _other_order_of_members(clause: Clause, draw: Draw) -> Clause | None:
    """Anna and Tom, Tom and Anna."""
    for role in draw.shuffled(ROLES):
        nominal = getattr(clause, role)
        if isinstance(nominal, Coordination):
            return replace(clause, **{role: replace(nominal, members=nominal.members[::-1])})
    return None


def _reword_content(clause: Clause, draw: Draw) -> Clause | None:
    """A complement clause in other words."""
    if not clause.content:
        return None
    content = reword(clause.content, draw, 1)
    return None if content is clause.content else replace(clause, content=replace(content, front=clause.content.front))


_STYLES: tuple[Change, ...] = (
    _other_voice,
    _other_order_of_objects,
    _other_place_of_particle,
    _other_place_of_adjunct,
    _other_negation,
    _other_conjunction,
    _other_relative_pronoun,
    _other_order_of_members,
    _reword_content,
)

# Changes of what is said.


def _exchange(swapped: Callable[[NounPhrase, NounPhrase], tuple[NounPhrase, NounPhrase] | None]) -> Change:
    """A change of two noun phrases of a clause to what ``swapped`` makes of them."""

    @_one_of
    def candidates(clause: Clause, draw: Draw) -> Iterator[Clause]:
        for (one, first), (two, second) in combinations(_phrases(clause), 2):
            pair = swapped(first, second)
            if pair:
                yield _with_phrase(_with_phrase(clause, one, pair[0]), two, pair[1])

    return candidates


@_exchange
def _swap_roles(first: NounPhrase, second: NounPhrase) -> tuple[NounPhrase, NounPhrase] | None:
    """The king saw Anna, Anna saw the king."""
    kinds = {first.noun.kind, second.noun.kind}
    return (second, first) if len(kinds) == 1 or kinds <= set(PEOPLE) else None


@_exchange
def _swap_adjectives(first: NounPhrase, second: NounPhrase) -> tuple[NounPhrase, NounPhrase] | None:
    """The old dog saw the black cat, the black dog saw the old cat."""
    differ = (first.adjectives, first.degree) != (second.adjectives, second.degree)
    if not (differ and _adjectives_suit(first, second) and _adjectives_suit(second, first)):
        return None
    other = replace(first, adjectives=second.adjectives, degree=second.degree)
    return other, replace(second, adjectives=first.adjectives, degree=first.degree)


def _adjectives_suit(phrase: NounPhrase, other: NounPhrase) -> bool:
    """Whether the adjectives of one phrase can stand in the other."""
    return not other.noun.is_name and all(other.noun.kind in adjective.kinds for adjective in phrase.adjectives)


@_exchange
def _swap_owners(first: NounPhrase, second: NounPhrase) -> tuple[NounPhrase, NounPhrase] | None:
    """Anna's dog saw Tom's cat, Tom's dog saw Anna's cat."""
    if not (first.owner and second.owner):
        return None
    return replace(first, owner=second.owner), replace(second, owner=first.owner)


def _other_polarity(clause: Clause, draw: Draw) -> Clause | None:
    """Negation if there is none; none if there is one."""
    nothing = clause.existential and clause.subject.determiner == "no"
    if nothing or (clause.adverb and clause.adverb.lemma not in WITH_NEGATION):
        return None
    return replace(clause, negated=not clause.negated)


@_one_of
def _other_noun(clause: Clause, draw: Draw) -> Iterator[Clause]:
    """Another noun of the same kind."""
    for slot, phrase in _phrases(clause):
        names = phrase.noun.is_name and phrase.noun.kind == "person"
        others = GIVEN_NAMES if names else NOUNS_OF_KIND.get(phrase.noun.kind, ())
        if others and not phrase.modifiers and not phrase.apposition:
            noun = draw.pick([noun for noun in others if noun is not phrase.noun])
            yield _with_phrase(clause, slot, replace(phrase, noun=noun))


@_one_of
def _other_adjective(clause: Clause, draw: Draw) -> Iterator[Clause]:
    """Another adjective."""
    for slot, phrase in _phrases(clause):
        if phrase.adjectives:
            last = phrase.adjectives[-1]
            others = [one for one in ADJECTIVES_OF_KIND[phrase.noun.kind] if one not in phrase.adjectives]
            new = draw.pick([one for one in others if one.gradable or not phrase.degree])
            if len(phrase.adjectives) == 1 or new.group == last.group:
                yield _with_phrase(clause, slot, replace(phrase, adjectives=(*phrase.adjectives[:-1], new)))
    if isinstance(clause.complement, Property) and kind_of(clause.subject) in ADJECTIVES_OF_KIND:
        old = clause.complement.adjective
        others = [one for one in ADJECTIVES_OF_KIND[kind_of(clause.subject)] if one is not old and one.gradable]
        if others:
            yield replace(clause, complement=replace(clause.complement, adjective=draw.pick(others)))


def _other_verb(clause: Clause, draw: Draw) -> Clause | None:
    """Another verb that takes the same."""
    if clause.verb.pattern not in ("transitive", "phrasal", "ditransitive", *ACTIONS):
        return None
    kinds = {role: kind_of(getattr(clause, role)) for role in ROLES if getattr(clause, role)}
    others = [
        verb
        for verb in VERBS_OF_PATTERN[clause.verb.pattern]
        if verb is not clause.verb
        and not (verb.stative and clause.progressive)
        and all(kind in verb.kinds[role] for role, kind in kinds.items())
    ]
    return replace(clause, verb=draw.pick(others)) if others else None


@_one_of
def _other_time(clause: Clause, draw: Draw) -> Iterator[Clause]:
    """Another expression of time."""
    for place, part in enumerate(clause.adjuncts):
        if isinstance(part, Time):
            others = [words for times in TIMES.values() if part.words in times for words in times]
            words = draw.pick([words for words in others if words != part.words])
            yield _with_adjunct(clause, place, Time(words))


def _alter_content(clause: Clause, draw: Draw) -> Clause | None:
    """Something else in the complement clause."""
    return replace(clause, content=alter(clause.content, draw)) if clause.content else None


_EXCHANGES: tuple[Change, ...] = (_swap_roles, _swap_adjectives, _swap_owners)
_ALTERATIONS: tuple[Change, ...] = (
    *_EXCHANGES,
    _other_polarity,
    _other_noun,
    _other_adjective,
    _other_verb,
    _other_time,
    _alter_content,
)

# Omissions.


def _omit_adjunct(clause: Clause, draw: Draw) -> Clause | None:
    if not clause.adjuncts:
        return None
    return _with_adjunct(clause, draw.below(len(clause.adjuncts)), None)


def _omit(part: str) -> Change:
    """A change that leaves out a part of a clause; what is left need not follow: he may sleep, he sleeps."""
    return lambda clause, draw: replace(clause, **{part: None}) if getattr(clause, part) else None


def _omit_agent(clause: Clause, draw: Draw) -> Clause | None:
    """The book was read by Anna, the book was read."""
    return replace(clause, subject=None) if clause.passive and clause.subject and not clause.question else None


@_one_of
def _omit_modifiers(clause: Clause, draw: Draw) -> Iterator[Clause]:
    """The old dog from Rome, the dog from Rome, the old dog."""
    for slot, phrase in _phrases(clause):
        if phrase.adjectives:
            yield _with_phrase(clause, slot, replace(phrase, adjectives=(), degree=None))
        if phrase.attribute or phrase.clause or phrase.apposition:
            yield _with_phrase(clause, slot, replace(phrase, attribute=None, clause=None, apposition=None))
        if phrase.modifiers and phrase.noun in COMPOUNDS:
            yield _with_phrase(clause, slot, replace(phrase, modifiers=()))


def _omit_attitude(clause: Clause, draw: Draw) -> Clause | None:
    """She hopes that he sleeps, he sleeps; she tried to sleep, she slept. The verb decides whether it follows."""
    if not clause.content or clause.question or not is_plain(clause):
        return None
    if clause.verb.pattern == "infinitival":
        return replace(clause.content, subject=clause.subject, tense=clause.tense)
    return clause.content if clause.verb.pattern in ("clausal", "addressed") else None


def _omit_conjunct(clause: Clause, draw: Draw) -> Clause | None:
    """She laughed and he slept, he slept."""
    if not clause.also:
        return None
    second = clause.also[1]
    return second if second.grammatical_subject and draw.chance(0.5) else replace(clause, also=None)


_OMISSIONS: tuple[Change, ...] = (
    _omit_adjunct,
    _omit("front"),
    _omit("adverb"),
    _omit_agent,
    _omit_modifiers,
    _omit("modal"),
    _omit_attitude,
    _omit_conjunct,
)
