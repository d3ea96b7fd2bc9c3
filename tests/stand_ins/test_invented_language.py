"""The invented language: its words, its order, and its links."""

import pytest

from bert_attention.corpora.alignments import read_alignments, write_alignments
from bert_attention.errors import InputError
from bert_attention.stand_ins.invented_language import (
    LONGEST,
    SHORTEST,
    WORDS_PER_TAG,
    invented_order,
    invented_pairs,
    invented_word,
    lexicon_of,
    stretches,
)
from tests.stand_ins.parsed import parsed

SAW = parsed(
    *("The/DT/3/det", "old/JJ/3/amod", "man/NN/4/nsubj", "saw/VBD/0/root", "new/JJ/6/amod", "houses/NNS/4/dobj"),
    *(",/,/4/punct", "he/PRP/9/nsubj", "said/VBD/4/conj"),
)
WENT = parsed("they/PRP/2/nsubj", "went/VBD/0/root", "to/IN/2/prep", "this/DT/5/det", "town/NN/3/pobj")
SENTENCES = [SAW, SAW, WENT]


def test_stretches_end_at_punctuation_and_have_a_minimum_and_a_maximum_length():
    (stretch,) = stretches([SAW])
    assert [form for form, _ in stretch] == ["the", "old", "man", "saw", "new", "houses"]
    assert list(stretches([parsed("so/RB/0/root", *["so/RB/1/advmod"] * LONGEST)])) == []
    assert list(stretches([parsed("in/IN/2/prep", "1865/CD/0/root", "he/PRP/2/nsubj")])) == []


@pytest.mark.parametrize(
    ("sentence", "order"),
    [(SAW, ["man", "old", "houses", "new", "saw"]), (WENT, ["they", "to", "this", "town", "went"])],
)
def test_the_order_has_no_articles_adjectives_after_nouns_and_verbs_last(sentence, order):
    (stretch,) = stretches([sentence])
    assert [stretch[index][0] for index in invented_order(stretch)] == order


def test_the_lexicon_has_the_most_frequent_words_of_each_tag():
    words = lexicon_of(SENTENCES).words
    assert (words["VBD"], words["DT"]) == (("saw", "went"), ("the", "this"))
    many = [parsed(*[f"n{letter}/NN/{int(index > 0)}/x" for index in range(4)]) for letter in "abcdefghij"]
    assert len(lexicon_of(many).words["NN"]) == WORDS_PER_TAG


@pytest.fixture(scope="module")
def pairs():
    return invented_pairs(SENTENCES, lexicon_of(SENTENCES), 50, seed=1)


def test_links_join_each_invented_word_to_its_english_word(pairs):
    for pair in pairs:
        assert pair.sure == pair.possible
        assert sorted(source for source, _ in pair.sure) == list(range(len(pair.source)))
        linked = {target for _, target in pair.sure}
        assert len(linked) == len(pair.sure)
        assert {word for index, word in enumerate(pair.target) if index not in linked} <= {"a", "an", "the"}
        assert all(pair.source[source] == invented_word(pair.target[target]) for source, target in pair.sure)
        assert SHORTEST <= len(pair.target) <= LONGEST
    words = ["man", "men", "saw", "sew", "house", "houses", "z", "b", "a", "u"]
    assert len({*map(invented_word, words)}) == len(words)
    assert invented_word("man") == "nep"


def test_pairs_depend_on_the_seed_and_are_read_back_from_files(pairs, tmp_path):
    lexicon = lexicon_of(SENTENCES)
    assert invented_pairs(SENTENCES, lexicon, 50, seed=1) == pairs
    assert invented_pairs(SENTENCES, lexicon, 20, seed=2) != pairs[:20]
    files = [tmp_path / f"test.{name}" for name in ("source", "target", "links")]
    write_alignments(pairs, *files)
    assert read_alignments(*files)[0] == pairs


def test_rare_words_are_replaced_by_words_of_the_same_tag():
    lexicon = lexicon_of([SAW])
    (pair,) = invented_pairs([WENT], lexicon_of([WENT]), 1, seed=1)
    assert pair.target == WENT.forms
    rare = parsed("An/DT/3/det", "odd/JJ/3/amod", "cat/NN/4/nsubj", "ran/VBD/0/root")
    (pair,) = invented_pairs([rare], lexicon, 1, seed=1)
    assert pair.target[0::2] == ("the", "man")
    assert pair.target[1] in ("old", "new")


def test_sentences_without_tags_of_the_lexicon_are_an_error():
    with pytest.raises(InputError, match="no sentence has 4 to"):
        invented_pairs([WENT], lexicon_of([SAW]), 1, seed=1)
