"""Known meanings in German, with known links to the English words."""

import pytest

from miniature.english.lexicon import ADJECTIVES, ADVERBS, NOUNS
from miniature.german.pairs import aligned_pair, in_both_languages
from miniature.meaning import Property, Purpose, Reduced, Relative, Setting, Subordinate, Time
from tests.miniature.known_clauses import ANNA, FELIX, HER, ME, TOM, a, past, present, the

BECAUSE_TIRED = Subordinate("because", past("be", HER, complement=Property(ADJECTIVES["tired"])))
RED_APPLES = the("apple", number="Plur", determiner=None, adjectives=(ADJECTIVES["red"],))
SEEN = Relative(past("see", ANNA), "object", None)


def pair_of(clause):
    return aligned_pair(*in_both_languages(clause))


def linked(pair, kind="sure"):
    links = pair.sure if kind == "sure" else pair.possible - pair.sure
    return {f"{pair.source[i]}-{pair.target[j]}" for i, j in links}


def test_both_parts_of_a_separable_verb_are_linked():
    pair = pair_of(present("call_up", ANNA, object=the("doctor")))
    assert " ".join(pair.source) == "Anna ruft den Arzt an ."
    assert " ".join(pair.target) == "Anna calls up the doctor ."
    assert linked(pair) == {"Anna-Anna", "ruft-calls", "an-calls", "an-up", "den-the", "Arzt-doctor", ".-."}
    assert linked(pair, "possible") == {"ruft-up"}


def test_a_compound_is_one_word_linked_to_all_of_its_english_words():
    pair = pair_of(past("buy", TOM, object=the("table", modifiers=(NOUNS["kitchen"],))))
    assert pair.source == ("Tom", "hat", "den", "Küchentisch", "gekauft", ".")
    assert {(3, 3), (3, 4)} <= pair.sure
    assert linked(pair, "possible") == {"hat-bought"}


def test_do_support_and_kein_are_linked():
    pair = pair_of(present("buy", TOM, object=a("car"), negated=True))
    assert " ".join(pair.source) == "Tom kauft kein Auto ."
    assert linked(pair) == {"Tom-Tom", "kauft-buy", "kein-not", "Auto-car", ".-."}
    assert linked(pair, "possible") == {"kauft-does", "kein-a"}


def test_possessives_are_linked_to_the_mark():
    pair = pair_of(present("drive", TOM, object=the("car", owner=the("teacher"))))
    assert " ".join(pair.source) == "Tom fährt das Auto des Lehrers ."
    assert {"des-the", "Lehrers-teacher", "Auto-car"} <= linked(pair)
    assert linked(pair, "possible") == {"das-'s", "des-'s", "Lehrers-'s"}


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        (present("see", ANNA, object=the("dog"), front=Time(("today",))), "Heute sieht Anna den Hund ."),
        (past("be", the("queen"), complement=a("teacher")), "Die Königin war eine Lehrerin ."),
        (
            past("buy", HER, object=the("house"), passive=True, tense="future"),
            "Das Haus wird von ihr gekauft werden .",
        ),
        (past("help", object=the("boy"), passive=True, perfect=True), "Dem Jungen war geholfen worden ."),
        (
            present("want", ME, content=present("read", object=the("book")), negated=True),
            "Ich will das Buch nicht lesen .",
        ),
        (past("begin", ANNA, content=present("call_up", object=TOM)), "Anna fing an , Tom anzurufen ."),
        (present("work", ME, adjuncts=(Purpose(present("sit_down")),)), "Ich arbeite , um mich hinzusetzen ."),
        (present("manage", ANNA, content=present("give_up"), negated=True), "Anna schafft es nicht , aufzugeben ."),
        (past("say", ANNA, content=past("come_back", TOM)), "Anna sagte , Tom ist zurückgekommen ."),
        (
            past("sleep", ANNA, front=BECAUSE_TIRED, adverb=ADVERBS["often"]),
            "Weil sie müde war , hat Anna oft geschlafen .",
        ),
        (
            past("give", ANNA, object=RED_APPLES, recipient=the("child", number="Plur")),
            "Anna hat den Kindern rote Äpfel gegeben .",
        ),
        (present("send", ANNA, object=a("letter"), recipient=TOM), "Anna schickt einen Brief an Tom ."),
        (
            past("sleep", TOM, adjuncts=(Setting("in", the("garden")), Setting("during", the("concert")))),
            "Tom hat während des Konzerts im Garten geschlafen .",
        ),
        (past("be", a("dog"), existential=True, negated=True), "Es gab keinen Hund ."),
        # possessives follow their noun unless they are names
        (present("drive", TOM, object=the("car", owner=ANNA)), "Tom fährt Annas Auto ."),
        (present("drive", TOM, object=the("car", owner=FELIX)), "Tom fährt das Auto von Felix ."),
        # clauses about nouns
        (present("sleep", the("dog", clause=SEEN)), "Der Hund , den Anna gesehen hat , schläft ."),
        (
            present("read", TOM, object=a("book", clause=Reduced(past("write", ANNA, passive=True), "participle"))),
            "Tom liest ein von Anna geschriebenes Buch .",
        ),
        (
            present("laugh", the("man", clause=Reduced(present("wait_for", oblique=the("bus")), "gerund"))),
            "Der auf den Bus wartende Mann lacht .",
        ),
        # who is named decides between words for men and women
        (present("sleep", the("nurse", apposition=TOM)), "Der Krankenpfleger , Tom , schläft ."),
        (present("sleep", the("nurse", apposition=ANNA)), "Die Krankenschwester , Anna , schläft ."),
    ],
)
def test_known_sentences(clause, expected):
    assert " ".join(pair_of(clause).source) == expected


def test_a_relative_clause_whose_object_german_would_not_tell_is_made_passive():
    pair = pair_of(present("sleep", the("cat", clause=SEEN)))
    assert " ".join(pair.source) == "Die Katze , die von Anna gesehen wurde , schläft ."
    assert " ".join(pair.target) == "The cat which was seen by Anna sleeps ."
