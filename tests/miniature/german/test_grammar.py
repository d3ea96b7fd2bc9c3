"""Known meanings in German, with known links to the English words."""

from __future__ import annotations

import pytest

from miniature.english.lexicon import ADJECTIVES, ADVERBS, GIVEN_NAMES, NOUNS
from miniature.english.verbs import BE, VERBS
from miniature.german.pairs import aligned_pair
from miniature.german.style import translatable_clause
from miniature.meaning import (
    Clause,
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
)

VERB = {verb.name: verb for verb in VERBS}
NAME = {name.lemma: name for name in GIVEN_NAMES}
ANNA, TOM, FELIX = NAME["Anna"], NAME["Tom"], NAME["Felix"]
SHE = Pronoun(3, gender="Fem")


def a(lemma: str, **parts) -> NounPhrase:
    return NounPhrase(NOUNS[lemma], determiner="a", **parts)


def the(lemma: str, **parts) -> NounPhrase:
    return NounPhrase(NOUNS[lemma], **parts)


def named(name) -> NounPhrase:
    return NounPhrase(name, determiner=None)


def present(name: str, **parts) -> Clause:
    return Clause(VERB[name], tense="present", **parts)


def pair_of(clause: Clause):
    return aligned_pair(Utterance(translatable_clause(clause)))


def german(clause: Clause) -> str:
    return " ".join(pair_of(clause).source)


def linked(pair, kind: str = "sure") -> set[str]:
    links = pair.sure if kind == "sure" else pair.possible - pair.sure
    return {f"{pair.source[i]}-{pair.target[j]}" for i, j in links}


def test_both_parts_of_a_separable_verb_are_linked():
    pair = pair_of(present("call_up", subject=named(ANNA), object=the("doctor")))
    assert " ".join(pair.source) == "Anna ruft den Arzt an ."
    assert " ".join(pair.target) == "Anna calls up the doctor ."
    assert linked(pair) == {"Anna-Anna", "ruft-calls", "an-calls", "an-up", "den-the", "Arzt-doctor", ".-."}
    assert linked(pair, "possible") == {"ruft-up"}


def test_a_compound_is_one_word_linked_to_all_of_its_english_words():
    pair = pair_of(Clause(VERB["buy"], subject=named(TOM), object=the("table", modifiers=(NOUNS["kitchen"],))))
    assert pair.source == ("Tom", "hat", "den", "Küchentisch", "gekauft", ".")
    assert {(3, 3), (3, 4)} <= pair.sure
    assert linked(pair, "possible") == {"hat-bought"}


def test_do_support_and_kein_are_linked():
    pair = pair_of(present("buy", subject=named(TOM), object=a("car"), negated=True))
    assert " ".join(pair.source) == "Tom kauft kein Auto ."
    assert linked(pair) == {"Tom-Tom", "kauft-buy", "kein-not", "Auto-car", ".-."}
    assert linked(pair, "possible") == {"kauft-does", "kein-a"}


def test_possessives_follow_their_noun_unless_they_are_names():
    car = the("car", owner=the("teacher"))
    pair = pair_of(present("drive", subject=named(TOM), object=car))
    assert " ".join(pair.source) == "Tom fährt das Auto des Lehrers ."
    assert {"des-the", "Lehrers-teacher", "Auto-car"} <= linked(pair)
    assert linked(pair, "possible") == {"das-'s", "des-'s", "Lehrers-'s"}
    assert (
        german(present("drive", subject=named(TOM), object=the("car", owner=named(ANNA)))) == "Tom fährt Annas Auto ."
    )
    felix = the("car", owner=named(FELIX))
    assert german(present("drive", subject=named(TOM), object=felix)) == "Tom fährt das Auto von Felix ."


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        (
            present("see", subject=named(ANNA), object=the("dog"), front=Time(("today",))),
            "Heute sieht Anna den Hund .",
        ),
        (
            Clause(BE, subject=the("queen"), complement=a("teacher"), tense="past"),
            "Die Königin war eine Lehrerin .",
        ),
        (
            Clause(VERB["buy"], object=the("house"), subject=SHE, passive=True, tense="future"),
            "Das Haus wird von ihr gekauft werden .",
        ),
        (
            Clause(VERB["help"], object=the("boy"), passive=True, perfect=True),
            "Dem Jungen war geholfen worden .",
        ),
        (
            present("want", subject=Pronoun(1), content=present("read", object=the("book")), negated=True),
            "Ich will das Buch nicht lesen .",
        ),
        (
            Clause(VERB["begin"], subject=named(ANNA), content=present("call_up", object=named(TOM))),
            "Anna fing an , Tom anzurufen .",
        ),
        (
            present("work", subject=Pronoun(1), adjuncts=(Purpose(present("sit_down")),)),
            "Ich arbeite , um mich hinzusetzen .",
        ),
        (
            present("manage", subject=named(ANNA), content=present("give_up"), negated=True),
            "Anna schafft es nicht , aufzugeben .",
        ),
        (
            Clause(VERB["say"], subject=named(ANNA), content=Clause(VERB["come_back"], subject=named(TOM))),
            "Anna sagte , Tom ist zurückgekommen .",
        ),
        (
            Clause(
                VERB["sleep"],
                subject=named(ANNA),
                front=Subordinate("because", Clause(BE, subject=SHE, complement=Property(ADJECTIVES["tired"]))),
                adverb=ADVERBS["often"],
            ),
            "Weil sie müde war , hat Anna oft geschlafen .",
        ),
        (
            Clause(
                VERB["give"],
                subject=named(ANNA),
                object=NounPhrase(NOUNS["apple"], number="Plur", determiner=None, adjectives=(ADJECTIVES["red"],)),
                recipient=NounPhrase(NOUNS["child"], number="Plur"),
            ),
            "Anna hat den Kindern rote Äpfel gegeben .",
        ),
        (
            present("send", subject=named(ANNA), object=a("letter"), recipient=named(TOM)),
            "Anna schickt einen Brief an Tom .",
        ),
        (
            Clause(
                VERB["sleep"],
                subject=named(TOM),
                adjuncts=(Setting("in", the("garden")), Setting("during", the("concert"))),
            ),
            "Tom hat während des Konzerts im Garten geschlafen .",
        ),
        (
            Clause(BE, existential=True, subject=a("dog"), negated=True),
            "Es gab keinen Hund .",
        ),
    ],
)  # fmt: skip
def test_known_sentences(clause, expected):
    assert german(clause) == expected


def test_clauses_about_nouns():
    seen = the("dog", clause=Relative(Clause(VERB["see"], subject=named(ANNA)), "object", None))
    assert german(present("sleep", subject=seen)) == "Der Hund , den Anna gesehen hat , schläft ."
    written = a("book", clause=Reduced(Clause(VERB["write"], subject=named(ANNA), passive=True), "participle"))
    assert german(present("read", subject=named(TOM), object=written)) == "Tom liest ein von Anna geschriebenes Buch ."
    waiting = the("man", clause=Reduced(present("wait_for", oblique=the("bus")), "gerund"))
    assert german(present("laugh", subject=waiting)) == "Der auf den Bus wartende Mann lacht ."


def test_a_relative_clause_whose_object_german_would_not_tell_is_made_passive():
    seen = the("cat", clause=Relative(Clause(VERB["see"], subject=named(ANNA)), "object", None))
    pair = pair_of(present("sleep", subject=seen))
    assert " ".join(pair.source) == "Die Katze , die von Anna gesehen wurde , schläft ."
    assert " ".join(pair.target) == "The cat which was seen by Anna sleeps ."


def test_who_is_named_decides_between_words_for_men_and_women():
    clauses = [present("sleep", subject=the("nurse", apposition=named(name))) for name in (TOM, ANNA)]
    assert [german(clause) for clause in clauses] == [
        "Der Krankenpfleger , Tom , schläft .",
        "Die Krankenschwester , Anna , schläft .",
    ]
