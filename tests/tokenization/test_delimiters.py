"""The tokens that a tokenizer puts around texts, in figures and captions."""

import json

import pytest
from tokenizers import Tokenizer as Backend
from tokenizers import models, pre_tokenizers, processors

from bert_attention.tokenization.delimiters import Delimiters

ROBERTA = Delimiters("<s>", "</s>", 3)
CAPTION = "Attention to [CLS], [SEP] and others."


def template(pair):
    return processors.TemplateProcessing("<s> $A </s>", pair, [("<s>", 0), ("</s>", 1)])


@pytest.mark.parametrize(
    ("processor", "expected"),
    [
        (processors.BertProcessing(("[SEP]", 1), ("[CLS]", 0)), Delimiters()),
        (processors.RobertaProcessing(("</s>", 1), ("<s>", 0)), ROBERTA),
        (template("<s> $A </s> </s> $B </s>"), ROBERTA),
        (template("<s> $A </s> $B </s>"), Delimiters("<s>", "</s>", 2)),
        (processors.Sequence([processors.ByteLevel(), template("<s> $A </s> </s> $B </s>")]), ROBERTA),
        (processors.ByteLevel(), Delimiters()),
        (None, Delimiters()),
    ],
)
def test_delimiters_are_read_from_the_post_processor(tmp_path, processor, expected):
    backend = Backend(models.WordLevel({"<s>": 0, "</s>": 1, "a": 2}, unk_token="a"))
    if processor:
        backend.post_processor = processor
    backend.save(str(tmp_path / "tokenizer.json"))
    assert Delimiters.read(tmp_path / "tokenizer.json") == expected


@pytest.mark.parametrize(
    ("pre_tokenizer", "model", "space"),
    [
        (pre_tokenizers.ByteLevel(), models.BPE(), "\u0120"),
        (pre_tokenizers.Sequence([pre_tokenizers.Digits(), pre_tokenizers.ByteLevel()]), models.BPE(), "\u0120"),
        (pre_tokenizers.Metaspace(), models.BPE(), "\u2581"),
        (pre_tokenizers.Whitespace(), models.BPE(), ""),
        (pre_tokenizers.ByteLevel(), models.BPE(continuing_subword_prefix="##"), ""),
        (pre_tokenizers.BertPreTokenizer(), models.WordPiece({"[UNK]": 0}, unk_token="[UNK]"), ""),
    ],
)
def test_the_mark_of_a_space_is_read_and_removed(tmp_path, pre_tokenizer, model, space):
    backend = Backend(model)
    backend.pre_tokenizer = pre_tokenizer
    backend.save(str(tmp_path / "tokenizer.json"))
    found = Delimiters.read(tmp_path / "tokenizer.json")
    assert found == Delimiters(space=space)
    assert found.are_of_bert
    assert found.named_in(f"{space}generally") == "generally"
    assert found.named_in(space) == ("\u2423" if space else "")


def test_a_file_without_a_post_processor_has_the_tokens_of_bert(tmp_path):
    (tmp_path / "tokenizer.json").write_text(json.dumps({"model": {}}), encoding="utf-8")
    assert Delimiters.read(tmp_path / "tokenizer.json").are_of_bert


def test_captions_name_the_tokens_and_their_number_in_a_pair():
    assert ROBERTA.caption(CAPTION) == "Attention to <s>, </s> and others. A pair of texts has three </s>."
    assert ROBERTA.caption("Attention to [CLS].") == "Attention to <s>."
    assert Delimiters().caption(CAPTION) == CAPTION
    assert ROBERTA.note("m").startswith("m has the tokens <s> and </s> where texts say [CLS] and [SEP]. A pair")
    assert Delimiters("<s>", "</s>").note("m").endswith("[CLS] and [SEP].")
