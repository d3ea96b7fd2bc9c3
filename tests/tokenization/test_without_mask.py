"""Tokenizers without a mask token."""

import json

import pytest

from bert_attention import AttentionModel, InputError, Study
from bert_attention.tokenization.wordpieces import load_tokenizer, tokenize_texts
from tests.models.random_models import byte_level_tokenizer, save_bert, save_encoder

TEXTS = ["The cat sat on the mat.", "Birds sing, and cats listen to them."]


def without_mask(folder, mask):
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).write_text((folder / name).read_text().replace(mask, "<unused>"))
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    settings["mask_token"] = None
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return folder


@pytest.fixture(params=["bert", "modernbert"])
def folder(request, tmp_path, embedded_model):
    if request.param == "bert":
        return without_mask(save_bert(tmp_path, embedded_model), "[MASK]")
    return without_mask(save_encoder(tmp_path, "modernbert", byte_level_tokenizer(TEXTS * 20)), "[MASK]")


def test_nothing_is_asked_of_it_where_nothing_is_masked(folder):
    model = AttentionModel.from_pretrained(folder, "cpu")
    assert len(model.run(TEXTS)) == 2
    assert len(Study(model, texts=TEXTS).table("clark_entropy"))
    assert load_tokenizer(folder).mask_token is None


def test_what_masks_words_says_so(folder):
    tokenizer = load_tokenizer(folder)
    with pytest.raises(
        InputError, match=r"has no mask token, such as \[MASK\]\n.*leave out the analyses that mask words"
    ):
        _ = tokenizer.mask_token_id
    with pytest.raises(InputError, match=r"has no mask token, but a text contains \[MASK\]"):
        tokenize_texts(tokenizer, ["The [MASK] sat."])
