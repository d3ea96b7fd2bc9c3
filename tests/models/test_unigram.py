"""SentencePiece's Unigram tokenizers (ALBERT, XLM-RoBERTa, multilingual E5) on real text with unknown characters."""

import bz2
import json
from itertools import islice

import pytest
from transformers import AutoTokenizer, DebertaV2Tokenizer, XLMRobertaTokenizer

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


# Classes of tokenizers, with the first entries of their vocabularies.
CLASSES = {
    None: None,
    XLMRobertaTokenizer: ("<s>", "<pad>", "</s>", "<unk>", "<mask>"),
    DebertaV2Tokenizer: ("[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"),
}


@pytest.fixture(scope="module", params=CLASSES)
def folder(request, sentences, tmp_path_factory):
    """The folder of a tokenizer that knows only ASCII characters, or of another class with the same pieces."""
    tokenizer = unigram_tokenizer(sentence for sentence in sentences[:150] if sentence.isascii())
    if request.param:
        learned = json.loads(tokenizer.backend_tokenizer.to_str())["model"]["vocab"]
        special = [(token, 0.0) for token in CLASSES[request.param]]
        tokenizer = request.param(vocab=[*special, *(tuple(entry) for entry in learned if entry[0] not in LIKE_ALBERT)])
    folder = tmp_path_factory.mktemp("unigram")
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def tokenizer(folder):
    return load_tokenizer(folder)


def test_texts_pairs_and_words_are_encoded_as_by_transformers(folder, tokenizer, sentences):
    reference = AutoTokenizer.from_pretrained(folder)
    segments = [segment_of("x", text) for text in tokenize_texts(tokenizer, sentences)]
    encoded = encode_segments(segments, tokenizer, "zeros", "segments.jsonl")
    expected = reference(sentences)["input_ids"]
    assert [sequence.token_ids.tolist() for sequence in encoded] == expected
    assert sum(reference.unk_token_id in ids for ids in expected) > 20
    first, second = "S\u00e3o Paulo is a city.", "It isn't small, though \u2014 at all."
    pair = encode_segment(segment_of("x", *tokenize_texts(tokenizer, [first, second])), tokenizer, "pair")
    assert pair.token_ids.tolist() == reference(first, second)["input_ids"]
    assert pair.token_ids.tolist().count(reference.unk_token_id) == 2
    for sentence in sentences[:50]:
        words = sentence.split()
        encoded = encode_words(wordpieces_of_words([words], tokenizer)[0], tokenizer)
        expected = reference(words, is_split_into_words=True)
        assert encoded.token_ids.tolist() == expected["input_ids"]
        assert encoded.word_ids.tolist() == [NO_WORD if word is None else word for word in expected.word_ids()]


def test_words_begin_where_they_do_in_the_text(tokenizer):
    """Punctuation marks are words, as in WordPiece, but unknown letters are not."""
    written, spaced = "S\u00e3o Paulo, isn't \u00e3rea (yet).", "  S\u00e3o  Paulo"
    text, other, *blank = tokenize_texts(tokenizer, [written, spaced, "", " "])
    assert blank == [TokenizedText(), TokenizedText()]
    encoded = encode_segment(segment_of("x", text), tokenizer, "zeros")
    words = {}
    for word, (start, end) in zip(encoded.word_ids[1:-1], text.spans, strict=True):
        words[word] = words.get(word, "") + written[start:end]
    expected = ["S\u00e3o", "Paulo", ",", "isn", "'", "t", "\u00e3rea", "(", "yet", ")", "."]
    assert list(words.items()) == list(enumerate(expected))
    pieces = [wordpiece.replace("\u2581", "") for wordpiece in other.wordpieces]
    assert [spaced[start:end] for start, end in other.spans] == pieces
    forms = ["", "paulo", "", "isn", "", "t", "", "", "yet", "", ""]  # words with an unknown part have no form
    assert word_forms(text, tokenizer) == forms
