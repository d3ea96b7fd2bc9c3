"""Every English word has a German one, and shares it with no other."""

from collections import Counter

from miniature.english import lexicon
from miniature.english.lexicon import ADJECTIVES, ADVERBS
from miniature.english.verbs import VERBS
from miniature.german import lexicon as german_lexicon


def test_every_english_word_has_a_german_one():
    nouns = {noun.lemma for nouns in lexicon.NOUNS_OF_KIND.values() for noun in nouns}
    assert nouns - set(german_lexicon.NOUNS) == set()
    assert {verb.name for verb in VERBS} - set(german_lexicon.VERBS) == set()
    assert set(ADVERBS) - set(german_lexicon.ADVERBS) == set()
    assert set(lexicon.NUMERALS) - {"one"} - set(german_lexicon.NUMERALS) == set()
    assert {words for times in lexicon.TIMES.values() for words in times} - set(german_lexicon.TIMES) == set()
    for adjective in ADJECTIVES:
        assert all(german_lexicon.adjective(adjective, "thing"))
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
