from bert_attention.corpora.types import Article, Segment
from bert_attention.tokenization.word_forms import forms_of_articles, forms_of_segments, word_forms
from bert_attention.tokenization.wordpieces import TokenizedText, tokenize_texts


def test_wordpieces_are_joined_to_words_without_punctuation(bert):
    wordpieces = ("fresh", "straw", "##berries", ",", "[UNK]", "1990", "##s")
    begins = (True, True, False, True, True, True, False)
    assert word_forms(TokenizedText(wordpieces, (), begins), bert) == ["fresh", "strawberries", "", "", "1990s"]
    (for_each,) = forms_of_segments([Segment("x", wordpieces, (), begins, ())], bert)
    assert for_each == ["fresh", "strawberries", "strawberries", "", "", "1990s", "1990s"]


def test_a_byte_level_tokenizer_gives_the_same_words(roberta):
    (text,) = tokenize_texts(roberta, ["Unbelievable things happen, now. São—東 (café)"])
    assert len(text.wordpieces) > 6  # some words are split
    assert word_forms(text, roberta) == [
        *("unbelievable", "things", "happen", "", "now", ""),
        *("são", "", "東", "", "café", ""),
    ]


def test_a_second_part_begins_a_word_of_its_own(bert):
    cut = Segment("x", ("a", "don"), ("##ating", "b"), (True, True), (False, True))
    assert forms_of_segments([cut], bert) == [["a", "don", "ating", "b"]]


def test_words_of_articles_stand_by_title_and_sentence(bert):
    articles = [Article("x", (("One, two.", "?"), ("Three",))), Article("y", (("Four.",),)), Article("x", (("Five",),))]
    found = forms_of_articles(articles, bert)
    assert found == {"x": [["one", "two"], [], ["three"], ["five"]], "y": [["four"]]}
