"""English grammar, from meanings to trees in Universal Dependencies: clauses first, then noun phrases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from miniature.english import function_words as words
from miniature.english.lexicon import NOUNS, NUMERALS, PEOPLE
from miniature.meaning import (
    Adjunct,
    Clause,
    Coordination,
    Form,
    Manner,
    Nominal,
    NounPhrase,
    Pronoun,
    Property,
    Purpose,
    Reduced,
    Referent,
    Relative,
    Sense,
    Setting,
    Subordinate,
    Time,
    Utterance,
    kind_of,
    number_of,
)
from miniature.tokens import Token
from miniature.trees import Node, leaf

_FORM_AFTER = {"modal": "base", "perfect": "participle", "progressive": "gerund", "passive": "participle"}
_NON_FINITE = {"infinitive": "base", "imperative": "base", "gerund": "gerund", "participle": "participle"}
# Questions that do not ask for a function of the verb.
_ADVERBIAL_QUESTIONS = {"where", "when", "why", "how"}


def utterance(meaning: Utterance) -> Node:
    """The tree of a whole sentence."""
    form: Form = "imperative" if meaning.imperative else "finite"
    root = _clause(meaning.clause, "root", form)
    if meaning.addressee:
        vocative = nominal(meaning.addressee, "vocative", "Nom")
        if meaning.addressee_last:
            vocative.left.append(leaf(words.COMMA, "punct"))
            root.right.append(vocative)
        else:
            vocative.right.append(leaf(words.COMMA, "punct"))
            root.left.insert(0, vocative)
    if meaning.interjection:
        opening = leaf(words.INTERJECTIONS[meaning.interjection], "discourse")
        if meaning.interjection != "please":
            opening.right.append(leaf(words.COMMA, "punct"))
        root.left.insert(0, opening)
    if meaning.speech:
        speech = _clause(meaning.speech, "parataxis")
        speech.left.insert(0, leaf(words.COMMA, "punct"))
        root.right.append(speech)
    root.right.append(leaf(words.FINAL[meaning.final], "punct", (meaning, "final")))
    return root


def _noun_clause(meaning: Relative | Reduced, noun: NounPhrase) -> Node:
    """A relative or reduced clause about a noun."""
    if isinstance(meaning, Reduced):
        return _clause(meaning.clause, "acl", meaning.form)
    lead = []
    if meaning.pronoun:
        role = _subject_relation(meaning.clause) if meaning.gap == "subject" else "obj"
        lead = [leaf(words.RELATIVE[meaning.pronoun], role, (meaning.clause, "relative pronoun"))]
    return _clause(meaning.clause, "acl:relcl", "finite", lead, noun)


def _clause(
    meaning: Clause,
    relation: str,
    form: Form = "finite",
    lead: Sequence[Node] = (),
    agreement: Nominal | None = None,
) -> Node:
    """The tree of a clause.

    Parameters
    ----------
    lead
        Nodes before all else: a conjunction, a relative pronoun.
    agreement
        What a finite verb agrees with if the clause has no subject of its own.
    """
    # "who sees", even of several
    agreement = None if meaning.question == "subject" else meaning.grammatical_subject or agreement
    auxiliaries, verb = _verb_group(meaning, form, agreement)
    head = _predicate(meaning, relation, verb, auxiliaries)
    if meaning.existential and not auxiliaries:  # "be" itself moves like an auxiliary: "isn't there often"
        around = _before_verb(meaning, form, [head])
        place = around.index(head)
        before, after = around[:place], around[place + 1 :]
    else:
        before, after = _before_verb(meaning, form, auxiliaries), []
    head.left[:0] = [*lead, *before]
    head.right += [*after, *_after_verb(meaning)]
    if meaning.also:
        head.right.append(_coordinate(meaning, agreement))
    return head


def _before_verb(meaning: Clause, form: Form, auxiliaries: list[Node]) -> list[Node]:
    nodes = [_front(meaning.front)] if meaning.front else []
    if meaning.question not in (None, "truth"):
        nodes.append(_interrogative(meaning))
    if form == "finite":
        nodes += _subject_and_finite(meaning, auxiliaries[:1])
        auxiliaries = auxiliaries[1:]
    elif form == "infinitive":
        nodes += [_negation(meaning)] if meaning.negated else []
        nodes.append(leaf(words.TO, "mark", (meaning, "to")))
    if not meaning.adverb:
        return nodes + auxiliaries
    adverb = leaf(meaning.adverb.token, "advmod", (meaning, "adverb"))
    return nodes + ([adverb, *auxiliaries] if meaning.adverb.place == "frequency" else [*auxiliaries, adverb])


def _subject_and_finite(meaning: Clause, auxiliary: list[Node]) -> list[Node]:
    """The subject, the first auxiliary and the negation, in the order of a statement or a question."""
    subject = _subject(meaning)
    negation = [_negation(meaning, auxiliary[0])] if meaning.negated else []
    if meaning.question in (None, "subject"):
        return [*subject, *auxiliary, *negation]
    if negation and negation[0].token is words.CONTRACTED_NOT:
        return [*auxiliary, *negation, *subject]
    return [*auxiliary, *subject, *negation]


def _coordinate(meaning: Clause, agreement: Nominal | None) -> Node:
    conjunction, second = meaning.also
    node = _clause(second, "conj", agreement=agreement)
    node.left.insert(0, leaf(words.CONJUNCTIONS[conjunction], "cc", (second, "conjunction")))
    if second.grammatical_subject:
        node.left.insert(0, leaf(words.COMMA, "punct", (second, "comma")))
    return node


def _subject_relation(meaning: Clause) -> str:
    return "nsubj:pass" if meaning.passive else "nsubj"


def _subject(meaning: Clause) -> list[Node]:
    if meaning.existential:
        return [leaf(words.THERE, "expl", (meaning, "there"))]
    if meaning.grammatical_subject is None or meaning.question == "subject":
        return []
    return [nominal(meaning.grammatical_subject, _subject_relation(meaning), "Nom")]


def _interrogative(meaning: Clause) -> Node:
    if meaning.question in _ADVERBIAL_QUESTIONS:
        return leaf(words.INTERROGATIVE[meaning.question], "advmod", (meaning, "question"))
    asked = meaning.subject if meaning.question == "subject" else meaning.object
    word = "who" if kind_of(asked) in PEOPLE else "what"
    relation = "obj" if meaning.question == "object" else _subject_relation(meaning)
    return leaf(words.INTERROGATIVE[word], relation, (meaning, "question"))


def _verb_group(meaning: Clause, form: Form, subject: Nominal | None) -> tuple[list[Node], Token]:
    """The auxiliaries in order, and the form of the verb itself."""
    wanted = _NON_FINITE.get(form) or _finite_form(meaning.tense, subject)
    auxiliaries: list[Node] = []
    modal = "will" if meaning.tense == "future" and form == "finite" else meaning.modal
    if modal and form == "finite":
        contracted = meaning.negated and meaning.contracted and modal not in words.UNCONTRACTED
        token = (words.CONTRACTED_MODALS if contracted else words.MODALS)[modal]
        auxiliaries.append(leaf(token, "aux", (meaning, "modal")))
        wanted = "base"
    loosely = ((meaning, "verb"),)
    for lemma, relation, part, used in (
        ("have", "aux", "perfect", meaning.perfect),
        ("be", "aux", "progressive", meaning.progressive),
        ("be", "aux:pass", "passive", meaning.passive and form != "participle"),
    ):
        if used:
            auxiliaries.append(leaf(words.AUXILIARIES[lemma][wanted], relation, (meaning, part), loosely=loosely))
            wanted = _FORM_AFTER[part]
    is_be = meaning.verb.lemma == "be"
    needs_do = meaning.negated or meaning.question not in (None, "subject")
    if form == "finite" and not auxiliaries and not is_be and needs_do:
        auxiliaries.append(leaf(words.AUXILIARIES["do"][wanted], "aux", loosely=loosely))
        wanted = "base"
    return auxiliaries, (words.AUXILIARIES["be"] if is_be else meaning.verb.forms)[wanted]


def _finite_form(tense: str, subject: Nominal | None) -> str:
    """The name of a finite form in a verb's table."""
    plural = number_of(subject) == "Plur"
    if tense == "past":
        return "past_plural" if plural else "past"
    if isinstance(subject, Pronoun) and subject.person == 1 and not plural:
        return "first"
    return "present" if plural else "third"


def _negation(meaning: Clause, auxiliary: Node | None = None) -> Node:
    """``n't`` if a contraction is wanted and the auxiliary allows it, or else ``not``."""
    contracted = meaning.contracted and auxiliary is not None and auxiliary.token.form not in words.UNCONTRACTED
    return leaf(words.CONTRACTED_NOT if contracted else words.NOT, "advmod", (meaning, "negation"))


def _predicate(meaning: Clause, relation: str, verb: Token, auxiliaries: list[Node]) -> Node:
    """The head of the clause: the verb, or what "be" links the subject to; "be" is then added to the auxiliaries."""
    if meaning.verb.lemma != "be":
        return leaf(verb, relation, (meaning, "verb"))
    if meaning.existential:
        return leaf(verb._replace(upos="VERB"), relation, (meaning, "verb"))
    auxiliaries.append(leaf(verb, "cop", (meaning, "verb")))
    return _complement(meaning.complement, relation)


def _complement(meaning: NounPhrase | Property | Setting, relation: str) -> Node:
    match meaning:
        case Property():
            node = leaf(meaning.adjective.token, relation, (meaning, "head"))
            if meaning.degree:
                node.left.append(leaf(meaning.degree.token, "advmod", (meaning, "degree")))
            return node
        case Setting():
            return _prepositional_phrase(meaning, relation)
        case _:
            return nominal(meaning, relation, "Nom")


def _after_verb(meaning: Clause) -> list[Node]:
    """Particle, objects, complements and adjuncts, in order."""
    nodes: list[Node] = []
    direct = None if meaning.passive or meaning.question == "object" else meaning.object
    if meaning.recipient_first or (meaning.verb.particle and not meaning.particle_last):
        direct = _rule_out_pronoun(direct)
    if meaning.existential:
        nodes.append(nominal(meaning.subject, "nsubj", "Nom"))
    if meaning.recipient and (meaning.recipient_first or meaning.content):
        nodes.append(nominal(meaning.recipient, "iobj", "Acc"))
    if direct:
        nodes.append(nominal(direct, "obj", "Acc"))
    if meaning.verb.particle:
        particle = leaf(words.PARTICLES[meaning.verb.particle], "compound:prt", (meaning, "particle"))
        nodes.insert(len(nodes) if meaning.particle_last or isinstance(direct, Pronoun) else 0, particle)
    if meaning.recipient and not (meaning.recipient_first or meaning.content):
        nodes.append(_with_preposition("to", meaning.recipient, "obl", (meaning, "preposition")))
    if meaning.oblique:
        nodes.append(_with_preposition(meaning.verb.preposition, meaning.oblique, "obl", (meaning, "preposition")))
    if meaning.complement and meaning.verb.lemma != "be":
        nodes.append(_complement(meaning.complement, "xcomp"))
    if meaning.passive and meaning.subject:
        nodes.append(_with_preposition("by", meaning.subject, "obl:agent", (meaning, "by")))
    nodes += [_adjunct(part) for part in meaning.adjuncts]
    if meaning.content:
        nodes.append(_content(meaning))
    return nodes


def _rule_out_pronoun(meaning: Nominal | None) -> Nominal | None:
    """A nominal that will not become a pronoun: nobody says "picked up it" or "gave Anna it"."""
    return replace(meaning, full=True) if isinstance(meaning, Referent) else meaning


def _with_preposition(preposition: str, meaning: Nominal, relation: str, sense: Sense) -> Node:
    """A nominal with a preposition: its noun is the head, the preposition its ``case``."""
    node = nominal(meaning, relation, "Acc")
    node.left.insert(0, leaf(words.PREPOSITIONS[preposition], "case", sense))
    return node


def _content(meaning: Clause) -> Node:
    """A complement clause: an infinitive, or a finite clause with or without a conjunction."""
    if meaning.verb.pattern in ("infinitival", "control"):
        return _clause(meaning.content, "xcomp", "infinitive")
    lead = [leaf(words.SUBORDINATORS[meaning.conjunction], "mark", (meaning, "that"))] if meaning.conjunction else []
    return _clause(meaning.content, "ccomp", "finite", lead)


def _adjunct(meaning: Adjunct) -> Node:
    """The tree of an adjunct."""
    match meaning:
        case Setting():
            return _prepositional_phrase(meaning, "obl")
        case Time():
            return _time(meaning)
        case Manner():
            return leaf(meaning.adverb.token, "advmod", (meaning, "head"))
        case Purpose():
            return _clause(meaning.clause, "advcl", "infinitive")
        case Subordinate():
            relation = "advmod" if meaning.conjunction == "when" else "mark"
            mark = leaf(words.SUBORDINATORS[meaning.conjunction], relation, (meaning, "conjunction"))
            return _clause(meaning.clause, "advcl", "finite", [mark])


def _front(meaning: Adjunct) -> Node:
    """An adjunct before the subject, with its comma."""
    node = _adjunct(meaning)
    node.right.append(leaf(words.COMMA, "punct", (meaning, "comma")))
    return node


# Noun phrases and what is in them


def nominal(meaning: Nominal, relation: str, case: str) -> Node:
    """The tree of a nominal; ``case`` is Nom, Acc or Gen (a possessor)."""
    match meaning:
        case Pronoun():
            return _pronoun(meaning, relation, case)
        case Referent():
            return Node(None, relation, referent=meaning, case=case)
        case Coordination():
            return _coordination(meaning, relation, case)
        case _:
            return _noun_phrase(meaning, relation, case)


def _pronoun(meaning: Pronoun, relation: str, case: str) -> Node:
    gender = meaning.gender if meaning.number == "Sing" else ""
    token = words.PERSONAL[meaning.person, meaning.number, gender, case]
    node = leaf(token, relation, (meaning, "head"))
    node.mention = meaning.entity
    return node


def _coordination(meaning: Coordination, relation: str, case: str) -> Node:
    """The first member with the second below it; the conjunction hangs on the second."""
    first, second = nominal(meaning.members[0], relation, case), nominal(meaning.members[1], "conj", case)
    second.left.insert(0, leaf(words.CONJUNCTIONS["and"], "cc", (meaning, "conjunction")))
    first.right.append(second)
    return first


def _noun_phrase(meaning: NounPhrase, relation: str, case: str) -> Node:
    token = meaning.noun.plural if meaning.number == "Plur" else meaning.noun.token
    node = leaf(token, relation, (meaning, "head"))
    node.left = _before_noun(meaning)
    node.right = [leaf(name.token, "flat", (meaning, name.lemma)) for name in meaning.names]
    if meaning.attribute:
        node.right.append(_prepositional_phrase(meaning.attribute, "nmod"))
    if meaning.clause:
        node.right.append(_noun_clause(meaning.clause, meaning))
    if meaning.apposition:
        node.right.append(_apposition(meaning.apposition))
    if case == "Gen":
        after_s = token.form.endswith("s") and meaning.number == "Plur"
        mark = words.POSSESSIVE_AFTER_S if after_s else words.POSSESSIVE
        node.right.append(leaf(mark, "case", loosely=((meaning, "possessive"),)))
    return node


def _before_noun(meaning: NounPhrase) -> list[Node]:
    nodes = []
    if meaning.all:
        nodes.append(leaf(words.DETERMINERS["all"], "det:predet", (meaning, "all")))
    if meaning.owner:
        nodes.append(nominal(meaning.owner, "nmod:poss", "Gen"))
    elif meaning.determiner:
        form = "these" if (meaning.determiner, meaning.number) == ("this", "Plur") else meaning.determiner
        nodes.append(leaf(words.DETERMINERS[form], "det", (meaning, "determiner")))
    if meaning.numeral:
        nodes.append(leaf(NUMERALS[meaning.numeral], "nummod", (meaning, "numeral")))
    for place, adjective in enumerate(meaning.adjectives):
        node = leaf(adjective.token, "amod", (meaning, adjective.lemma))
        if place == 0 and meaning.degree:
            node.left.append(leaf(meaning.degree.token, "advmod", (meaning, "degree")))
        nodes.append(node)
    nodes += [leaf(noun.token, "compound", (meaning, noun.lemma)) for noun in meaning.modifiers]
    return nodes


def _apposition(meaning: NounPhrase) -> Node:
    """An apposition between commas; the second is dropped later if other punctuation follows."""
    node = _noun_phrase(meaning, "appos", "Nom")
    node.left.insert(0, leaf(words.COMMA, "punct", (meaning, "opening comma")))
    node.right.append(leaf(words.COMMA, "punct", (meaning, "closing comma")))
    return node


def _prepositional_phrase(meaning: Setting, relation: str) -> Node:
    return _with_preposition(meaning.preposition, meaning.nominal, relation, (meaning, "preposition"))


def _time(meaning: Time) -> Node:
    """The tree of an expression of time without a preposition."""
    *before, head = meaning.words
    node = leaf(NOUNS[head].token, "obl:unmarked", (meaning, "head"))
    for word in before:
        tables = ((words.DETERMINERS, "det"), (NUMERALS, "nummod"), (words.TIME_ADJECTIVES, "amod"))
        token, relation = next((tokens[word], relation) for tokens, relation in tables if word in tokens)
        node.left.append(leaf(token, relation, (meaning, word)))
    return node
