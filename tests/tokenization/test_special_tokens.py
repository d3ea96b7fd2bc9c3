"""Special tokens in users' texts, and tokenizers without a mask token."""

import json
import warnings

import pytest

from bert_attention import AttentionModel, InputError, Study
from bert_attention.tokenization.wordpieces import load_tokenizer, tokenize_texts
from tests.models.random_models import byte_level_tokenizer, save_bert, save_encoder

WARNING = r"1 of \d texts contain a special token \("
TEXTS = ["The cat sat on the mat.", "Birds sing, and cats listen to them."]


@pytest.mark.parametrize(
    ("text", "pieces"), [("[CLS] [MASK] b.", "[cl##s][MASK]b."), ("the </s> cat", "the\u0120</s>\u0120cat")]
)
def test_special_tokens_in_a_text_are_plain_text(bert, roberta, text, pieces):
    tokenizer = roberta if "</s>" in text else bert
    with pytest.warns(UserWarning, match=WARNING):
        found, plain = tokenize_texts(tokenizer, [text, f"plain {tokenizer.mask_token} {tokenizer.unk_token}"])
    assert "".join(found.wordpieces) == pieces
    assert not {"[CLS]", "</s>"} & set(found.wordpieces)
    assert {tokenizer.mask_token, tokenizer.unk_token} < set(plain.wordpieces)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tokenize_texts(tokenizer, ["a [sep] b", "1 < 2 <br>", "[SEP"])


@pytest.mark.parametrize("kind", ["bert", "modernbert"])
def test_only_masking_needs_a_mask_token(kind, tmp_path, embedded_model):
    if kind == "bert":
        save_bert(tmp_path, embedded_model)
    else:
        save_encoder(tmp_path, kind, byte_level_tokenizer(TEXTS * 20))
    for name in ("tokenizer.json", "tokenizer_config.json"):
        content = json.loads((tmp_path / name).read_text().replace("[MASK]", "<unused>"))
        (tmp_path / name).write_text(json.dumps(content | {"mask_token": None} if "config" in name else content))
    assert len(Study(AttentionModel.from_pretrained(tmp_path, "cpu"), texts=TEXTS).table("clark_entropy"))
    tokenizer = load_tokenizer(tmp_path)
    assert tokenizer.mask_token is None
    with pytest.raises(InputError, match=r"has no mask token, such as \[MASK\]\n.*leave out the analyses that mask"):
        _ = tokenizer.mask_token_id
    with pytest.raises(InputError, match=r"has no mask token, but a text contains \[MASK\]"):
        tokenize_texts(tokenizer, ["The [MASK] sat."])
