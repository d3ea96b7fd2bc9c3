"""The strings of tokens and words in a store, which an analysis reads."""

from dataclasses import replace

import numpy as np
import pytest

from bert_attention import AttentionModel, Study
from bert_attention.attention.store import WORD_ARRAYS, AttentionStore, ShardInMemory, shard_writer
from bert_attention.errors import InputError
from bert_attention.tokenization.texts import encode_texts, segments_of
from bert_attention.tokenization.vocabulary import Vocabulary
from bert_attention.tokenization.wordpieces import load_tokenizer
from tests.attention import stores
from tests.models.random_models import byte_level_tokenizer, save_encoder

TEXTS = [("In 1984 the café-bar closed.", "Zoë left it in 2001."), ("A 日本 map, unplayable.", "Nobody knew.")]
WORDS = [
    ["In", "1984", "the", "café", "-", "bar", "closed", ".", "Zoë", "left", "it", "in", "2001", "."],
    ["A", "日本", "map", ",", "unplayable", ".", "Nobody", "knew", "."],
]


def stored_texts(folder, tokenizer, in_memory):
    """The sequences of the texts, written to a store and read back."""
    sequences = encode_texts(segments_of(TEXTS, tokenizer), tokenizer, "pair", 128)
    arrays = ("token_ids", "word_ids")
    described = replace(stores.METADATA, arrays=arrays, block_sizes=(1, 1), last=2, vocabulary=Vocabulary.of(tokenizer))
    path = folder / "s.safetensors"
    shard = ShardInMemory(described)
    with shard_writer(path, list(map(len, sequences)), described) as writer:
        for index, sequence in enumerate(sequences):
            for name in arrays:
                for each in (writer, shard):
                    each.write(name, index, getattr(sequence, name))
    return list(shard if in_memory else AttentionStore([path]))


def once_each(stored):
    """The word of each word's first token, special tokens left out."""
    ids = stored.word_ids
    return [
        word for at, word in enumerate(stored.words_of_tokens) if ids[at] >= 0 and (at == 0 or ids[at] != ids[at - 1])
    ]


@pytest.mark.parametrize("in_memory", [False, True])
def test_wordpieces_and_their_words(tmp_path, embedded_model, in_memory):
    first, second = stored_texts(tmp_path, load_tokenizer(embedded_model), in_memory)
    assert first.tokens[:5] == ["[CLS]", "in", "1984", "the", "cafe"]
    assert [once_each(first)[at] for at in (1, 3, 5, 12)] == ["1984", "cafe", "bar", "2001"]  # without case or accents
    assert np.flatnonzero([word.isdigit() for word in first.words_of_tokens]).tolist() == [
        at for at, token in enumerate(first.tokens) if token in ("1984", "2001")
    ]
    pieces = [at for at, word in enumerate(second.words_of_tokens) if word == "unplayable"]
    assert len(pieces) > 1
    assert "".join(second.tokens[at].removeprefix("##") for at in pieces) == "unplayable"
    assert [second.tokens[at] for at, word in enumerate(second.word_ids) if word < 0] == ["[CLS]", "[SEP]", "[SEP]"]


@pytest.mark.parametrize("in_memory", [False, True])
def test_bytes_and_their_words(tmp_path, in_memory):
    """Words are whole though no token has a whole character of some."""
    byte_level_tokenizer(["in the bar it was"] * 9, vocab_size=270).save_pretrained(tmp_path)
    first, second = stored_texts(tmp_path, load_tokenizer(tmp_path), in_memory)
    assert [once_each(first), once_each(second)] == WORDS
    assert "ĠcafÃ©" in "".join(first.tokens)
    assert len(first.tokens) == len(first.words_of_tokens) == len(first.token_ids)


def test_a_study_and_the_encoder_alone_give_the_same_strings(tmp_path):
    tokenizer = byte_level_tokenizer([" ".join(pair) for pair in TEXTS])
    model = AttentionModel.from_pretrained(save_encoder(tmp_path, "modernbert", tokenizer), device="cpu")
    study = Study(model, texts=TEXTS)
    stored = {tuple(sequence.tokens): sequence for sequence in study._store("segments_zeros")}
    for found in model.run(TEXTS):
        assert stored[found.tokens].words_of_tokens == [found.words[word] for word in found.word_of]


def test_attention_between_words_has_no_strings():
    shard = ShardInMemory(replace(stores.METADATA, arrays=WORD_ARRAYS, block_sizes=(1,), last=1))
    (sequence,) = shard
    for name in ("tokens", "words_of_tokens"):
        with pytest.raises(InputError, match=r"between words, and not their texts.*\n.*sentence.forms"):
            getattr(sequence, name)
