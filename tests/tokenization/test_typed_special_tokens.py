"""Special tokens that people type in their texts."""

import json
import re
import warnings

import pytest

from bert_attention import AttentionModel, Study
from bert_attention.explorer.own_text import show_text
from bert_attention.tokenization.wordpieces import tokenize_texts
from tests.models.random_models import save_bert

WARNING = r"1 of \d texts contain a special token \("


@pytest.mark.parametrize(
    ("text", "pieces"),
    [("a [SEP] b", "a [ sep ] b"), ("[CLS] [MASK].", "[ cl ##s ] [MASK] ."), ("the </s> cat", "the</s>cat")],
)
def test_typed_special_tokens_are_plain_text(bert, roberta, text, pieces):
    tokenizer = roberta if "</s>" in text else bert
    with pytest.warns(UserWarning, match=WARNING):
        found, plain = tokenize_texts(tokenizer, [text, f"plain {tokenizer.mask_token} {tokenizer.unk_token}"])
    if tokenizer is bert:
        assert " ".join(found.wordpieces) == pieces
    else:
        assert "</s>" not in found.wordpieces
        assert "".join(found.wordpieces).replace("\u0120", "") == pieces
    assert {tokenizer.mask_token, tokenizer.unk_token} < set(plain.wordpieces)


def test_other_texts_cause_no_warning(bert, roberta):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for tokenizer in (bert, roberta):
            tokenize_texts(tokenizer, ["a [sep] b", "1 < 2 <br>", "[SEP"])


def test_a_study_and_the_explorer_count_only_the_encoders_own_special_tokens(embedded_model, tmp_path):
    folder, text = save_bert(tmp_path, embedded_model), "[CLS] The cat [SEP] sat on the mat."
    model = AttentionModel.from_pretrained(folder, "cpu")
    with pytest.warns(UserWarning, match=WARNING):
        (segment,) = Study(model, texts=[text])._segments
        tokens = model.run(text).tokens
        page = show_text(folder, text, device="cpu").html
    assert "[SEP]" not in segment.first
    assert (tokens.count("[SEP]"), tokens.count("[CLS]")) == (1, 1)
    (special,) = re.findall(r'"special":(\[[01,]*\])', page)
    assert json.loads(special) == [1, *[0] * (len(tokens) - 2), 1]
