"""SentencePiece's Unigram tokenizers (ALBERT, XLM-RoBERTa, multilingual E5) on real text with unknown characters."""

import bz2
import json
from itertools import islice

import pytest
from transformers import AutoTokenizer, DebertaV2Tokenizer, XLMRobertaTokenizer

from bert_attention.corpora.types import Segment
from bert_attention.downloads.sources import locate
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
    """Lines of the embedded Wikipedia with their markup, because parsing the articles would take long."""
    with bz2.open(locate(edition["corpora"]["wikipedia"]["source"]), "rt", encoding="utf-8") as lines:
        long = (line.strip() for line in lines if len(line) > 80)
        return list(islice(long, 200))


@pytest.fixture(scope="module")
def trained(sentences):
    """A tokenizer that knows only ASCII characters."""
    return unigram_tokenizer(sentence for sentence in sentences[:150] if sentence.isascii())


# The first entries of the vocabularies in transformers.
FIRST = {
    XLMRobertaTokenizer: ("<s>", "<pad>", "</s>", "<unk>", "<mask>"),
    DebertaV2Tokenizer: ("[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"),
}


@pytest.fixture(scope="module", params=["as trained", *FIRST])
def folder(request, trained, tmp_path_factory):
    """The folder of the trained tokenizer, or of another family's tokenizer with its pieces."""
    tokenizer = trained
    if request.param in FIRST:
        learned = json.loads(trained.backend_tokenizer.to_str())["model"]["vocab"]
        pieces = [(piece, score) for piece, score in learned if piece not in LIKE_ALBERT]
        tokenizer = request.param(vocab=[*((piece, 0.0) for piece in FIRST[request.param]), *pieces])
    folder = tmp_path_factory.mktemp("unigram")
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def tokenizer(folder):
    return load_tokenizer(folder)


@pytest.fixture(scope="module")
def itself(folder):
    return AutoTokenizer.from_pretrained(folder)


def test_sentences_and_pairs_are_encoded_as_by_transformers(tokenizer, itself, sentences):
    segments = [segment_of("x", text) for text in tokenize_texts(tokenizer, sentences)]
    encoded = encode_segments(segments, tokenizer, "zeros", "segments.jsonl")
    expected = itself(sentences)["input_ids"]
    assert [sequence.token_ids.tolist() for sequence in encoded] == expected
    assert sum(itself.unk_token_id in ids for ids in expected) > 20
    first, second = "S\u00e3o Paulo is a city.", "It isn't small, though \u2014 at all."
    pair = encode_segment(segment_of("x", *tokenize_texts(tokenizer, [first, second])), tokenizer, "pair")
    assert pair.token_ids.tolist() == itself(first, second)["input_ids"]
    assert pair.token_ids.tolist().count(itself.unk_token_id) == 2


def test_words_begin_where_they_do_in_the_text(tokenizer):
    """Punctuation marks are words, as in WordPiece, but unknown letters are not."""
    written = "S\u00e3o Paulo, isn't \u00e3rea (yet)."
    (text,) = tokenize_texts(tokenizer, [written])
    encoded = encode_segment(segment_of("x", text), tokenizer, "zeros")
    words = {}
    for word, (start, end) in zip(encoded.word_ids[1:-1], text.spans, strict=True):
        words[word] = words.get(word, "") + written[start:end]
    expected = ["S\u00e3o", "Paulo", ",", "isn", "'", "t", "\u00e3rea", "(", "yet", ")", "."]
    assert list(words.items()) == list(enumerate(expected))
    assert encoded.word_ids[[0, -1]].tolist() == [NO_WORD, NO_WORD]
    forms = ["", "paulo", "", "isn", "", "t", "", "", "yet", "", ""]  # no form for words with an unknown part
    assert word_forms(text, tokenizer) == forms


def test_wordpieces_know_their_characters(tokenizer):
    text = "  S\u00e3o Paulo,  isn't \u00e3rea."
    found, *blank = tokenize_texts(tokenizer, [text, "", " "])
    for wordpiece, (start, end) in zip(found.wordpieces, found.spans, strict=True):
        assert text[start:end] == wordpiece.replace("\u2581", "")
    assert blank == [TokenizedText(), TokenizedText()]


def test_the_second_part_begins_with_a_new_word(tokenizer):
    (text,) = tokenize_texts(tokenizer, ["somewhat unusually"])
    wordpieces, begins = text.wordpieces, text.begins
    cut = Segment("x", wordpieces[:-1], wordpieces[-1:], begins[:-1], begins[-1:])
    encoded = encode_segment(cut, tokenizer, "zeros")
    assert not wordpieces[-1].startswith("\u2581")
    assert encoded.word_ids[encoded.word_ids >= 0].tolist()[-2:] == [1, 2]


def test_words_are_encoded_as_by_transformers(tokenizer, itself, sentences):
    for sentence in sentences[:50]:
        words = sentence.split()
        encoded = encode_words(next(wordpieces_of_words([words], tokenizer)), tokenizer)
        expected = itself(words, is_split_into_words=True)
        assert encoded.token_ids.tolist() == expected["input_ids"]
        assert encoded.word_ids.tolist() == [NO_WORD if word is None else word for word in expected.word_ids()]
