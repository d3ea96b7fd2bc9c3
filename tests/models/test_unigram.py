"""SentencePiece's Unigram tokenizers (ALBERT, XLM-RoBERTa, multilingual E5) on real text with unknown characters."""

import bz2
import json
from itertools import islice

import pytest
from transformers import AutoTokenizer, DebertaV2Tokenizer, XLMRobertaTokenizer

from bert_attention.corpora.types import Segment
from bert_attention.downloads.sources import locate
from bert_attention.errors import InputError
from bert_attention.tokenization.sequences import NO_WORD
from bert_attention.tokenization.word_forms import word_forms
from bert_attention.tokenization.wordpieces import (
    TokenizedText,
    encode_segment,
    encode_segments,
    load_tokenizer,
    segment_of,
    tokenize_texts,
)
from bert_attention.tokenization.words import encode_words, wordpieces_of_words
from tests.models.random_models import LIKE_ALBERT, unigram_tokenizer


@pytest.fixture(scope="module")
def sentences(edition):
    """Lines of the embedded Wikipedia as they stand there, markup and all; reading the articles would take long."""
    with bz2.open(locate(edition["corpora"]["wikipedia"]["source"]), "rt", encoding="utf-8") as lines:
        long = (line.strip() for line in lines if len(line) > 80)
        return list(islice(long, 200))


@pytest.fixture(scope="module")
def trained(sentences):
    """Trained on the sentences that are all ASCII, so that it knows no other characters."""
    return unigram_tokenizer(sentence for sentence in sentences[:150] if sentence.isascii())


# The first entries of the vocabularies of tokenizers as transformers has them.
FIRST = {
    XLMRobertaTokenizer: ("<s>", "<pad>", "</s>", "<unk>", "<mask>"),
    DebertaV2Tokenizer: ("[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"),
}


@pytest.fixture(scope="module", params=["as trained", *FIRST])
def folder(request, trained, tmp_path_factory):
    """The trained tokenizer, and those of two families with what it learnt, in a folder each."""
    tokenizer = trained
    if request.param in FIRST:
        learnt = json.loads(trained.backend_tokenizer.to_str())["model"]["vocab"]
        pieces = [(piece, score) for piece, score in learnt if piece not in LIKE_ALBERT]
        tokenizer = request.param(vocab=[*((piece, 0.0) for piece in FIRST[request.param]), *pieces])
    folder = tmp_path_factory.mktemp("unigram")
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def tokenizer(folder):
    return load_tokenizer(folder)


@pytest.fixture(scope="module")
def itself(folder):
    """The tokenizer as transformers loads it."""
    return AutoTokenizer.from_pretrained(folder)


def test_every_sentence_of_wikipedia_is_encoded_as_the_tokenizer_does_itself(tokenizer, itself, sentences):
    """Its first character outside the vocabulary used to end the run."""
    segments = [segment_of("x", text) for text in tokenize_texts(tokenizer, sentences)]
    encoded = encode_segments(segments, tokenizer, "zeros", "segments.jsonl")
    expected = itself(sentences)["input_ids"]
    assert [sequence.token_ids.tolist() for sequence in encoded] == expected
    assert sum(itself.unk_token_id in ids for ids in expected) > 20


def test_a_pair_is_encoded_as_the_tokenizer_does_itself(tokenizer, itself):
    first, second = "S\u00e3o Paulo is a city.", "It isn't small, though \u2014 at all."
    encoded = encode_segment(segment_of("x", *tokenize_texts(tokenizer, [first, second])), tokenizer, "pair")
    assert encoded.token_ids.tolist() == itself(first, second)["input_ids"]
    assert encoded.token_ids.tolist().count(itself.unk_token_id) == 2


def test_words_begin_where_they_do_in_the_text(tokenizer):
    """Punctuation is a word of its own, as for WordPiece; an unknown letter is not."""
    (text,) = tokenize_texts(tokenizer, ["S\u00e3o Paulo, isn't \u00e3rea (yet)."])
    encoded = encode_segment(segment_of("x", text), tokenizer, "zeros")
    words = {}
    for wordpiece, word in zip(text.wordpieces, encoded.word_ids[1:-1], strict=True):
        words[word] = words.get(word, "") + wordpiece.replace("\u2581", "")
    expected = ["S\u00e3o", "Paulo", ",", "isn", "'", "t", "\u00e3rea", "(", "yet", ")", "."]
    assert list(words.values()) == expected
    assert list(words) == list(range(len(expected)))
    assert encoded.word_ids[[0, -1]].tolist() == [NO_WORD, NO_WORD]
    forms = ["", "paulo", "", "isn", "", "t", "", "", "yet", "", ""]  # no form for words with an unknown part
    assert word_forms(text, tokenizer) == forms


def test_no_word_goes_on_in_the_second_part(tokenizer):
    (text,) = tokenize_texts(tokenizer, ["somewhat unusually"])
    wordpieces, begins = text.wordpieces, text.begins
    cut = Segment("x", wordpieces[:-1], wordpieces[-1:], begins[:-1], begins[-1:])
    encoded = encode_segment(cut, tokenizer, "zeros")
    assert not wordpieces[-1].startswith("\u2581")
    assert encoded.word_ids[encoded.word_ids >= 0].tolist()[-2:] == [1, 2]


def test_wordpieces_know_their_characters(tokenizer):
    text = "  S\u00e3o Paulo,  isn't \u00e3rea."
    (found,) = tokenize_texts(tokenizer, [text])
    for wordpiece, (start, end) in zip(found.wordpieces, found.spans, strict=True):
        assert text[start:end] == wordpiece.replace("\u2581", "")
    assert tokenize_texts(tokenizer, ["", " "]) == [TokenizedText(), TokenizedText()]


def test_words_are_encoded_as_the_tokenizer_does_itself(tokenizer, itself, sentences):
    for sentence in sentences[:50]:
        words = sentence.split()
        encoded = encode_words(next(wordpieces_of_words([words], tokenizer)), tokenizer)
        expected = itself(words, is_split_into_words=True)
        assert encoded.token_ids.tolist() == expected["input_ids"]
        assert encoded.word_ids.tolist() == [NO_WORD if word is None else word for word in expected.word_ids()]


def test_a_segment_of_another_vocabulary_is_still_refused(tokenizer):
    with pytest.raises(InputError, match="'qqqqqq' is not in the tokenizer's vocabulary"):
        encode_segments(
            [Segment("x", ("\u2581a",), ("qqqqqq",), (True,), (True,))], tokenizer, "zeros", "segments.jsonl"
        )
