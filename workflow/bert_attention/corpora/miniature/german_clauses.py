"""German clauses, from meanings to words.

The finite verb stands second in a main clause and last in a subordinate one. The order of what stands between:
pronouns, time, other adverbs, objects, the negation, manner, place, complements; then participles and infinitives;
and after them clauses.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from bert_attention.corpora.miniature import german_lexicon, german_phrases
from bert_attention.corpora.miniature.german_inflection import RELATIVE, Case, Class, GermanVerb, personal_pronoun
from bert_attention.corpora.miniature.german_phrases import (
    COMMA,
    Attribute,
    GermanWord,
    Speaker,
    Words,
    gender_of,
    governed,
    is_indefinite,
)
from bert_attention.corpora.miniature.german_style import is_time
from bert_attention.corpora.miniature.meaning import (
    Adjunct,
    Clause,
    Manner,
    Nominal,
    NounPhrase,
    Pronoun,
    Property,
    Purpose,
    Reduced,
    Relative,
    Setting,
    Subordinate,
    Time,
    Utterance,
    number_of,
)
from bert_attention.corpora.miniature.trees import Sense

# Patterns whose simple past is the German one; that of other verbs is the perfect: hat gekauft.
_WITH_PRETERITE = {"clausal", "whether", "addressed", "infinitival", "control", "copular"}
_LATE = {"almost", "really"}  # adverbs that stand where those of manner do
_EARLY_CORRELATES = {"es"}


class Agreement(NamedTuple):
    """What a finite verb agrees with."""

    person: int = 3
    plural: bool = False


class Layer(NamedTuple):
    """A verb of a verb group, from the innermost out, with what it expresses."""

    verb: GermanVerb
    senses: tuple[Sense, ...]
    loosely: tuple[Sense, ...]
    upos: str


def utterance(meaning: Utterance) -> Words:
    """The words of a whole sentence."""
    words = [*main_clause(meaning.clause), GermanWord(meaning.final, "PUNCT", ((meaning, "final"),))]
    kept: Words = []
    for word in words:
        if kept and kept[-1].form == "," and word.upos == "PUNCT":
            kept[-1] = word._replace(senses=kept[-1].senses + word.senses)  # one mark ends several clauses
        else:
            kept.append(word)
    first = kept[0]
    return [first._replace(form=first.form[0].upper() + first.form[1:]), *kept[1:]]


def main_clause(meaning: Clause, inherited: Agreement | None = None) -> Words:
    """A main clause; ``inherited`` is the agreement of one that shares the subject of the clause before it."""
    subject, agreement = _subject(meaning, inherited)
    finite, prefix, rest = _verb_group(meaning, agreement)
    words = [*_fronted(meaning.front, agreement), finite, *subject] if meaning.front else [*subject, finite]
    words += [*_middle(meaning, agreement), *rest, *prefix, *_after_verbs(meaning, agreement)]
    if meaning.also:
        words += _coordinate(meaning, agreement)
    return words


def final_clause(meaning: Clause, lead: Words, inherited: Agreement | None = None) -> Words:
    """A clause whose verbs stand last, without the commas around it."""
    subject, agreement = _subject(meaning, inherited)
    finite, prefix, rest = _verb_group(meaning, agreement)
    last = _glued(prefix[0], finite) if prefix else finite
    return [*lead, *subject, *_middle(meaning, agreement), *rest, last, *_after_verbs(meaning, agreement)]


def infinitive_clause(meaning: Clause, agreement: Agreement) -> Words:
    """An infinitive with "zu", without commas; its reflexive pronoun agrees with who is to act."""
    return [*_middle(meaning, agreement), *_infinitive(meaning, with_zu=True), *_after_verbs(meaning, agreement)]


def _coordinate(meaning: Clause, agreement: Agreement) -> Words:
    conjunction, second = meaning.also
    joint = GermanWord(german_lexicon.CONJUNCTIONS[conjunction], "CCONJ", ((second, "conjunction"),))
    if second.subject or (second.passive and second.object):
        return [COMMA._replace(senses=((second, "comma"),)), joint, *main_clause(second)]
    return [joint, *main_clause(second, agreement)]


def _subject(meaning: Clause, inherited: Agreement | None) -> tuple[Words, Agreement]:
    if meaning.existential:
        return [GermanWord("es", "PRON", ((meaning, "there"),))], Agreement()
    subject = meaning.object if meaning.passive else meaning.subject
    case = subject_case(meaning)
    if subject is None:
        return [], inherited if inherited and case == "Nom" else Agreement()
    agreement = agreement_with(subject) if case == "Nom" else Agreement()
    return german_phrases.nominal(subject, case, SPEAKER), agreement


def subject_case(meaning: Clause) -> Case:
    """The case of what English has as subject: a dative stays one in the passive (dem Mann wurde geholfen)."""
    if meaning.passive and meaning.verb.pattern != "ditransitive" and _verb(meaning).case == "Dat":
        return "Dat"
    return "Nom"


def agreement_with(meaning: Nominal) -> Agreement:
    """The agreement of a finite verb with its subject."""
    person = meaning.person if isinstance(meaning, Pronoun) else 3
    return Agreement(person, number_of(meaning) == "Plur")


def _verb(meaning: Clause) -> GermanVerb:
    return german_lexicon.THERE_IS if meaning.existential else german_lexicon.VERBS[meaning.verb.name]


# The verb group


def _verb_senses(meaning: Clause) -> tuple[Sense, ...]:
    """What a verb in one word expresses: with the particle, and the preposition that German does not have."""
    parts = ["verb"]
    if meaning.verb.particle:
        parts.append("particle")
    if meaning.verb.pattern == "prepositional" and not _verb(meaning).preposition:
        parts.append("preposition")
    return tuple((meaning, part) for part in parts)


def _main_layer(meaning: Clause) -> Layer:
    return Layer(_verb(meaning), _verb_senses(meaning), (), "AUX" if meaning.verb.name == "be" else "VERB")


def _voice_layers(meaning: Clause) -> list[Layer]:
    """The verb and, in the passive, "werden"."""
    layers = [_main_layer(meaning)]
    if meaning.passive:
        layers.append(Layer(german_lexicon.WERDEN, ((meaning, "passive"),), ((meaning, "verb"),), "AUX"))
    return layers


def _auxiliary_layers(meaning: Clause) -> list[Layer]:
    """All verbs of a finite clause, from the innermost to the finite one."""
    layers = _voice_layers(meaning)
    loosely = ((meaning, "verb"),)
    if meaning.perfect or _past_is_perfect(meaning):
        auxiliary = german_lexicon.SEIN if layers[-1].verb.auxiliary == "sein" else german_lexicon.HABEN
        layers.append(Layer(auxiliary, ((meaning, "perfect"),) if meaning.perfect else (), loosely, "AUX"))
    modal = "will" if meaning.tense == "future" else meaning.modal
    if modal:
        layers.append(Layer(german_lexicon.MODALS[modal], ((meaning, "modal"),), (), "AUX"))
    return layers


def _past_is_perfect(meaning: Clause) -> bool:
    """Whether the past of a clause is said by the present perfect."""
    simple = not (meaning.progressive or meaning.passive or meaning.existential)
    return meaning.tense == "past" and simple and meaning.verb.pattern not in _WITH_PRETERITE


def _verb_group(meaning: Clause, agreement: Agreement) -> tuple[GermanWord, Words, Words]:
    """The finite verb without its prefix, the prefix, and the other verbs in the order of a clause's end."""
    *inner, outermost = _auxiliary_layers(meaning)
    past = meaning.tense == "past" and (meaning.perfect or not _past_is_perfect(meaning))
    form = outermost.verb.finite(past, *agreement)
    prefix = []
    if outermost.verb.prefix:
        prefix = [GermanWord(outermost.verb.prefix, "ADP", outermost.senses)]
        outermost = outermost._replace(senses=outermost.senses[:1], loosely=outermost.loosely + outermost.senses[1:])
    finite = GermanWord(form, outermost.upos, outermost.senses, outermost.loosely)
    rest = _non_finite(inner, outermost)
    if meaning.verb.name == "want":
        rest = [*_infinitive(meaning.content, with_zu=False), *rest]
    return finite, prefix, rest


def _non_finite(layers: list[Layer], governor: Layer) -> Words:
    """Verbs as what governs them wants them: participles, infinitives."""
    return [_spelled(layer, _governed_form(layer, outer)) for layer, outer in pairwise([*layers, governor])]


def _governed_form(layer: Layer, outer: Layer) -> str:
    """The participle after "haben", "sein" and the passive's "werden", the infinitive after modals."""
    is_modal = any(part == "modal" for _, part in outer.senses)
    return layer.verb.infinitive if is_modal else layer.verb.participle


def _spelled(layer: Layer, form: str) -> GermanWord:
    return GermanWord(layer.verb.prefix + form, layer.upos, layer.senses, layer.loosely)


def _glued(prefix: GermanWord, verb: GermanWord) -> GermanWord:
    return GermanWord(prefix.form + verb.form, verb.upos, prefix.senses, ())


def _infinitive(meaning: Clause, with_zu: bool) -> Words:
    """The infinitive of a clause, in the passive after its participle; "zu" stands in it after a prefix."""
    *inner, outermost = _voice_layers(meaning)
    words = _non_finite(inner, outermost)
    if not with_zu:
        return [*words, _spelled(outermost, outermost.verb.infinitive)._replace(loosely=((meaning, "to"),))]
    if outermost.verb.prefix:
        last = _spelled(outermost, "zu" + outermost.verb.infinitive)
        return [*words, last._replace(loosely=((meaning, "to"),))]
    return [
        *words,
        GermanWord("zu", "PART", ((meaning, "to"),)),
        _spelled(outermost, outermost.verb.infinitive),
    ]


# What stands between the verbs


def _middle(meaning: Clause, agreement: Agreement, denial: Sense | None = None) -> Words:
    """What stands between the finite verb, or the subject, and the verbs at the end.

    ``denial`` is a negation of the verb that governs this one: will das Buch nicht lesen.
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
        words.append(GermanWord("gerade", "ADV", ((meaning, "progressive"),)))
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
    return GermanWord("nicht", "PART", (denial,))


def _objects(meaning: Clause) -> list[tuple[Case, Nominal]]:
    """Objects in their order, with their cases."""
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
    """Whether the recipient stands with a preposition: schickt einen Brief an Anna."""
    return meaning.verb.pattern == "ditransitive" and not (meaning.recipient_first or meaning.passive)


def _denies_article(meaning: Clause) -> bool:
    """Whether the negation is said by "kein": of an indefinite object or of what somebody is not."""
    if meaning.adverb:
        return False
    if isinstance(meaning.complement, NounPhrase):
        return is_indefinite(meaning.complement)
    return any(case == "Acc" and is_indefinite(item) for case, item in _objects(meaning))


def _object(item: Nominal, case: Case, governor: Clause, denial: Sense | None = None) -> Words:
    """An object; a ``denial`` is said by its article if it is an indefinite accusative."""
    if denial and case == "Acc" and is_indefinite(item):
        return german_phrases.noun_phrase(item, case, SPEAKER, denied_by=denial)
    first, *others = german_phrases.nominal(item, case, SPEAKER)
    if item is governor.recipient:  # "to", where English has it
        first = first._replace(loosely=(*first.loosely, (governor, "preposition")))
    return [first, *others]


def _reflexive(meaning: Clause, agreement: Agreement) -> Words:
    if not _verb(meaning).reflexive:
        return []
    gender = "Masc" if agreement.person == 3 else ""
    number = "Plur" if agreement.plural and agreement.person == 1 else "Sing"
    form = personal_pronoun(agreement.person, number, gender, "reflexive")
    return [GermanWord(form, "PRON", (), ((meaning, "verb"),))]


def _correlate(meaning: Clause, early: bool) -> Words:
    word = _verb(meaning).correlate
    if not word or early != (word in _EARLY_CORRELATES):
        return []
    return [GermanWord(word, "PRON" if early else "ADV", (), ((meaning, "verb"),))]


def _adverb(meaning: Clause, early: bool) -> Words:
    """The adverb of a clause; it stands ``early``, before objects, unless it is close to the verb."""
    adverb = meaning.adverb
    if not adverb:
        return []
    if early != (meaning.negated or adverb.lemma not in _LATE):
        return []
    return [GermanWord(german_lexicon.ADVERBS[adverb.lemma], "ADV", ((meaning, "adverb"),))]


def _agent(meaning: Clause) -> Words:
    if not (meaning.passive and meaning.subject):
        return []
    return governed("von", "Dat", (meaning, "by"), meaning.subject, SPEAKER)


def _oblique(meaning: Clause) -> Words:
    if _follows_with_an(meaning) and meaning.recipient:
        return governed("an", "Acc", (meaning, "preposition"), meaning.recipient, SPEAKER)
    preposition = _verb(meaning).preposition
    if not (meaning.oblique and preposition):
        return []
    return governed(*preposition, (meaning, "preposition"), meaning.oblique, SPEAKER)


def _complement(meaning: Clause, denial: Sense | None) -> Words:
    """What a subject is said to be."""
    match meaning.complement:
        case None:
            return []
        case Property(adjective=adjective, degree=degree):
            word = german_lexicon.predicate(adjective.lemma, _kind_of_subject(meaning))
            words = [GermanWord(word, "ADJ", ((meaning.complement, "head"),))]
            if degree:
                form = german_lexicon.ADVERBS[degree.lemma]
                words.insert(0, GermanWord(form, "ADV", ((meaning.complement, "degree"),)))
            return words
        case Setting():
            return german_phrases.prepositional(meaning.complement, SPEAKER)
        case _:
            woman = meaning.subject is not None and gender_of(meaning.subject) == "f"
            return german_phrases.noun_phrase(meaning.complement, "Nom", SPEAKER, woman, denial)


def _kind_of_subject(meaning: Clause) -> str:
    """The kind of what a property is said of; people are "groß", buildings are "hoch"."""
    return meaning.subject.noun.kind if isinstance(meaning.subject, NounPhrase) else "person"


# Adjuncts and clauses in clauses


def _adjunct(meaning: Adjunct, agreement: Agreement) -> Words:
    """The words of an adjunct to a clause with an agreement."""
    match meaning:
        case Setting():
            return german_phrases.prepositional(meaning, SPEAKER)
        case Time():
            return german_phrases.time(meaning)
        case Manner():
            return [GermanWord(german_lexicon.ADVERBS[meaning.adverb.lemma], "ADV", ((meaning, "head"),))]
        case Purpose():
            um = GermanWord("um", "SCONJ", (), ((meaning.clause, "to"),))
            return [um, *infinitive_clause(meaning.clause, agreement)]
        case Subordinate():
            past = meaning.conjunction == "when" and meaning.clause.tense == "past"
            form = "als" if past else german_lexicon.SUBORDINATORS[meaning.conjunction]
            return final_clause(meaning.clause, [GermanWord(form, "SCONJ", ((meaning, "conjunction"),))])


def _fronted(meaning: Adjunct, agreement: Agreement) -> Words:
    """What stands before the finite verb instead of the subject; only clauses have a comma."""
    words = _adjunct(meaning, agreement)
    if isinstance(meaning, Purpose | Subordinate):
        words.append(COMMA._replace(senses=((meaning, "comma"),)))
    return words


def _after_verbs(meaning: Clause, agreement: Agreement) -> Words:
    """Clauses after the verbs, each between commas."""
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
    """A complement clause; who acts in an infinitive is the object where there is one, or else the subject."""
    if meaning.verb.pattern in ("infinitival", "control"):
        return infinitive_clause(meaning.content, agreement_with(meaning.object) if meaning.object else agreement)
    if not meaning.conjunction:
        return main_clause(meaning.content)
    form = german_lexicon.SUBORDINATORS[meaning.conjunction]
    return final_clause(meaning.content, [GermanWord(form, "SCONJ", ((meaning, "that"),))])


def _relative_or_infinitive(meaning: Relative | Reduced, column: Class) -> Words:
    """A clause after the noun that it is about, whose gender or number ``column`` is."""
    clause = meaning.clause
    if isinstance(meaning, Reduced):
        return infinitive_clause(clause, Agreement())
    case = subject_case(clause) if meaning.gap == "subject" else _verb(clause).case
    pronoun = GermanWord(RELATIVE[case, column], "PRON", ((clause, "relative pronoun"),))
    agreement = Agreement(plural=column == "p") if meaning.gap == "subject" else None
    return final_clause(clause, [pronoun], agreement)


def _participle(meaning: Reduced) -> Attribute:
    """A participle before the noun that it is about."""
    verb = _verb(meaning.clause)
    form = verb.infinitive + "d" if meaning.form == "gerund" else verb.participle
    return Attribute(_middle(meaning.clause, Agreement()), verb.prefix + form, _verb_senses(meaning.clause))


SPEAKER = Speaker(_participle, _relative_or_infinitive)
