"""The encoder's special tokens are those that it puts around texts, not what people type."""

import json
import re
import warnings

import pytest

from bert_attention import AttentionModel, Study
from bert_attention.explorer.own_text import show_text
from bert_attention.tokenization.wordpieces import tokenize_texts
from tests.models.random_models import save_bert


@pytest.mark.parametrize(("text", "pieces"), [("a [SEP] b", "a [ sep ] b"), ("[CLS] [MASK].", "[ cl ##s ] [MASK] .")])
def test_typed_tokens_of_bert_are_text(bert, text, pieces):
    with pytest.warns(UserWarning, match=r"1 of 2 texts contain a special token \(\[(SEP|CLS)\]\)"):
        found, plain = tokenize_texts(bert, [text, "plain [MASK] [UNK]"])
    assert " ".join(found.wordpieces) == pieces
    assert plain.wordpieces == ("plain", "[MASK]", "[UNK]")


def test_typed_tokens_of_roberta_are_text(roberta):
    with pytest.warns(UserWarning, match="special token"):
        (found,) = tokenize_texts(roberta, ["the </s> cat"])
    assert "</s>" not in found.wordpieces
    assert "".join(found.wordpieces).replace("Ġ", "") == "the</s>cat"


def test_other_texts_are_told_nothing(bert, roberta):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for tokenizer in (bert, roberta):
            tokenize_texts(tokenizer, ["a [sep] b", "1 < 2 <br>", "[SEP"])


@pytest.mark.parametrize("text", ["The cat [SEP] sat on the mat.", "[CLS] The cat sat. [SEP]"])
def test_a_study_and_the_explorer_count_the_encoders_own_alone(embedded_model, tmp_path, text):
    folder = save_bert(tmp_path, embedded_model)
    model = AttentionModel.from_pretrained(folder, "cpu")
    with pytest.warns(UserWarning, match="special token"):
        (segment,) = Study(model, texts=[text])._segments
    assert "[SEP]" not in segment.first
    with pytest.warns(UserWarning, match="special token"):
        tokens = model.run(text).tokens
    assert (tokens.count("[SEP]"), tokens.count("[CLS]")) == (1, 1)
    with pytest.warns(UserWarning, match="special token"):
        page = show_text(folder, text, device="cpu").html
    (special,) = re.findall(r'"special":(\[[01,]*\])', page)
    assert json.loads(special) == [1, *[0] * (len(tokens) - 2), 1]
