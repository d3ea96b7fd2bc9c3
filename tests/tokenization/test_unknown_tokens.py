"""Text that a tokenizer does not know, and characters that it writes as bytes."""

import warnings

import pytest
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from bert_attention import AttentionModel, InputError, Study
from bert_attention.explorer.labels import shown_tokens
from bert_attention.tokenization.unknown_tokens import check_is_known, unknown_share
from bert_attention.tokenization.wordpieces import tokenize, tokenize_texts, wrap_backend
from tests.models.random_models import random_model, save_bert

NAMES = {"unk_token": "<unk>", "cls_token": "<s>", "sep_token": "</s>", "pad_token": "<pad>"}
SPECIAL = ["<pad>", "<unk>", "<s>", "</s>"]
BYTES = [f"<0x{value:02X}>" for value in range(256)]
LETTERS = "abcdefghijklmnopqrstuvwxyzD.,"


def with_bytes(kind):
    """A tokenizer that writes characters outside its vocabulary as bytes, as Gemma's (BPE) and Llama's (Unigram)."""
    words = [*SPECIAL, *BYTES, "\u2581", *LETTERS]
    if kind == "BPE":
        model = models.BPE({word: index for index, word in enumerate(words)}, [], unk_token="<unk>", byte_fallback=True)
        backend = Tokenizer(model)
        backend.normalizer = normalizers.Replace(" ", "\u2581")
        backend.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
        backend.decoder = decoders.Sequence([decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse()])
    else:
        backend = Tokenizer(models.Unigram([(word, -4.0) for word in words], unk_id=1, byte_fallback=True))
        backend.pre_tokenizer = pre_tokenizers.Metaspace()
        backend.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace()])
    around = [("<s>", 2), ("</s>", 3)]
    backend.post_processor = processors.TemplateProcessing("<s> $A </s>", "<s> $A </s> $B </s>", around)
    backend.add_special_tokens(SPECIAL)
    return PreTrainedTokenizerFast(tokenizer_object=backend, **NAMES)


@pytest.mark.parametrize("kind", ["BPE", "Unigram"])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Der K\u00e4fer, sch\u00f6n.", ["Der", "K\u00e4fer", ",", "sch\u00f6n", "."]),
        ("\u4eca\u5929\uff0c\u597d\u3002", ["\u4eca\u5929", "\uff0c", "\u597d", "\u3002"]),
        ("a \U0001f600b", ["a", "\U0001f600b"]),
    ],
)
def test_characters_that_are_written_as_bytes_are_readable(kind, text, words):
    tokenizer = with_bytes(kind)
    model = AttentionModel.from_transformers(random_model("bert", vocab_size=len(tokenizer)), tokenizer)
    found = model.run(text)
    assert found.token_ids.tolist() == tokenizer(text)["input_ids"]
    assert list(found.words[1:-1]) == words
    numbers = found.word_of - 1
    numbers[[0, -1]] = -1
    assert list(shown_tokens(model.tokenizer, found.token_ids, numbers).words[1:-1]) == words
    (tokenized,) = tokenize_texts(model.tokenizer, [text])
    spans = [span for span in tokenized.spans if span[0] < span[1]]
    assert {text[start:stop] for start, stop in spans} == {*text} - {" "}
    assert unknown_share([tokenized.wordpieces], model.tokenizer) == 0


def test_the_share_of_unknown_wordpieces_is_counted_and_refused_above_a_half(bert, roberta):
    for text, share in (("The cat \u2603 sat.", 1 / 5), ("\u2603 \u2604", 1)):
        assert unknown_share(tokenize(bert, [text]), bert) == share
        assert unknown_share(tokenize(roberta, [text]), roberta) == 0
    assert unknown_share([], bert) == unknown_share([()], bert) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert check_is_known(tokenize(bert, ["one two three four " * 5 + "\u2603"]), bert, "x") == 1 / 21
    with pytest.warns(UserWarning, match=r"x: 10% of the wordpieces are \[UNK\]"):
        check_is_known(tokenize(bert, ["one two three " * 3 + "\u2603"]), bert, "x")
    with pytest.raises(InputError, match=r"x: 67% of the wordpieces are \[UNK\]"):
        check_is_known(tokenize(bert, ["\u2603 \u2603 one"]), bert, "x")


@pytest.mark.parametrize("kind", ["WordLevel", "Unigram"])
@pytest.mark.parametrize("settings", [{}, {"unk_token": "<s>"}])
def test_the_unknown_token_is_that_of_the_tokenizers_model(kind, settings):
    """tokenizer_config.json can lack it, or name another token."""
    words = ["<s>", "</s>", "<UNK>", "cat", "\u2581cat"]
    if kind == "WordLevel":
        backend = Tokenizer(models.WordLevel({word: index for index, word in enumerate(words)}, unk_token="<UNK>"))
        backend.pre_tokenizer = pre_tokenizers.Whitespace()
    else:
        backend = Tokenizer(models.Unigram([(word, -4.0) for word in words], unk_id=2))
        backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.post_processor = processors.RobertaProcessing(("</s>", 1), ("<s>", 0))
    tokenizer = wrap_backend(backend, settings, "model m")
    assert tokenizer.unk_token == "<UNK>"
    assert unknown_share(tokenize(tokenizer, ["\u2603 cat \u2603 cat"]), tokenizer) == 1 / 2


@pytest.mark.parametrize("text", ["\u2603 \u2604 \u2603.", "\u13a0 \u13a1 cat \u13a2"])
def test_a_text_or_corpus_that_the_tokenizer_does_not_know_is_an_error(text, tmp_path, embedded_model):
    model = AttentionModel.from_pretrained(save_bert(tmp_path, embedded_model), "cpu")
    file = tmp_path / "trees.conllu"
    words = enumerate(text.removesuffix(".").split(), start=1)
    file.write_text("".join(f"{n}\t{word}\t_\tX\t_\t_\t{n - 1}\tdep\t_\t_\n" for n, word in words) + "\n")
    for use in (
        lambda: model.run(text),
        lambda: Study(model, trees=file),
        lambda: Study(model, texts=[text]).table("clark_entropy"),
    ):
        with pytest.raises(InputError, match=r"of the wordpieces are \[UNK\]"):
            use()
