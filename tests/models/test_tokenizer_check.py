"""A tokenizer that gives other input here than in transformers is an error."""

import json
import re
from itertools import pairwise

import pytest
from tokenizers import NormalizedString, PreTokenizedString, Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from bert_attention import AttentionModel, InputError
from bert_attention.models.tokenizer_check import check_as_in_transformers
from bert_attention.tokenization.wordpieces import load_tokenizer
from tests.models.published_tokenizers import published_tokenizer
from tests.models.random_models import LIKE_BERT, random_model, save_encoder, save_roberta

TEXTS = ["The cat sat on the mat.", "Birds sing, and cats listen to them."] * 5


def change_file(path, change):
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def test_settings_that_change_the_file_of_a_tokenizer_are_errors(tmp_path, embedded_model):
    """tokenizer_config.json says that a space is put before texts, or that letters keep their case."""
    save_roberta(tmp_path / "roberta")
    change_file(tmp_path / "roberta/tokenizer_config.json", lambda content: content.update(add_prefix_space=True))
    save_encoder(tmp_path / "bert", "bert", published_tokenizer("bert", TEXTS))
    change_file(tmp_path / "bert/tokenizer.json", lambda content: content["normalizer"].update(lowercase=False))
    for name, theirs in (("roberta", "<s> \u0120"), ("bert", r"\[CLS\] the")):
        folder = tmp_path / name
        with pytest.raises(InputError, match=rf"{name}: for the text .* gives .* in\s+transformers .* gives {theirs}"):
            check_as_in_transformers(load_tokenizer(folder), folder)


class ByPython:
    """A pre-tokenizer in Python, which tokenizer.json cannot hold: it cuts text after each letter of a kind."""

    def __init__(self, last: str):
        self.last = last

    def pre_tokenize(self, text: PreTokenizedString) -> None:
        text.split(self._split)

    def _split(self, _: int, part: NormalizedString) -> list[NormalizedString]:
        ends = [match.end() for match in re.finditer(f"[{self.last} ]", str(part))]
        bounds = [0, *ends, len(str(part))]
        return [part[start:end] for start, end in pairwise(bounds) if end > start]


@pytest.mark.parametrize("last", ["a", "\u5929"])
def test_a_tokenizer_that_cuts_words_in_python_is_an_error(last, tmp_path):
    """Such as RoFormer's, which cuts Chinese with the library jieba and is saved without it."""
    words = [*LIKE_BERT, "The", "c", "a", "ca", "t", "cat", "\u4eca\u5929\u5929\u6c14", "\u5929", "\u4eca\u5929", "."]
    backend = Tokenizer(models.WordPiece({word: index for index, word in enumerate(words)}, unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.post_processor = processors.BertProcessing(("[SEP]", 1), ("[CLS]", 0))
    names = ("cls_token", "sep_token", "pad_token", "unk_token", "mask_token")
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, **dict(zip(names, LIKE_BERT, strict=True)))
    model = random_model("bert", vocab_size=len(words))
    assert AttentionModel.from_transformers(model, tokenizer)
    save = tokenizer.save_pretrained

    def save_pretrained(folder):
        tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        save(folder)
        tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(ByPython(last))

    tokenizer.save_pretrained = save_pretrained
    with pytest.raises(InputError, match=r"its tokenizer\.json gives .*\n.*cuts words in Python code: choose"):
        AttentionModel.from_transformers(model, tokenizer)


@pytest.mark.parametrize("kind", ["roberta", "bert"])
def test_segment_ids_are_the_tokenizers_even_if_the_model_has_more_types(kind, tmp_path, embedded_model):
    """A RoBERTa of two segment types, its default, saw only 0; so did a BERT whose tokenizer gives no segment ids."""
    tokenizer = published_tokenizer(kind, TEXTS)
    folder = save_encoder(tmp_path, kind, tokenizer, type_vocab_size=2)
    assert AttentionModel.from_pretrained(folder, "cpu").segment_types == (2 if kind == "bert" else 1)
    change_file(folder / "tokenizer_config.json", lambda content: content.update(model_input_names=["input_ids"]))
    model = AttentionModel.from_pretrained(folder, "cpu")
    assert model.segment_types == 1
    assert not model.run(("The cat sat.", "Birds sing.")).segment_ids.any()
