"""tokenizer.json is the truth, and it must be the tokenizer of the model."""

import json
import re
import warnings
from itertools import pairwise

import pytest
import torch
from tokenizers import NormalizedString, PreTokenizedString, Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from bert_attention import AttentionModel, InputError
from bert_attention.models.model_folder import check_model
from tests.models.published_tokenizers import published_tokenizer
from tests.models.random_models import LIKE_BERT, random_model, save_encoder, save_roberta

TEXTS = ["The cat sat on the mat.", "Birds sing, and cats listen to them."] * 5
CASED = [*LIKE_BERT, "The", "Cat", "Anna", "sat", "on", "the", "mat", "cat", "anna", "un", "##s", "."]


def change_file(path, change):
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def wordpiece(words, lower=False, **options):
    """A tokenizer of words; the first words are BERT's special tokens."""
    backend = Tokenizer(models.WordPiece({word: index for index, word in enumerate(words)}, unk_token="[UNK]"))
    backend.normalizer = normalizers.BertNormalizer(lowercase=lower)
    backend.pre_tokenizer = options.get("pre_tokenizer", pre_tokenizers.BertPreTokenizer())
    backend.post_processor = processors.BertProcessing(("[SEP]", 1), ("[CLS]", 0))
    names = ("cls_token", "sep_token", "pad_token", "unk_token", "mask_token")
    return PreTrainedTokenizerFast(tokenizer_object=backend, **dict(zip(names, LIKE_BERT, strict=True)))


def test_a_warning_says_where_transformers_does_not_follow_tokenizer_json(tmp_path):
    """tokenizer_config.json puts a space before texts, or names a class that lowers the case of letters."""
    save_roberta(tmp_path / "roberta")
    change_file(tmp_path / "roberta/tokenizer_config.json", lambda content: content.update(add_prefix_space=True))
    save_encoder(tmp_path / "bert", "bert", published_tokenizer("bert", TEXTS))
    change_file(tmp_path / "bert/tokenizer.json", lambda content: content["normalizer"].update(lowercase=False))
    for name, text in (("roberta", "cat sat"), ("bert", "The cat")):
        folder = tmp_path / name
        with pytest.warns(UserWarning, match=rf"{name}: its tokenizer.json is used, although AutoTokenizer"):
            found = AttentionModel.from_pretrained(folder, "cpu").run(text)
        expected = PreTrainedTokenizerFast.from_pretrained(folder)(text)["input_ids"]
        assert found.token_ids.tolist() == expected != AutoTokenizer.from_pretrained(folder)(text)["input_ids"]


@pytest.mark.parametrize("cut", ["-", "a"])
def test_a_pre_tokenizer_of_ones_own_is_used_although_the_class_of_the_tokenizer_has_another(cut, tmp_path):
    words = [*LIKE_BERT, "the", "c", "-", "t", "c-t", "a", "cat", "ca"]
    own = wordpiece(words, pre_tokenizer=pre_tokenizers.Split(cut, "merged_with_previous"))
    folder = save_encoder(tmp_path, "bert", own)
    change_file(folder / "tokenizer_config.json", lambda content: content.update(tokenizer_class="BertTokenizer"))
    with pytest.warns(UserWarning, match="its tokenizer.json is used"):
        model = AttentionModel.from_pretrained(folder, "cpu")
    for text in ("c-t", "cat"):
        assert model.run(text).token_ids.tolist() == own(text)["input_ids"]


@pytest.mark.parametrize("kind", ["bert", "modernbert", "albert"])
def test_a_published_tokenizer_is_loaded_without_a_warning(kind, tmp_path):
    folder = save_encoder(tmp_path, kind, published_tokenizer(kind, TEXTS))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        AttentionModel.from_pretrained(folder, "cpu")


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_a_folder_without_tokenizer_config_json_is_used(kind, tmp_path):
    folder = save_encoder(tmp_path, kind, published_tokenizer(kind, TEXTS))
    expected = AttentionModel.from_pretrained(folder, "cpu").run(TEXTS[0]).tokens
    (folder / "tokenizer_config.json").unlink()
    assert AttentionModel.from_pretrained(folder, "cpu").run(TEXTS[0]).tokens == expected


@pytest.mark.parametrize("lower", [True, False])
def test_the_backend_of_a_tokenizer_object_is_used_and_not_changed(lower):
    """Its settings are those that the caller has changed, such as truncation or the case of letters."""
    tokenizer = wordpiece(CASED)
    tokenizer.backend_tokenizer.normalizer = normalizers.Lowercase() if lower else None
    tokenizer.backend_tokenizer.enable_truncation(3)
    model = random_model("bert", vocab_size=len(CASED))
    if lower:
        with pytest.raises(InputError, match="lowers the case of text, but its vocabulary has capitals"):
            AttentionModel.from_transformers(model, tokenizer)
        return
    found = AttentionModel.from_transformers(model, tokenizer).run("The Cat sat.")
    assert found.tokens == ("[CLS]", "The", "Cat", "sat", ".", "[SEP]")
    assert tokenizer.backend_tokenizer.truncation["max_length"] == 3


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
def test_a_tokenizer_that_cuts_words_in_python_is_an_error(last):
    """Such as RoFormer's, which cuts Chinese with the library jieba."""
    tokenizer = wordpiece([*LIKE_BERT, "The", "c", "a", "ca", "t", "cat", "\u4eca\u5929", "\u5929", "."])
    tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(ByPython(last))
    model = random_model("bert", vocab_size=len(tokenizer))
    with pytest.raises(InputError, match=r"cuts words in Python code.*\n.*choose another"):
        AttentionModel.from_transformers(model, tokenizer)


@pytest.mark.parametrize("kind", ["roberta", "bert"])
def test_segment_ids_are_the_tokenizers_even_if_the_model_has_more_types(kind, tmp_path):
    """A RoBERTa of two segment types, its default, saw only 0; so did a BERT whose tokenizer gives no segment ids."""
    tokenizer = published_tokenizer(kind, TEXTS)
    folder = save_encoder(tmp_path, kind, tokenizer, type_vocab_size=2)
    assert AttentionModel.from_pretrained(folder, "cpu").segment_types == (2 if kind == "bert" else 1)
    change_file(folder / "tokenizer_config.json", lambda content: content.update(model_input_names=["input_ids"]))
    model = AttentionModel.from_pretrained(folder, "cpu")
    assert model.segment_types == 1
    assert not model.run(("The cat sat.", "Birds sing.")).segment_ids.any()


@pytest.mark.parametrize(("tokens", "size", "problem"), [(5, 200, InputError), (40, 400, InputError), (600, 900, None)])
def test_a_vocabulary_that_does_not_cover_the_embeddings_is_an_error_or_a_warning(tokens, size, problem):
    words = [*LIKE_BERT, *(f"w{index}" for index in range(tokens - len(LIKE_BERT)))]
    model, tokenizer = random_model("bert", vocab_size=size), wordpiece(words)
    message = f"its tokenizer has {tokens} tokens for {size} embeddings"
    with pytest.raises(InputError, match=message) if problem else pytest.warns(UserWarning, match=message):
        AttentionModel.from_transformers(model, tokenizer)


@pytest.mark.parametrize("size", [100, 128, 200])
def test_embeddings_can_be_filled_up(size):
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        words = [*LIKE_BERT, *(f"w{index}" for index in range(92))]
        AttentionModel.from_transformers(random_model("bert", vocab_size=size), wordpiece(words))


@pytest.mark.parametrize("words", [CASED, [*CASED, *("Bob", "##Ly", "of", "Eve")]])
def test_the_python_in_the_message_keeps_the_case_of_a_cased_vocabulary(words, tmp_path):
    """As SciBERT is published: vocab.txt, and no settings of the tokenizer."""
    folder, cased = tmp_path / "cased", wordpiece(words)
    model = random_model("bert", vocab_size=len(words))
    model.config.save_pretrained(folder)
    torch.save(model.state_dict(), folder / "pytorch_model.bin")
    (folder / "vocab.txt").write_text("\n".join(words) + "\n")
    with pytest.raises(InputError, match="it has pytorch_model") as error:
        AttentionModel.from_pretrained(folder, "cpu")
    exec("\n".join(line.strip() for line in error.value.remedy.splitlines()[1:]))
    text = "The Cat and Anna sat."
    found = AttentionModel.from_pretrained(f"{folder}-converted", "cpu").run(text)
    assert list(found.tokens) == cased.convert_ids_to_tokens(cased(text)["input_ids"])
    AutoTokenizer.from_pretrained(folder).save_pretrained(f"{folder}-converted")
    with pytest.raises(InputError, match="lowers the case of text, but its vocabulary has capitals"):
        AttentionModel.from_pretrained(f"{folder}-converted", "cpu")


HINDI = "\u092c\u093f\u0932\u094d\u0932\u0940 \u092c\u0948\u0920\u0940"


@pytest.mark.parametrize("line", ["GATTACA TTAG CCAGT", HINDI])
def test_a_vocabulary_without_latin_letters_or_an_unknown_token_is_used(line):
    words = [*LIKE_BERT, *sorted({*line} - {" "})]
    backend = Tokenizer(models.BPE({token: index for index, token in enumerate(words)}, []))
    backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    backend.post_processor = processors.BertProcessing(("[SEP]", 1), ("[CLS]", 0))
    names = ("cls_token", "sep_token", "pad_token", "unk_token", "mask_token")
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, **dict(zip(names, LIKE_BERT, strict=True)))
    model = AttentionModel.from_transformers(random_model("bert", vocab_size=len(tokenizer)), tokenizer)
    assert model.run(line).token_ids.tolist() == tokenizer(line)["input_ids"]
    with pytest.warns(UserWarning, match="leaves out 2 letters and digits that are not in its vocabulary: z"):
        model.run(f"{line} zz")


@pytest.mark.parametrize("name", ["sentence_bert_config.json", "sentence_roberta_config.json"])
def test_a_sentence_encoder_that_lowers_the_case_before_its_tokenizer_is_an_error(name, tmp_path):
    for lower in (False, True):
        words = [word.lower() if lower and word not in LIKE_BERT else word for word in CASED]
        words = list(dict.fromkeys(words))
        folder = save_encoder(tmp_path / str(lower), "bert", wordpiece(words, lower))
        (folder / name).write_text(json.dumps({"max_seq_length": 128, "do_lower_case": True}))
        if lower:
            check_model(folder)
        else:
            with pytest.raises(InputError, match=f"{name}: says do_lower_case, but"):
                check_model(folder)
