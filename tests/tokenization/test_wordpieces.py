import copy
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from tokenizers import processors
from transformers import AutoTokenizer

from bert_attention.corpora.types import MASKED_WORD, UNKNOWN_WORD, Segment
from bert_attention.errors import InputError
from bert_attention.tokenization.wordpieces import (
    encode_segment,
    encode_segments,
    load_tokenizer,
    replace_unknown_words,
    segment_of,
    token_categories,
    tokenize,
    tokenize_texts,
    vocabulary_sha256,
    wrap_backend,
)
from tests.models.random_models import save_roberta


def test_wordpieces_come_without_special_tokens_padding_or_truncation(bert):
    assert tokenize(bert, ["Unaffable, he said.", ""]) == [("una", "##ffa", "##ble", ",", "he", "said", "."), ()]
    assert len(tokenize(bert, ["word " * 700])[0]) == 700


def test_a_vocabulary_has_the_digest_of_its_file(bert):
    digest = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"  # bert-base-uncased's vocab.txt
    assert vocabulary_sha256(bert) == digest


def test_a_segment_is_encoded_unchanged_and_its_second_part_begins_a_word(bert):
    segment = Segment("x", ("una", "##ffa", "##ble", "he"), ("said", "##s"), (True, False, False, True), (False, False))
    zeros, pair = encode_segment(segment, bert, "zeros"), encode_segment(segment, bert, "pair")
    tokens = ["[CLS]", "una", "##ffa", "##ble", "he", "[SEP]", "said", "##s", "[SEP]"]
    assert bert.convert_ids_to_tokens(zeros.token_ids.tolist()) == tokens
    assert zeros.segment_ids.tolist() == [0] * 9
    assert pair.segment_ids.tolist() == [0] * 6 + [1] * 3
    assert zeros.word_ids.tolist() == [-1, 0, 0, 0, 1, -1, 2, 2, -1]


def test_a_segment_of_another_vocabulary_is_an_error(bert):
    with pytest.raises(InputError, match=r"segments.jsonl: 'qqqqq' is not in the tokenizer's vocabulary"):
        encode_segments([Segment("x", ("a",), ("qqqqq",), (True,), (True,))], bert, "zeros", "segments.jsonl")


@pytest.mark.parametrize("added", ["Apple", "COVID", "caf\u00e9"])
def test_an_added_token_that_the_tokenizer_normalizes_has_the_id_of_transformers(tmp_path, embedded_model, added):
    tokenizer = AutoTokenizer.from_pretrained(embedded_model)
    tokenizer.add_tokens([added])
    tokenizer.save_pretrained(tmp_path)
    own, text = load_tokenizer(tmp_path), f"The {added}, an {added.lower()}."
    (found,) = tokenize_texts(own, [text])
    encoded = encode_segment(segment_of("x", found), own, "zeros")
    assert encoded.token_ids.tolist() == tokenizer(text)["input_ids"]
    assert found.wordpieces[1] == added


def test_spans_exclude_the_space_before_a_word(roberta):
    """ModernBERT's post-processor does not trim offsets."""
    backend = copy.deepcopy(roberta.backend)
    backend.post_processor = processors.TemplateProcessing("<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    text = "the cat  sat"
    for tokenizer in (roberta, replace(roberta, backend=backend)):
        (found,) = tokenize_texts(tokenizer, [text])
        for wordpiece, (start, end) in zip(found.wordpieces, found.spans, strict=True):
            assert text[start:end] == wordpiece.replace("\u0120", "")


def test_tokens_that_open_and_close_a_sequence_can_have_any_name(tmp_path):
    """EuroBERT calls them bos and eos, and has no padding token."""
    save_roberta(tmp_path)
    settings = json.loads((tmp_path / "tokenizer_config.json").read_text())
    for name in ("cls_token", "sep_token", "pad_token"):
        settings[name] = None
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    tokenizer = load_tokenizer(tmp_path)
    assert (tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.pad_token_id) == (0, 2, 2)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("[CLS]", r"has \[CLS\] and \[SEP\], but no post_processor in tokenizer.json .*\n.*set a post_processor"),
        ("[OPEN]", r"has no tokens that open and close a sequence.*\n.*choose an encoder"),
    ],
)
def test_a_folder_without_a_usable_tokenizer_is_an_error(tmp_path, embedded_model, name, message):
    with pytest.raises(InputError, match="its tokenizer cannot be loaded"):
        load_tokenizer(tmp_path)
    for file in ("tokenizer.json", "tokenizer_config.json"):
        content = json.loads((embedded_model / file).read_text().replace("[CLS]", name))
        (tmp_path / file).write_text(json.dumps(content | {"post_processor": None}))
    with pytest.raises(InputError, match=message):
        load_tokenizer(tmp_path)


@pytest.mark.parametrize(
    ("single", "pair"),
    [
        ("[CLS] $A", "[CLS] $A [SEP] $B [SEP]"),
        ("$A [SEP]", "[CLS] $A [SEP] $B [SEP]"),
        ("[CLS] $A [SEP]", "[CLS] $A [SEP] $B [MASK]"),
    ],
)
def test_other_tokens_around_one_text_than_around_two_are_an_error(bert, single, pair):
    backend, special = copy.deepcopy(bert.backend), [("[CLS]", 101), ("[SEP]", 102), ("[MASK]", 103)]
    backend.post_processor = processors.TemplateProcessing(single, pair, special)
    one, two = (re.escape(template.replace("$A", "a").replace("$B", "a")) for template in (single, pair))
    with pytest.raises(InputError, match=f"model m: its tokenizer writes one text as {one}, but two texts as {two}: "):
        wrap_backend(backend, {}, "model m")


def test_unknown_and_hidden_words_of_a_corpus_become_the_tokenizers_own_tokens(bert, roberta):
    for tokenizer in (bert, roberta):
        unknown, mask = tokenizer.unk_token, tokenizer.mask_token
        assert replace_unknown_words(tokenizer, [f"a {UNKNOWN_WORD}"]) == [f"a {unknown}"]
        corpus, own = (f"It eats {one} and a {other}." for one, other in ((UNKNOWN_WORD, MASKED_WORD), (unknown, mask)))
        assert tokenize(tokenizer, [corpus]) == tokenize(tokenizer, [own])
        assert {unknown, mask} < set(tokenize(tokenizer, [corpus])[0])


@pytest.mark.parametrize(
    ("name", "opening", "middle", "closing"), [("bert", (101,), (102,), (102,)), ("roberta", (0,), (2, 2), (2,))]
)
def test_layouts_and_categories_follow_the_vocabulary(request, name, opening, middle, closing):
    tokenizer = request.getfixturevalue(name)
    layout = tokenizer.layout
    assert (layout.opening, layout.middle, layout.closing) == (opening, middle, closing)
    period, comma = (tokenizer.backend.token_to_id(mark) for mark in ".,")
    masks = token_categories(tokenizer).masks(np.array([*opening, 7, period, *closing, comma, 7]))
    indices = {category: np.flatnonzero(mask).tolist() for category, mask in masks.items()}
    assert indices == {"cls": [0], "sep": [3], "punctuation": [2, 4], "other": [1, 5]}
