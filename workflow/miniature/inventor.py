"""Noun phrases, clauses and utterances drawn at random.

The frequencies were set by hand: every construction should be frequent enough to measure, and no relation should have
its head at a fixed distance. They come from no corpus.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from miniature.drawing import Draw
from miniature.english.lexicon import (
    ADJECTIVES_OF_KIND,
    ADVERBS,
    ADVERBS_OF_PLACE,
    CITIES,
    COMPOUNDS,
    DAYS,
    EVENT_PREPOSITIONS,
    GIVEN_NAMES,
    MOODS,
    NOUNS,
    NOUNS_OF_KIND,
    NUMERALS,
    OUTER_MODIFIERS,
    PEOPLE,
    PLACE_PREPOSITIONS,
    SURNAMES,
    TIMES,
    Adverb,
    Noun,
)
from miniature.english.verbs import BE, LINKING, VERBS_OF_PATTERN, Verb
from miniature.meaning import (
    ROLES,
    Adjunct,
    Clause,
    Complement,
    Coordination,
    Manner,
    Nominal,
    NounPhrase,
    Number,
    Pronoun,
    Property,
    Purpose,
    Reduced,
    Relative,
    Setting,
    Subordinate,
    Tense,
    Time,
    Utterance,
    kind_of,
    number_of,
)

Kinds = tuple[str, ...]

PATTERNS = {
    "transitive": 28,
    "intransitive": 7,
    "prepositional": 9,
    "phrasal": 11,
    "particle": 5,
    "ditransitive": 9,
    "clausal": 9,
    "whether": 3,
    "addressed": 3,
    "infinitival": 6,
    "control": 4,
    "copular": 11,
    "existential": 4,
}
SIMPLE = {"transitive": 10, "intransitive": 4, "prepositional": 4, "phrasal": 4, "particle": 2, "copular": 4}
ACTIONS = {pattern: weight for pattern, weight in SIMPLE.items() if pattern != "copular"}
WITH_PASSIVE = ("transitive", "phrasal", "ditransitive")
_WITH_CONTENT = ("clausal", "whether", "addressed", "infinitival", "control")

_DETERMINERS = {"the": 50, "a": 36, "this": 7, "another": 4, "every": 3}
_PLURAL_DETERMINERS = {"the": 50, None: 20, "some": 20, "this": 10}
_CARRIED = ("clothes", "bag", "basket", "umbrella", "guitar", "camera", "knife", "book")
_ONE_OF_A_KIND = {"mother", "father"}  # nobody has two

_TENSES = {"past": 62, "present": 28, "future": 10}
MODALS = ("can", "could", "may", "might", "must", "should", "would")
_CONJUNCTIONS = {"because": 4, "when": 4, "although": 2, "while": 2, "after": 2, "before": 2, "if": 1}
_THAT = {"that": 5, None: 5}
_CONJUNCTIONS_OF_PATTERN = {"whether": "whether", "addressed": "that"}
WITH_NEGATION = {"often", "always", "usually", "really"}  # adverbs that can stand after "not"
_OF_EVENTS = {"almost", "suddenly"}  # adverbs that do not go with states
_SPEAKING = {"say", "think", "claim", "admit", "hope"}
_BEING_OF_A_KIND = {"person", "relative", "idea", "event", "text"}  # kinds with a noun as predicate: he is a teacher
_COPULAR_KINDS = ("person", "relative", "animal", "thing", "text", "building", "food", "event", "idea", "vehicle")
_PLACES = ("building", "building", "place", "place", "city")
_PLACES_OF_THINGS = (*_PLACES, "container", "vehicle")
_ASKED = {"truth": 10, "subject": 5, "object": 5, "where": 3, "when": 2, "why": 3, "how": 2}


class Timing(NamedTuple):
    """The tense, modal and aspect of a clause."""

    tense: Tense = "past"
    modal: str | None = None
    perfect: bool = False
    progressive: bool = False


@cache
def verbs_taking(noun: Noun, function: str, patterns: tuple[str, ...]) -> tuple[Verb, ...]:
    """The verbs of some patterns that a noun can be the subject, object, ... of."""
    wanted = {noun.kind, noun.lemma}
    verbs = (verb for pattern in patterns for verb in VERBS_OF_PATTERN[pattern])
    return tuple(verb for verb in verbs if wanted & set(verb.kinds.get(function, ())))


class Cast:
    """Who and what a text is about; this one is empty, so that every participant is new and soon forgotten."""

    def __init__(self):
        self._clauses: list[list] = []  # who takes part, for each clause under way

    @contextmanager
    def clause(self) -> Iterator[list]:
        """A clause, whose participants differ from each other: it gives the list of them."""
        self._clauses.append([])
        yield self._clauses[-1]
        self._clauses.pop()

    def participant(self, kinds: Kinds) -> Nominal | None:
        """A participant of one of several kinds; None asks for a new one, which will not be mentioned again."""

    def owner(self) -> Nominal | None:
        """A person that may own something, in the clause already or not; None asks for a new one."""

    def speaker(self, number: Number) -> Pronoun:
        """The pronoun of the speaker: I or we."""
        return Pronoun(1, number)

    def is_taken(self, noun: Noun) -> bool:
        """Whether the noun has been used for something before; it counts as used from now on."""
        return False


class Inventor:
    """Draws meanings.

    Parameters
    ----------
    cast
        Asked first for every participant; if it gives None, a new one is drawn.
    names
        How often a new person has a name.
    """

    def __init__(self, draw: Draw, cast: Cast | None = None, names: float = 0.3):
        self.draw = draw
        self.cast = cast or Cast()
        self._names = names

    def utterance(self) -> Utterance:
        """A whole sentence: mostly a statement, now and then a question, an order or reported speech."""
        draw = self.draw
        interjection = draw.pick(("well", "yes", "oh")) if draw.chance(0.05) else None
        kind = draw.weighted({"statement": 78, "question": 13, "order": 4, "speech": 5})
        addressee = self.name() if kind in ("question", "order") and draw.chance(0.35) else None
        if kind == "question":
            return Utterance(self.question(), interjection, addressee, draw.chance(0.5), final="?")
        if kind == "order":
            polite = "please" if draw.chance(0.4) else None
            return Utterance(self.bare_clause(1), polite, addressee, True, imperative=True, final=draw.pick((".", "!")))
        if kind == "speech":
            verbs = [verb for verb in VERBS_OF_PATTERN["clausal"] if verb.lemma in _SPEAKING]
            speech = Clause(draw.pick(verbs), subject=self.nominal(PEOPLE, 0))
            return Utterance(self.clause(1), interjection, speech=speech)
        clause = self.clause(2)
        if draw.chance(0.14):
            clause = replace(clause, also=self.conjunct(clause))
        return Utterance(clause, interjection, final="!" if draw.chance(0.02) else ".")

    def clause(self, depth: int, patterns: dict[str, float] | None = None, timing: Timing | None = None) -> Clause:
        """A finite clause; at depth 0 it contains no other."""
        pattern = self.draw.weighted(patterns or (PATTERNS if depth > 0 else SIMPLE))
        with self.cast.clause():
            if pattern == "copular":
                return self._copular(depth, timing)
            if pattern == "existential":
                return self._existential(depth)
            return self._verb_clause(self.draw.pick(VERBS_OF_PATTERN[pattern]), depth, timing=timing)

    def _verb_clause(
        self, verb: Verb, depth: int, without: str = "", passive: bool | None = None, timing: Timing | None = None
    ) -> Clause:
        """A clause of a verb, without the function that ``without`` names; ``passive`` None leaves voice to chance."""
        draw = self.draw
        if passive is None:
            passive = verb.pattern in WITH_PASSIVE and draw.chance(0.22)
        roles: dict[str, Nominal] = {}
        for role in ROLES:
            if role in verb.kinds and role != without:
                roles[role] = self.nominal(verb.kinds[role], depth)
        if passive and draw.chance(0.45):
            roles.pop("subject", None)
        timing = timing or self._timing(verb, passive)
        negated = draw.chance(0.13)
        clause = Clause(
            verb,
            **roles,
            **timing._asdict(),
            negated=negated,
            contracted=draw.chance(0.5),
            adverb=self._adverb(verb, negated, timing),
            passive=passive,
            particle_last=draw.chance(0.5) and not is_heavy(roles.get("object")),
            recipient_first=not passive and draw.chance(0.55),
        )
        if verb.pattern in _WITH_CONTENT:
            return replace(clause, **self._content(verb, depth, timing), front=self._front(depth, timing.tense))
        return self._with_adjuncts(clause, depth)

    def _timing(self, verb: Verb, passive: bool = False) -> Timing:
        """A tense, modal and aspect for a verb."""
        draw = self.draw
        tense = draw.weighted(_TENSES)
        modal = draw.pick(MODALS) if tense == "present" and draw.chance(0.45) else None
        perfect = tense != "future" and modal != "can" and draw.chance(0.2)
        progressive = not (verb.stative or passive or modal or perfect) and draw.chance(0.15)
        return Timing(tense, modal, perfect, progressive)

    def _adverb(self, verb: Verb, negated: bool, timing: Timing) -> Adverb | None:
        number = self.draw.fraction()
        if number < 0.15:
            return self.frequency(verb, negated or timing.modal is not None)
        return self.draw.pick(ADVERBS_OF_PLACE["manner"]) if number < 0.2 and not negated else None

    def frequency(self, verb: Verb, restricted: bool) -> Adverb:
        """An adverb before the verb; only few can follow a modal or a negation (``restricted``)."""
        choices = ADVERBS_OF_PLACE["frequency"]
        if restricted:
            choices = [adverb for adverb in choices if adverb.lemma in WITH_NEGATION]
        elif verb.stative or verb.pattern in _WITH_CONTENT:
            choices = [adverb for adverb in choices if adverb.lemma not in _OF_EVENTS]
        return self.draw.pick(choices)

    def _content(self, verb: Verb, depth: int, timing: Timing) -> dict:
        """The complement clause that a verb takes, with its conjunction."""
        if verb.pattern in ("infinitival", "control"):
            return {"content": self.bare_clause(depth - 1)}
        inner = Timing("past") if timing.tense == "past" and self.draw.chance(0.7) else None
        content = self.clause(depth - 1, SIMPLE, inner)
        conjunction = _CONJUNCTIONS_OF_PATTERN.get(verb.pattern) or self.draw.weighted(_THAT)
        return {"content": content, "conjunction": conjunction}

    def bare_clause(self, depth: int) -> Clause:
        """A clause without subject and tense, for infinitives and orders."""
        draw = self.draw
        verbs = VERBS_OF_PATTERN[draw.weighted(ACTIONS | {"ditransitive": 4})]
        verb = draw.pick([verb for verb in verbs if not verb.stative and "person" in verb.kinds["subject"]])
        clause = self._clause_without("subject", verb, depth, False, Timing("present"))
        return replace(clause, negated=False, adverb=None)

    def _copular(self, depth: int, timing: Timing | None = None, subject: Nominal | None = None) -> Clause:
        draw = self.draw
        subject = subject or self.nominal((draw.pick(_COPULAR_KINDS),), depth)
        verb = draw.pick(LINKING) if kind_of(subject) in PEOPLE and draw.chance(0.3) else BE
        negated = draw.chance(0.15)
        complement = self._complement(verb, subject)
        timing = timing or self._timing(BE)
        return Clause(
            verb,
            subject=subject,
            complement=complement,
            **timing._asdict(),
            negated=negated,
            contracted=draw.chance(0.5),
            adverb=self.frequency(BE, negated) if draw.chance(0.15) else None,
            front=self._front(depth, timing.tense),
        )

    def _complement(self, verb: Verb, subject: Nominal) -> Complement:
        """What the subject is: a property, a description or a place."""
        draw = self.draw
        kind = kind_of(subject)
        if verb is BE and kind not in ("idea", "building") and draw.chance(0.25):
            return self.place(("building", "place", "city"), 0)
        if verb is BE and kind in _BEING_OF_A_KIND and draw.chance(0.35) and subject.number == "Sing":
            phrase = self.noun_phrase(kind if kind != "relative" else "person", 0)
            if phrase.number == "Sing" and not phrase.noun.is_name:
                return replace(phrase, determiner="a", owner=None)
        adjectives = MOODS if kind in PEOPLE and draw.chance(0.7) else ADJECTIVES_OF_KIND[kind]
        adjective = draw.pick(adjectives)
        with_degree = adjective.gradable and draw.chance(0.35)
        return Property(adjective, draw.pick(ADVERBS_OF_PLACE["degree"]) if with_degree else None)

    def _existential(self, depth: int) -> Clause:
        draw = self.draw
        kind = draw.pick(("animal", "thing", "person", "building", "vehicle", "container"))
        thing = replace(self.noun_phrase(kind, depth), owner=None, all=False)
        determiner = draw.pick(("some", None) if thing.number == "Plur" else ("a", "a", "a", "no", "another"))
        negated = determiner != "no" and draw.chance(0.12)
        timing = self._timing(BE)
        return Clause(
            BE,
            subject=replace(thing, determiner=None if thing.numeral else determiner),
            existential=True,
            **timing._asdict(),
            negated=negated,
            contracted=draw.chance(0.5),
            adverb=self.frequency(BE, negated) if draw.chance(0.25) else None,
            adjuncts=(self.place(_PLACES_OF_THINGS, 0),) if draw.chance(0.8) else (),
            front=Time(draw.pick(TIMES[timing.tense])) if draw.chance(0.1) else None,
        )

    def _with_adjuncts(self, clause: Clause, depth: int) -> Clause:
        """The clause with adjuncts, now and then: how, where, when, why."""
        draw = self.draw
        adjuncts: list[Adjunct] = []
        if draw.chance(0.13) and not (clause.adverb and clause.adverb.place == "manner"):
            adverbs = ADVERBS_OF_PLACE[draw.pick(("manner", "final"))]
            several = number_of(clause.subject) == "Plur"
            fit = [adverb for adverb in adverbs if several or adverb.lemma != "together"]
            adjuncts.append(Manner(draw.pick(fit)))
        if draw.chance(0.3):
            adjuncts.append(self.place(_PLACES, depth - 1))
        elif draw.chance(0.1):
            adjuncts.append(
                Setting(draw.pick(("with", "without")), self.nominal(("person", "animal", "umbrella", "bag"), 0))
            )
        if draw.chance(0.24):
            adjuncts.append(self._when(clause.tense))
        if depth > 0 and draw.chance(0.14):
            adjuncts.append(self._why(clause.tense, _is_intended(clause)))
        return replace(clause, adjuncts=tuple(adjuncts), front=self._front(depth, clause.tense, _is_intended(clause)))

    def _front(self, depth: int, tense: Tense, intended: bool = False) -> Adjunct | None:
        """An adjunct before the subject, now and then."""
        draw = self.draw
        number = draw.fraction() if depth > 1 else 1
        if number < 0.06:
            return Manner(draw.pick(ADVERBS_OF_PLACE["sentence"]))
        if number < 0.11:
            return self._when(tense)
        if number < 0.15:
            return self.place(("building", "city", "place"), 0)
        return self._why(tense, intended) if number < 0.22 else None

    def _when(self, tense: Tense) -> Adjunct:
        draw = self.draw
        if draw.chance(0.6):
            return Time(draw.pick(TIMES[tense]))
        if draw.chance(0.4):
            return Setting("on", NounPhrase(draw.pick(DAYS), determiner=None))
        return Setting(draw.pick(EVENT_PREPOSITIONS), self.nominal(("event",), 0))

    def _why(self, tense: Tense, intended: bool) -> Adjunct:
        draw = self.draw
        if intended and draw.chance(0.4):
            return Purpose(self.bare_clause(0))
        inner = Timing("present" if tense == "future" else tense, perfect=draw.chance(0.15))
        return Subordinate(draw.weighted(_CONJUNCTIONS), self.clause(0, timing=inner))

    def conjunct(self, clause: Clause) -> tuple[str, Clause]:
        """A conjunction and a second clause: with its own subject, or a verb phrase that shares a simple clause's."""
        draw = self.draw
        simple = not (clause.modal or clause.perfect or clause.progressive or clause.passive or clause.negated)
        human = kind_of(clause.subject) == "person" if clause.subject else False
        if not (simple and human and draw.chance(0.65)) or clause.tense == "future" or clause.existential:
            return draw.pick(("and", "but", "and")), self.clause(1)
        second = self.bare_clause(1)
        return draw.pick(("and", "and", "or")), replace(second, tense=clause.tense)

    def question(self) -> Clause:
        """A question."""
        draw = self.draw
        clause = self.clause(1, SIMPLE | {"ditransitive": 3, "existential": 1})
        asked = draw.weighted(_ASKED)
        possible = clause.object and not clause.passive and clause.subject
        if (asked == "subject" and (clause.passive or clause.existential)) or (asked == "object" and not possible):
            asked = "truth"
        if asked in ("where", "when", "why", "how"):
            clause = replace(clause, adjuncts=())
        return replace(clause, question=asked, front=None)

    def _relative(self, phrase: NounPhrase, depth: int) -> Relative:
        """A relative clause about a noun phrase."""
        draw = self.draw
        human = phrase.noun.kind in PEOPLE
        which = "who" if human else "which"
        as_object = verbs_taking(phrase.noun, "object", ("transitive", "phrasal"))
        if as_object and draw.chance(0.6):
            passive = draw.chance(0.3)
            body = self._clause_without("object", draw.pick(as_object), depth, passive)
            if passive:
                return Relative(body, "subject", draw.pick(("that", which)))
            return Relative(body, "object", draw.pick(("that", None, which)))
        as_subject = verbs_taking(phrase.noun, "subject", tuple(ACTIONS))
        if as_subject:
            body = self._clause_without("subject", draw.pick(as_subject), depth, False)
        else:
            body = replace(self._copular(depth, subject=phrase), subject=None, front=None)
        return Relative(body, "subject", draw.pick(("that", which)))

    def _reduced(self, phrase: NounPhrase, depth: int) -> Reduced | None:
        """A participle or infinitive about a noun phrase; None if nothing fits."""
        draw = self.draw
        if phrase.noun.lemma in ("plan", "decision", "idea"):
            return Reduced(self.bare_clause(depth), "infinitive")
        as_object = verbs_taking(phrase.noun, "object", ("transitive",))
        if as_object and draw.chance(0.7):
            body, form = self._clause_without("object", draw.pick(as_object), depth, True), "participle"
            if not (body.subject or body.adjuncts):  # not "the letter written was ..."
                return None
        else:
            verbs = [verb for verb in verbs_taking(phrase.noun, "subject", tuple(ACTIONS)) if not verb.stative]
            if not verbs:
                return None
            body, form = self._clause_without("subject", draw.pick(verbs), depth, False), "gerund"
        adverb = draw.pick(ADVERBS_OF_PLACE["manner"]) if draw.chance(0.2) else None
        return Reduced(replace(body, modal=None, perfect=False, progressive=False, negated=False, adverb=adverb), form)

    def _clause_without(
        self, without: str, verb: Verb, depth: int, passive: bool, timing: Timing | None = None
    ) -> Clause:
        """A clause without what fills a function: it is outside the clause, such as the noun of a relative clause."""
        with self.cast.clause():
            return replace(self._verb_clause(verb, depth, without, passive, timing), front=None)

    # Noun phrases

    def nominal(self, kinds: Kinds, depth: int = 1) -> Nominal:
        """A participant of one of several kinds: one of the cast or a new one, now and then two new ones."""
        known = self.cast.participant(kinds)
        if known:
            return known
        kind = self.draw.pick(kinds)
        first = self.noun_phrase(kind, depth)
        if kind == "city" or not self.draw.chance(0.06):
            return first
        second = self.noun_phrase(kind, 0)
        return first if second.noun is first.noun else Coordination((first, second))

    def noun_phrase(self, kind: str, depth: int = 1) -> NounPhrase:
        """A noun of a kind (or a single noun, by its lemma) with its modifiers; at depth 0, nothing follows it."""
        draw = self.draw
        if kind == "city":
            return NounPhrase(draw.pick(CITIES), determiner=None)
        if kind == "person" and draw.chance(self._names):
            return self.name()
        choices = NOUNS_OF_KIND.get(kind) or (NOUNS[kind],)
        for _ in range(3):
            noun = draw.pick(choices)
            if not self.cast.is_taken(noun):
                return self.description(noun, depth)
        return replace(self.description(noun, depth), determiner="another", number="Sing", all=False, numeral=None)

    def name(self, gender: str | None = None, surname: float = 0.4) -> NounPhrase:
        """A person's name, now and then with one or two further names."""
        draw = self.draw
        in_order = draw.shuffled([name for name in GIVEN_NAMES if gender in (None, name.gender)])
        given = next((name for name in in_order if not self.cast.is_taken(name)), in_order[0])
        names = self.further_names(given) if draw.chance(surname) else ()
        return NounPhrase(given, determiner=None, names=names)

    def further_names(self, given: Noun) -> tuple[Noun, ...]:
        """A surname, now and then with a second given name before it."""
        draw = self.draw
        seconds = [name for name in GIVEN_NAMES if name.gender == given.gender and name is not given]
        middle = (draw.pick(seconds),) if draw.chance(0.3) else ()
        return (*middle, draw.pick(SURNAMES))

    def description(self, noun: Noun, depth: int = 1) -> NounPhrase:
        """A noun with a determiner and modifiers."""
        draw = self.draw
        plural = draw.chance(0.22) and noun.lemma not in _ONE_OF_A_KIND
        determiner = draw.weighted(_PLURAL_DETERMINERS if plural else _DETERMINERS)
        numeral = None
        if plural and determiner in ("the", None) and draw.chance(0.5):
            numeral = draw.pick(tuple(NUMERALS)[1:])
        phrase = NounPhrase(
            noun,
            number="Plur" if plural else "Sing",
            determiner=determiner,
            all=plural and determiner == "the" and draw.chance(0.25),
            numeral=numeral,
            **self._modifiers(noun),
            owner=self._owner(noun),
        )
        return self._with_more(phrase, depth) if depth > 0 else phrase

    def _modifiers(self, noun: Noun) -> dict:
        draw = self.draw
        adjectives = ADJECTIVES_OF_KIND[noun.kind]
        count = draw.weighted({0: 50, 1: 34, 2: 16}) if adjectives else 0
        chosen = {adjective.group: adjective for adjective in (draw.pick(adjectives) for _ in range(count))}
        ranked = tuple(sorted(chosen.values(), key=lambda adjective: adjective.rank))
        modifiers = ()
        if noun in COMPOUNDS and draw.chance(0.5):
            modifiers = (draw.pick(COMPOUNDS[noun]),)
            if draw.chance(0.3):
                outer = [modifier for modifier in OUTER_MODIFIERS if modifier not in modifiers]
                modifiers = (draw.pick(outer), *modifiers)
        degree = ADVERBS["very"] if ranked and ranked[0].gradable and draw.chance(0.2) else None
        return {"adjectives": ranked, "modifiers": modifiers, "degree": degree}

    def _owner(self, noun: Noun) -> Nominal | None:
        draw = self.draw
        public = noun.kind == "place" and noun.lemma != "garden"
        if not (noun.kind == "relative" or draw.chance(0.16)) or public:
            return None
        if draw.chance(0.08):
            return self.cast.speaker(draw.pick(("Sing", "Plur")))
        return self.cast.owner() or (
            self.name(surname=0.2) if draw.chance(0.4) else NounPhrase(draw.pick(NOUNS_OF_KIND["person"]))
        )

    def _with_more(self, phrase: NounPhrase, depth: int) -> NounPhrase:
        """The phrase, now and then with something after its noun."""
        draw = self.draw
        kind = draw.fraction()
        if kind < 0.14:
            return replace(phrase, attribute=self._attribute(phrase))
        if kind < 0.22:
            return replace(phrase, clause=self._relative(phrase, depth - 1))
        if kind < 0.27:
            return replace(phrase, clause=self._reduced(phrase, depth - 1))
        if kind < 0.29 and phrase.number == "Sing" and phrase.noun.kind in PEOPLE:
            return replace(phrase, apposition=self.name(None if phrase.noun.gender == "Any" else phrase.noun.gender))
        return phrase

    def _attribute(self, phrase: NounPhrase) -> Setting:
        """A prepositional phrase after the noun, which depends on the noun's kind."""
        draw = self.draw
        match phrase.noun.kind:
            case "person" | "relative" | "animal":
                preposition, kinds = draw.pick((("from", ("city",)), ("with", _CARRIED)))
            case "text" | "idea":
                preposition, kinds = draw.pick((("about", ("animal", "city", "building")), ("from", ("person",))))
            case "event":
                preposition, kinds = draw.pick((("with", PEOPLE), ("in", ("city", "building"))))
            case "food":
                preposition, kinds = draw.pick((("from", ("building", "city")), ("with", ("food",))))
            case "building" | "place":
                return self.place(("place", "city"), 0)
            case _:
                origin = ("from", ("building", "city"))
                preposition, kinds = origin if phrase.owner else draw.pick((("of", ("person",)), origin))
        return Setting(preposition, self.nominal(kinds, 0))

    def place(self, kinds: Kinds, depth: int = 1) -> Setting:
        """A prepositional phrase that says where."""
        kind = self.draw.pick(kinds)
        nominal = self.nominal((kind,), depth)
        if isinstance(nominal, NounPhrase) and nominal.number == "Plur":  # things mostly happen in one place
            nominal = self.nominal((kind,), depth)
        prepositions = PLACE_PREPOSITIONS[kind]
        if getattr(nominal, "noun", None) is NOUNS["river"]:
            prepositions = [preposition for preposition in prepositions if preposition != "in"]
        return Setting(self.draw.pick(prepositions), nominal)


def _is_intended(clause: Clause) -> bool:
    """Whether a clause can have a purpose: people act in it, and are the subject that the infinitive shares."""
    by_people = clause.subject is None or kind_of(clause.subject) in PEOPLE
    return by_people and not (clause.passive or clause.verb.stative)


def is_heavy(nominal: Nominal | None) -> bool:
    """Whether so much follows the noun that no particle should come after it."""
    return isinstance(nominal, NounPhrase) and bool(nominal.clause or nominal.attribute)
