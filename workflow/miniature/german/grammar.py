"""German grammar, from meanings to words: clauses first, then noun phrases.

The finite verb stands second in a main clause and last in a subordinate one. After it, or after the subject, come
pronouns, time, other adverbs, objects, the negation, manner, place and complements, then participles and infinitives,
then clauses.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from miniature.german import lexicon
from miniature.german.inflection import (
    RELATIVE,
    Case,
    Class,
    Declension,
    GermanVerb,
    declension_after,
    declined_adjective,
    declined_determiner,
    personal_pronoun,
)
from miniature.german.style import is_time
from miniature.meaning import (
    Adjunct,
    Clause,
    Coordination,
    Manner,
    Nominal,
    NounPhrase,
    Pronoun,
    Property,
    Purpose,
    Reduced,
    Relative,
    Sense,
    Setting,
    Subordinate,
    Time,
    Utterance,
    number_of,
)

# Patterns whose past is the preterite in German; that of other verbs is the perfect: hat gekauft.
_WITH_PRETERITE = {"clausal", "whether", "addressed", "infinitival", "control", "copular"}
_LATE = {"almost", "really"}  # adverbs that stand after the objects
_EARLY_CORRELATES = {"es"}


class GermanWord(NamedTuple):
    """A word; its senses are as in :class:`trees.Node`."""

    form: str
    senses: tuple[Sense, ...] = ()
    loosely: tuple[Sense, ...] = ()


Words = list[GermanWord]

COMMA = GermanWord(",")


class Agreement(NamedTuple):
    """What a finite verb agrees with."""

    person: int = 3
    plural: bool = False


_THIRD_PERSON = Agreement()


class Layer(NamedTuple):
    """One verb of a verb group, with what it expresses; groups go from the innermost verb out."""

    verb: GermanVerb
    senses: tuple[Sense, ...]
    loosely: tuple[Sense, ...] = ()


def utterance(meaning: Utterance) -> Words:
    """The words of a whole sentence."""
    words = [*_main_clause(meaning.clause), GermanWord(meaning.final, ((meaning, "final"),))]
    kept: Words = []
    for word in words:
        if kept and kept[-1].form == "," and word.form in (",", meaning.final):
            kept[-1] = word._replace(senses=kept[-1].senses + word.senses)  # one mark ends several clauses
        else:
            kept.append(word)
    first = kept[0]
    return [first._replace(form=first.form[0].upper() + first.form[1:]), *kept[1:]]


def _main_clause(meaning: Clause, inherited: Agreement = _THIRD_PERSON) -> Words:
    """A main clause; ``inherited`` is its agreement if it shares the subject of the clause before it."""
    subject, agreement = _subject(meaning, inherited)
    finite, prefix, rest = _verb_group(meaning, agreement)
    words = [*_front(meaning.front, agreement), finite, *subject] if meaning.front else [*subject, finite]
    words += [*_middle(meaning, agreement), *rest, *prefix, *_after_verbs(meaning, agreement)]
    if meaning.also:
        words += _coordinate(meaning, agreement)
    return words


def _verb_final_clause(meaning: Clause, lead: Words, inherited: Agreement = _THIRD_PERSON) -> Words:
    """A clause with its verbs last, without the commas around it."""
    subject, agreement = _subject(meaning, inherited)
    finite, prefix, rest = _verb_group(meaning, agreement)
    if prefix:
        finite = GermanWord(prefix[0].form + finite.form, prefix[0].senses)
    return [*lead, *subject, *_middle(meaning, agreement), *rest, finite, *_after_verbs(meaning, agreement)]


def _infinitive_clause(meaning: Clause, agreement: Agreement) -> Words:
    """An infinitive with "zu", without commas; its reflexive pronoun has the ``agreement`` of whoever acts."""
    return [*_middle(meaning, agreement), *_infinitive(meaning, with_zu=True), *_after_verbs(meaning, agreement)]


def _coordinate(meaning: Clause, agreement: Agreement) -> Words:
    conjunction, second = meaning.also
    comma = [COMMA._replace(senses=((second, "comma"),))] if second.grammatical_subject else []
    joint = GermanWord(lexicon.CONJUNCTIONS[conjunction], ((second, "conjunction"),))
    return [*comma, joint, *_main_clause(second, agreement)]


def _subject(meaning: Clause, inherited: Agreement) -> tuple[Words, Agreement]:
    if meaning.existential:
        return [GermanWord("es", ((meaning, "there"),))], _THIRD_PERSON
    subject = meaning.grammatical_subject
    case = _subject_case(meaning)
    agreement = _agreement_with(subject) if subject else inherited
    return _nominal(subject, case) if subject else [], agreement if case == "Nom" else _THIRD_PERSON


def _subject_case(meaning: Clause) -> Case:
    """The case of the English subject: in the passive a dative stays one (dem Mann wurde geholfen)."""
    if meaning.passive and meaning.verb.pattern != "ditransitive" and _verb(meaning).case == "Dat":
        return "Dat"
    return "Nom"


def _agreement_with(meaning: Nominal) -> Agreement:
    """The agreement of a finite verb with its subject."""
    person = meaning.person if isinstance(meaning, Pronoun) else 3
    return Agreement(person, number_of(meaning) == "Plur")


def _verb(meaning: Clause) -> GermanVerb:
    return lexicon.THERE_IS if meaning.existential else lexicon.VERBS[meaning.verb.name]


# The verb group


def _verb_senses(meaning: Clause) -> tuple[Sense, ...]:
    """What a verb expresses: also the English particle, and a preposition that German does not have."""
    parts = ["verb"]
    if meaning.verb.particle:
        parts.append("particle")
    if meaning.verb.pattern == "prepositional" and not _verb(meaning).preposition:
        parts.append("preposition")
    return tuple((meaning, part) for part in parts)


def _layers(meaning: Clause) -> list[Layer]:
    """All verbs of a finite clause, from the innermost to the finite one."""
    layers = [Layer(_verb(meaning), _verb_senses(meaning))]
    loosely = ((meaning, "verb"),)
    if meaning.passive:
        layers.append(Layer(lexicon.WERDEN, ((meaning, "passive"),), loosely))
    if meaning.perfect or _past_is_perfect(meaning):
        auxiliary = lexicon.SEIN if layers[-1].verb.auxiliary == "sein" else lexicon.HABEN
        layers.append(Layer(auxiliary, ((meaning, "perfect"),) if meaning.perfect else (), loosely))
    modal = "will" if meaning.tense == "future" else meaning.modal
    if modal:
        layers.append(Layer(lexicon.MODALS[modal], ((meaning, "modal"),)))
    return layers


def _past_is_perfect(meaning: Clause) -> bool:
    """Whether German uses the perfect for the past of a clause."""
    simple = not (meaning.progressive or meaning.passive or meaning.existential)
    return meaning.tense == "past" and simple and meaning.verb.pattern not in _WITH_PRETERITE


def _verb_group(meaning: Clause, agreement: Agreement) -> tuple[GermanWord, Words, Words]:
    """The finite verb without its prefix, the prefix, and the other verbs in their order at the clause's end."""
    layers = _layers(meaning)
    outermost = layers[-1]
    past = meaning.tense == "past" and (meaning.perfect or not _past_is_perfect(meaning))
    form = outermost.verb.finite(past, *agreement)
    prefix = []
    if outermost.verb.prefix:
        prefix = [GermanWord(outermost.verb.prefix, outermost.senses)]
        outermost = outermost._replace(senses=outermost.senses[:1], loosely=outermost.loosely + outermost.senses[1:])
    finite = GermanWord(form, outermost.senses, outermost.loosely)
    rest = _infinitive(meaning.content, with_zu=False) if meaning.verb.name == "want" else []
    for layer, outer in pairwise(layers):  # infinitives after modals, participles after other auxiliaries
        after_modal = any(part == "modal" for _, part in outer.senses)
        form = layer.verb.infinitive if after_modal else layer.verb.participle
        rest.append(GermanWord(layer.verb.prefix + form, layer.senses, layer.loosely))
    return finite, prefix, rest


def _infinitive(meaning: Clause, with_zu: bool) -> Words:
    """The infinitive of a clause; "zu" follows a prefix within the word."""
    verb, to = _verb(meaning), ((meaning, "to"),)
    if with_zu and not verb.prefix:
        return [GermanWord("zu", to), GermanWord(verb.infinitive, _verb_senses(meaning))]
    return [GermanWord(verb.prefix + ("zu" if with_zu else "") + verb.infinitive, _verb_senses(meaning), to)]


# Between the verbs


def _middle(meaning: Clause, agreement: Agreement, denial: Sense | None = None) -> Words:
    """The words between the finite verb, or the subject, and the verbs at the end.

    ``denial`` is the negation of the verb that governs this one: will das Buch nicht lesen.
    """
    denial = (meaning, "negation") if meaning.negated else denial
    passed_on = denial if meaning.verb.name == "want" and not meaning.adverb else None
    of_article = denial if _denies_article(meaning) else None
    objects = _objects(meaning)
    words: Words = []
    for case, item in objects:
        if isinstance(item, Pronoun):
            words += _object(item, case, meaning)
    words += [*_reflexive(meaning, agreement), *_correlate(meaning, early=True)]
    if meaning.progressive:
        words.append(GermanWord("gerade", ((meaning, "progressive"),)))
    words += [word for part in meaning.adjuncts if is_time(part) for word in _adjunct(part, agreement)]
    if denial and meaning.adverb:
        words.append(_not(denial))
    words += _adverb(meaning, early=True)
    for case, item in objects:
        if not isinstance(item, Pronoun):
            words += _object(item, case, meaning, of_article)
    words += _agent(meaning)
    if denial and not (of_article or passed_on or meaning.adverb):
        words.append(_not(denial))
    words += _adverb(meaning, early=False)
    for part in meaning.adjuncts:
        if isinstance(part, Manner | Setting) and not is_time(part):
            words += _adjunct(part, agreement)
    words += [*_oblique(meaning), *_correlate(meaning, early=False), *_complement(meaning, of_article)]
    if meaning.verb.name == "want":
        words += _middle(meaning.content, agreement, passed_on)
    return words


def _not(denial: Sense) -> GermanWord:
    return GermanWord("nicht", (denial,))


def _objects(meaning: Clause) -> list[tuple[Case, Nominal]]:
    """The objects in order, with their cases."""
    verb = _verb(meaning)
    items: list[tuple[Case, Nominal]] = []
    if meaning.existential:
        return [("Acc", meaning.subject)]
    if meaning.object and not meaning.passive:
        items.append(("Acc" if meaning.verb.pattern == "ditransitive" else verb.case, meaning.object))
    if meaning.recipient and not _follows_with_an(meaning):
        case = verb.case if meaning.verb.pattern == "addressed" else "Dat"
        items.insert(0, (case, meaning.recipient))
    if meaning.oblique and not verb.preposition:
        items.append((verb.case, meaning.oblique))
    return items


def _follows_with_an(meaning: Clause) -> bool:
    """Whether the recipient follows with a preposition: schickt einen Brief an Anna."""
    return meaning.verb.pattern == "ditransitive" and not (meaning.recipient_first or meaning.passive)


def _denies_article(meaning: Clause) -> bool:
    """Whether the negation becomes "kein": with an indefinite object, or with what somebody is not."""
    if meaning.adverb:
        return False
    if isinstance(meaning.complement, NounPhrase):
        return _is_indefinite(meaning.complement)
    return any(case == "Acc" and _is_indefinite(item) for case, item in _objects(meaning))


def _object(item: Nominal, case: Case, governor: Clause, denial: Sense | None = None) -> Words:
    """An object; if it is an indefinite accusative, its article says the ``denial``."""
    if denial and case == "Acc" and _is_indefinite(item):
        return _noun_phrase(item, case, denied_by=denial)
    first, *others = _nominal(item, case)
    if item is governor.recipient:  # "to", where English has it
        first = first._replace(loosely=(*first.loosely, (governor, "preposition")))
    return [first, *others]


def _reflexive(meaning: Clause, agreement: Agreement) -> Words:
    if not _verb(meaning).reflexive:
        return []
    form = "sich" if agreement.person == 3 else ("uns" if agreement.plural else "mich")
    return [GermanWord(form, (), ((meaning, "verb"),))]


def _correlate(meaning: Clause, early: bool) -> Words:
    word = _verb(meaning).correlate
    if not word or early != (word in _EARLY_CORRELATES):
        return []
    return [GermanWord(word, (), ((meaning, "verb"),))]


def _adverb(meaning: Clause, early: bool) -> Words:
    """The adverb of a clause, if it stands ``early`` (before the objects) or late, whichever is asked for."""
    adverb = meaning.adverb
    if not adverb:
        return []
    if early != (meaning.negated or adverb.lemma not in _LATE):
        return []
    return [GermanWord(lexicon.ADVERBS[adverb.lemma], ((meaning, "adverb"),))]


def _agent(meaning: Clause) -> Words:
    if not (meaning.passive and meaning.subject):
        return []
    return _with_preposition("von", "Dat", (meaning, "by"), meaning.subject)


def _oblique(meaning: Clause) -> Words:
    if _follows_with_an(meaning) and meaning.recipient:
        return _with_preposition("an", "Acc", (meaning, "preposition"), meaning.recipient)
    preposition = _verb(meaning).preposition
    if not (meaning.oblique and preposition):
        return []
    return _with_preposition(*preposition, (meaning, "preposition"), meaning.oblique)


def _complement(meaning: Clause, denial: Sense | None) -> Words:
    """What the subject is said to be."""
    match meaning.complement:
        case None:
            return []
        case Property(adjective=adjective, degree=degree):
            # people are "groß", buildings are "hoch"
            kind = meaning.subject.noun.kind if isinstance(meaning.subject, NounPhrase) else "person"
            word, _ = lexicon.adjective(adjective.lemma, kind)
            words = [GermanWord(word, ((meaning.complement, "head"),))]
            if degree:
                form = lexicon.ADVERBS[degree.lemma]
                words.insert(0, GermanWord(form, ((meaning.complement, "degree"),)))
            return words
        case Setting():
            return _prepositional_phrase(meaning.complement)
        case _:
            return _noun_phrase(meaning.complement, "Nom", _is_woman(meaning.subject), denial)


# Adjuncts and clauses in clauses


def _adjunct(meaning: Adjunct, agreement: Agreement) -> Words:
    """The words of an adjunct; ``agreement`` is that of its clause."""
    match meaning:
        case Setting():
            return _prepositional_phrase(meaning)
        case Time():
            return [
                GermanWord(form, tuple((meaning, part) for part in parts), () if parts else ((meaning, "head"),))
                for form, *parts in lexicon.TIMES[meaning.words]
            ]
        case Manner():
            return [GermanWord(lexicon.ADVERBS[meaning.adverb.lemma], ((meaning, "head"),))]
        case Purpose():
            um = GermanWord("um", (), ((meaning.clause, "to"),))
            return [um, *_infinitive_clause(meaning.clause, agreement)]
        case Subordinate():
            past = meaning.conjunction == "when" and meaning.clause.tense == "past"
            form = "als" if past else lexicon.SUBORDINATORS[meaning.conjunction]
            return _verb_final_clause(meaning.clause, [GermanWord(form, ((meaning, "conjunction"),))])


def _front(meaning: Adjunct, agreement: Agreement) -> Words:
    """An adjunct before the finite verb, in place of the subject; only a clause has a comma after it."""
    words = _adjunct(meaning, agreement)
    if isinstance(meaning, Purpose | Subordinate):
        words.append(COMMA._replace(senses=((meaning, "comma"),)))
    return words


def _after_verbs(meaning: Clause, agreement: Agreement) -> Words:
    """The clauses after the verbs, each between commas."""
    words: Words = []
    for part in meaning.adjuncts:
        if isinstance(part, Purpose | Subordinate):
            words += [COMMA, *_adjunct(part, agreement), COMMA]
    if meaning.verb.name == "want":
        return [*_after_verbs(meaning.content, agreement), *words]
    if meaning.content:
        words += [COMMA, *_content(meaning, agreement), COMMA]
    return words


def _content(meaning: Clause, agreement: Agreement) -> Words:
    """A complement clause; in an infinitive the object acts if there is one, or else the subject."""
    if meaning.verb.pattern in ("infinitival", "control"):
        return _infinitive_clause(meaning.content, _agreement_with(meaning.object) if meaning.object else agreement)
    if not meaning.conjunction:
        return _main_clause(meaning.content)
    form = lexicon.SUBORDINATORS[meaning.conjunction]
    return _verb_final_clause(meaning.content, [GermanWord(form, ((meaning, "that"),))])


def _relative_or_infinitive(meaning: Relative | Reduced, column: Class) -> Words:
    """A clause after the noun that it is about; ``column`` is the noun's gender, or plural."""
    clause = meaning.clause
    if isinstance(meaning, Reduced):
        return _infinitive_clause(clause, _THIRD_PERSON)
    case = _subject_case(clause) if meaning.gap == "subject" else _verb(clause).case
    pronoun = GermanWord(RELATIVE[case, column], ((clause, "relative pronoun"),))
    return _verb_final_clause(clause, [pronoun], Agreement(plural=column == "p"))


def _participle(meaning: Reduced, declension: Declension, case: Case, column: Class) -> Words:
    """A participle before the noun that it is about, after what belongs to it."""
    verb = _verb(meaning.clause)
    stem = verb.prefix + (verb.infinitive + "d" if meaning.form == "gerund" else verb.participle)
    form = declined_adjective(stem, declension, case, column)
    return [*_middle(meaning.clause, _THIRD_PERSON), GermanWord(form, _verb_senses(meaning.clause))]


# Noun phrases


def _nominal(meaning: Nominal, case: Case) -> Words:
    """The words of a nominal."""
    match meaning:
        case Pronoun():
            form = personal_pronoun(meaning.person, meaning.number, meaning.gender, case)
            return [GermanWord(form, ((meaning, "head"),))]
        case Coordination():
            first, second = (_nominal(member, case) for member in meaning.members)
            return [*first, GermanWord("und", ((meaning, "conjunction"),)), *second]
        case _:
            return _noun_phrase(meaning, case)


def _noun_phrase(meaning: NounPhrase, case: Case, woman: bool = False, denied_by: Sense | None = None) -> Words:
    """The words of a noun phrase.

    Parameters
    ----------
    woman
        Whether the noun describes a woman.
    denied_by
        A negation that the indefinite article expresses: kein.
    """
    if meaning.noun.is_name:
        return _name(meaning)
    woman = woman or (meaning.apposition is not None and meaning.apposition.noun.gender == "Fem")
    noun = lexicon.noun(meaning.noun, meaning.modifiers, woman)
    plural = meaning.number == "Plur"
    column: Class = "p" if plural else noun.gender
    if case == "Gen" and not _shows_genitive(meaning):
        case = "Dat"
    words, determiner = _determiners(meaning, case, column, denied_by)
    if meaning.numeral:
        words.append(GermanWord(lexicon.NUMERALS[meaning.numeral], ((meaning, "numeral"),)))
    words += _attributes(meaning, case, column, determiner)
    parts = ("head", *(modifier.lemma for modifier in meaning.modifiers))
    words.append(GermanWord(noun.form(case, plural), tuple((meaning, part) for part in parts)))
    return words + _after_noun(meaning, column)


def _is_woman(meaning: Pronoun | NounPhrase | None) -> bool:
    """Whether a subject is feminine in German."""
    match meaning:
        case None:
            return False
        case Pronoun():
            return meaning.gender == "Fem"
        case _ if meaning.noun.is_name:
            return meaning.noun.gender == "Fem"
        case _:
            return lexicon.noun(meaning.noun, meaning.modifiers).gender == "f"


def _is_indefinite(meaning: Nominal | None) -> bool:
    """Whether "kein" negates a nominal."""
    if not isinstance(meaning, NounPhrase) or meaning.owner or meaning.numeral or meaning.noun.is_name:
        return False
    return meaning.determiner == "a" or (meaning.determiner is None and meaning.number == "Plur")


def _shows_genitive(meaning: NounPhrase) -> bool:
    """Whether a word before the noun shows the genitive, which is only used then."""
    if meaning.owner:
        return isinstance(meaning.owner, Pronoun) or not _owner_precedes(meaning)
    return bool(meaning.determiner) or bool(meaning.adjectives)


def _name(meaning: NounPhrase) -> Words:
    words = [GermanWord(lexicon.name(meaning.noun), ((meaning, "head"),))]
    return words + [GermanWord(lexicon.name(more), ((meaning, more.lemma),)) for more in meaning.names]


def _owner_precedes(meaning: NounPhrase) -> bool:
    """Whether the owner is a name with "s" before the noun: Annas Buch, but das Buch von Felix."""
    owner = meaning.owner
    if not isinstance(owner, NounPhrase) or not owner.noun.is_name or meaning.all:
        return False
    return not (owner.names or (owner.noun,))[-1].lemma.endswith(("s", "x", "z"))


def _determiners(meaning: NounPhrase, case: Case, column: Class, denied_by: Sense | None) -> tuple[Words, str | None]:
    """The words before numeral and adjectives, and the stem of the determiner that decides on their endings."""
    words: Words = []
    article = ((meaning, "determiner"),)
    if meaning.all:
        loosely = () if meaning.owner else article
        words.append(GermanWord(declined_determiner("all", case, column), ((meaning, "all"),), loosely))
    owner = meaning.owner
    if isinstance(owner, Pronoun):
        stem = personal_pronoun(owner.person, owner.number, owner.gender, "possessive")
        return [*words, GermanWord(declined_determiner(stem, case, column), ((owner, "head"),))], stem
    if owner and _owner_precedes(meaning):
        *names, last = _name(owner)
        return [*words, *names, last._replace(form=last.form + "s", loosely=((owner, "possessive"),))], None
    if meaning.all:
        return words, "all"
    if owner:
        return [GermanWord(declined_determiner("der", case, column), (), ((owner, "possessive"),))], "der"
    if denied_by:
        form = declined_determiner("kein", case, column)
        return [GermanWord(form, (denied_by,), article)], "kein"
    if not meaning.determiner:
        return [], None
    stem = lexicon.DETERMINERS[meaning.determiner]
    words.append(GermanWord(declined_determiner(stem, case, column), article))
    if meaning.determiner == "another":
        words.append(GermanWord(declined_adjective("ander", "mixed", case, column), article))
    return words, stem


def _attributes(meaning: NounPhrase, case: Case, column: Class, determiner: str | None) -> Words:
    """A participle with what belongs to it, and the adjectives."""
    declension = declension_after(determiner)
    words: Words = []
    if isinstance(meaning.clause, Reduced) and meaning.clause.form != "infinitive":
        words += _participle(meaning.clause, declension, case, column)
    if meaning.degree:
        words.append(GermanWord(lexicon.ADVERBS[meaning.degree.lemma], ((meaning, "degree"),)))
    for adjective in meaning.adjectives:
        _, stem = lexicon.adjective(adjective.lemma, meaning.noun.kind)
        form = declined_adjective(stem, declension, case, column)
        words.append(GermanWord(form, ((meaning, adjective.lemma),)))
    return words


def _after_noun(meaning: NounPhrase, column: Class) -> Words:
    words: Words = []
    owner = meaning.owner
    if isinstance(owner, NounPhrase) and not _owner_precedes(meaning):
        if owner.noun.is_name:
            words += [GermanWord("von", (), ((owner, "possessive"),)), *_name(owner)]
        else:
            words += [_as_possessive(word, owner) for word in _noun_phrase(owner, "Gen")]
    if meaning.attribute:
        words += _prepositional_phrase(meaning.attribute)
    if isinstance(meaning.clause, Relative) or (meaning.clause and meaning.clause.form == "infinitive"):
        words += [COMMA, *_relative_or_infinitive(meaning.clause, column), COMMA]
    if meaning.apposition:
        opening, closing = ((meaning.apposition, f"{place} comma") for place in ("opening", "closing"))
        words += [COMMA._replace(senses=(opening,)), *_noun_phrase(meaning.apposition, "Nom")]
        words.append(COMMA._replace(senses=(closing,)))
    return words


def _as_possessive(word: GermanWord, owner: NounPhrase) -> GermanWord:
    """A word of an owner in the genitive; if it is the article or the noun, it helps to express 's."""
    marked = {(owner, "determiner"), (owner, "head")} & set(word.senses)
    return word._replace(loosely=((owner, "possessive"),)) if marked else word


def _prepositional_phrase(meaning: Setting) -> Words:
    """The words of a prepositional phrase."""
    form, case = lexicon.PREPOSITIONS[meaning.preposition]
    inner = meaning.nominal.members[0] if isinstance(meaning.nominal, Coordination) else meaning.nominal
    if form == "in" and isinstance(inner, NounPhrase) and inner.noun.lemma in lexicon.ON_TOP:
        form = "auf"
    if meaning.preposition == "on":
        sense = ((meaning, "preposition"),)
        return [GermanWord("am", sense), *_nominal(meaning.nominal, case)]
    return _with_preposition(form, case, (meaning, "preposition"), meaning.nominal)


def _with_preposition(preposition: str, case: Case, sense: Sense, meaning: Nominal) -> Words:
    """A preposition with its nominal; the preposition and the article become one word if they can."""
    first, *others = _nominal(meaning, case)
    contracted = lexicon.CONTRACTED.get((preposition, first.form))
    if contracted:
        return [GermanWord(contracted, (sense, *first.senses), first.loosely), *others]
    return [GermanWord(preposition, (sense,)), first, *others]
