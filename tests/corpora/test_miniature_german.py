"""German of the miniature: known sentences with known links, complete tables, and what the corpus is made of."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from bert_attention.corpora.alignments import alignment_error_rate, diagonal_links
from bert_attention.corpora.miniature import german_lexicon, lexicon
from bert_attention.corpora.miniature.german import aligned_pair, aligned_pairs
from bert_attention.corpora.miniature.german_inflection import GermanNoun, declined_adjective, declined_determiner, verb
from bert_attention.corpora.miniature.german_style import settled
from bert_attention.corpora.miniature.lexicon import ADJECTIVES, ADVERBS, NOUNS
from bert_attention.corpora.miniature.meaning import (
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
from bert_attention.corpora.miniature.verbs import BE, VERBS

VERB = {verb.name: verb for verb in VERBS}
NAME = {name.lemma: name for name in lexicon.GIVEN_NAMES}
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
    return aligned_pair(Utterance(settled(clause)))


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


@pytest.mark.parametrize(
    ("determiner", "declension", "forms"),
    [
        ("der", "weak", "der rote den roten dem roten des roten"),
        ("kein", "mixed", "kein roter keinen roten keinem roten keines roten"),
        ("dies", "weak", "dieser rote diesen roten diesem roten dieses roten"),
    ],
)
def test_determiners_and_adjectives_before_masculine_nouns(determiner, declension, forms):
    spoken = [
        word
        for case in ("Nom", "Acc", "Dat", "Gen")
        for word in (declined_determiner(determiner, case, "m"), declined_adjective("rot", declension, case, "m"))
    ]
    assert spoken == forms.split()


def test_who_is_named_decides_between_words_for_men_and_women():
    clauses = [present("sleep", subject=the("nurse", apposition=named(name))) for name in (TOM, ANNA)]
    assert [german(clause) for clause in clauses] == [
        "Der Krankenpfleger , Tom , schläft .",
        "Die Krankenschwester , Anna , schläft .",
    ]


def test_nouns_and_verbs_are_inflected():
    assert GermanNoun("Kind", "n", "Kinder").form("Dat", True) == "Kindern"
    assert GermanNoun("Auto", "n", "Autos").form("Dat", True) == "Autos"
    assert GermanNoun("Junge", "m", "Jungen", "Jungen").form("Gen", False) == "Jungen"
    assert GermanNoun("Geheimnis", "n", "Geheimnisse").form("Gen", False) == "Geheimnisses"
    opened, repaired, called = verb("öffnen"), verb("reparieren"), verb("an|rufen", "=,rief,gerufen")
    assert (opened.third, opened.past, opened.participle) == ("öffnet", "öffnete", "geöffnet")
    assert repaired.participle == "repariert"
    assert (called.prefix, called.finite(True, 3, True)) == ("an", "riefen")


def test_every_english_word_has_a_german_one():
    nouns = {noun.lemma for nouns in lexicon.NOUNS_OF_KIND.values() for noun in nouns}
    assert nouns - set(german_lexicon.NOUNS) == set()
    assert {verb.name for verb in VERBS} - set(german_lexicon.VERBS) == set()
    assert set(ADVERBS) - set(german_lexicon.ADVERBS) == set()
    assert set(lexicon.NUMERALS) - {"one"} - set(german_lexicon.NUMERALS) == set()
    assert {words for times in lexicon.TIMES.values() for words in times} - set(german_lexicon.TIMES) == set()
    for adjective in ADJECTIVES:
        assert german_lexicon.stem(adjective, "thing")
    for head, modifiers in lexicon.COMPOUNDS.items():
        for modifier in modifiers:
            assert german_lexicon.noun(head, (modifier,)).singular != german_lexicon.noun(head).singular


def test_no_german_verb_and_noun_stands_for_two_english_ones():
    nouns = Counter(noun.singular for noun in german_lexicon.NOUNS.values())
    assert {word for word, count in nouns.items() if count > 1} == set()
    verbs = Counter(
        (v.prefix, v.infinitive, v.reflexive, v.preposition, v.correlate) for v in german_lexicon.VERBS.values()
    )
    assert {word for word, count in verbs.items() if count > 1} == set()


@pytest.fixture(scope="module")
def corpus():
    return aligned_pairs(3000, 11)


# What need not have a sure counterpart: auxiliaries, articles, reflexives, um ... zu, correlates; 's, do, to, articles.
FREE_GERMAN = {",", "habe", "hat", "haben", "bin", "ist", "sind", "der", "die", "das", "den", "dem", "des"}
FREE_GERMAN |= {"sich", "mich", "uns", "um", "es", "daran", "von", "an"}
FREE_ENGLISH = {",", "'s", "'", "to", "do", "does", "did", "the", "a", "an"}


def test_pairs_are_determined_by_the_seed_and_begin_alike(corpus):
    assert aligned_pairs(50, 11) == corpus[:50]
    assert aligned_pairs(50, 12) != corpus[:50]


def test_links_are_in_range_and_sure_ones_are_possible(corpus):
    for pair in corpus:
        assert pair.sure <= pair.possible
        assert all(i in range(len(pair.source)) and j in range(len(pair.target)) for i, j in pair.possible)


def test_all_words_but_commas_are_linked_and_content_words_surely(corpus):
    for pair in corpus:
        for sentence, side, free in ((pair.source, 0, FREE_GERMAN), (pair.target, 1, FREE_ENGLISH)):
            sure, possible = ({link[side] for link in links} for links in (pair.sure, pair.possible))
            assert {word.lower() for place, word in enumerate(sentence) if place not in sure} <= free
            assert {word for place, word in enumerate(sentence) if place not in possible} <= {","}


def test_sentences_are_varied_and_of_moderate_length(corpus):
    assert all(5 <= len(sentence) <= 20 for pair in corpus for sentence in (pair.source, pair.target))
    assert 10 < sum(len(pair.source) for pair in corpus) / len(corpus) < 15
    assert len(set(corpus)) > 0.95 * len(corpus)


def test_a_german_sentence_has_one_translation(corpus):
    assert len({pair.source for pair in corpus}) == len({(pair.source, pair.target) for pair in corpus})


def test_order_is_not_that_of_english(corpus):
    assert alignment_error_rate(map(diagonal_links, corpus), corpus) > 0.4
    crossing = sum(any(j > k for (_, j), (_, k) in combinations(sorted(pair.sure), 2)) for pair in corpus)
    assert crossing > 0.5 * len(corpus)


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.1, {"because", "when", "although", "while", "if", "whether", "that"}),
        (0.03, {"who", "which"}),
        (0.1, {"not", "no"}),
        (0.15, {"can", "could", "may", "must", "should", "would", "will"}),
        (0.05, {"by"}),
        (0.1, {"and", "or", "but"}),
    ],
)
def test_constructions_are_frequent_enough(corpus, share, words):
    assert sum(not words.isdisjoint(pair.target) for pair in corpus) > share * len(corpus)


def test_some_words_have_several_counterparts(corpus):
    one_to_many = sum(max(Counter(i for i, _ in pair.sure).values()) > 1 for pair in corpus)
    many_to_one = sum(max(Counter(j for _, j in pair.sure).values()) > 1 for pair in corpus)
    assert one_to_many > 0.3 * len(corpus)
    assert many_to_one > 0.07 * len(corpus)
