"""An encoder that is run on strings."""

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoModelForMaskedLM, AutoTokenizer, BertConfig, GPT2Config, GPT2Model

from bert_attention import AttentionModel, InputError
from tests.models.random_models import byte_level_tokenizer, save_encoder

TEXT = "The unpretentious cats sat."
PAIR = ("Who sat?", "The cats.")


def test_arrays_of_a_text_belong_to_its_tokens(small_model):
    text = small_model.run(TEXT)
    n = len(text.tokens)
    assert text.tokens == ("[CLS]", "the", "un", "##pre", "##ten", "##tious", "cats", "sat", ".", "[SEP]")
    assert text.words == ("[CLS]", "the", "unpretentious", "cats", "sat", ".", "[SEP]")
    assert text.word_of.tolist() == [0, 1, 2, 2, 2, 2, 3, 4, 5, 6]
    assert text.attention.shape == (3, 4, n, n)
    assert text.value_norms.shape == (3, 4, n)
    assert text.summed_norms.shape == (3, n, n)
    assert {text.attention.dtype, text.value_norms.dtype, text.summed_norms.dtype} == {np.dtype(np.float32)}
    np.testing.assert_allclose(text.attention.sum(-1), 1, rtol=1e-5)


def test_attention_is_what_transformers_returns(small_model):
    """The reference is transformers itself, with its own tokenizer."""
    folder = small_model.name
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    for text in (TEXT, PAIR):
        inputs = tokenizer(*([text] if isinstance(text, str) else text), return_tensors="pt")
        with torch.no_grad():
            expected = torch.cat(model(**inputs, output_attentions=True).attentions).numpy()
        np.testing.assert_allclose(small_model.run(text).attention, expected, atol=1e-6)


def test_norms_weigh_what_a_head_takes(small_model):
    """For a single attended token, the summed norm of one head's part is weight times length."""
    text = small_model.run(TEXT)
    assert text.weighted_norms.shape == text.attention.shape
    assert text.weighted_norms[1, 2, 3, 4] == pytest.approx(text.attention[1, 2, 3, 4] * text.value_norms[1, 2, 4])
    assert (text.summed_norms <= text.weighted_norms.sum(1) * 1.001).all()


def test_attention_between_words_adds_up_columns_and_averages_rows(small_model):
    text = small_model.run(TEXT)
    between = text.between_words()
    assert between.shape == (3, 4, 7, 7)
    assert between[2, 1, 2, 4] == pytest.approx(text.attention[2, 1, 2:6, 7].mean())
    assert between[2, 1, 4, 2] == pytest.approx(text.attention[2, 1, 7, 2:6].sum())


def test_a_pair_has_two_segments(small_model):
    text = small_model.run(PAIR)
    assert text.tokens == ("[CLS]", "who", "sat", "?", "[SEP]", "the", "cats", ".", "[SEP]")
    assert text.segment_ids.tolist() == [0] * 5 + [1] * 4


def test_texts_of_a_list_are_run_in_batches_and_come_in_order(small_model):
    texts = [TEXT, PAIR, "No.", *(f"{'very ' * n}long" for n in range(30))]
    found = small_model.run(texts)
    assert [text.tokens for text in found] == [small_model.run(text).tokens for text in texts]
    alone = small_model.run(texts[-1])
    np.testing.assert_allclose(found[-1].attention, alone.attention, atol=1e-6)
    np.testing.assert_allclose(found[-1].summed_norms, alone.summed_norms, atol=1e-4)


def test_byte_level_tokens_have_words_without_marks(tmp_path):
    tokenizer = byte_level_tokenizer(["The cat sat on the mat, unhappily."] * 3)
    folder = save_encoder(tmp_path, "modernbert", tokenizer)
    text = AttentionModel.from_pretrained(folder, device="cpu").run("cats sat.")
    assert text.words == ("[CLS]", "cats", "sat", ".", "[SEP]")
    assert text.tokens[1].startswith("Ġ")
    assert (text.segment_ids == 0).all()


@pytest.mark.parametrize("kind", [AutoModel, AutoModelForMaskedLM])
def test_a_model_of_transformers_gives_the_same(small_model, kind):
    model = kind.from_pretrained(small_model.name).train()
    found = AttentionModel.from_transformers(model, AutoTokenizer.from_pretrained(small_model.name)).run(TEXT)
    expected = small_model.run(TEXT)
    assert found.tokens == expected.tokens
    np.testing.assert_array_equal(found.attention, expected.attention)
    np.testing.assert_array_equal(found.value_norms, expected.value_norms)


def test_random_weights_keep_embeddings_and_leave_the_model_alone(small_model):
    before = small_model.run(TEXT)
    drawn = small_model.with_random_weights(seed=3)
    words = [model.encoder.model.get_input_embeddings().weight for model in (small_model, drawn)]
    assert torch.equal(*words)
    assert not np.allclose(drawn.run(TEXT).attention, before.attention)
    np.testing.assert_array_equal(small_model.run(TEXT).attention, before.attention)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "text 1: '' has no token"),
        (["fine", 3], "text 2: 3 is not a text"),
        (("one", "two", "three"), "is not a text"),
        ("long " * 200, "has 202 tokens, but the model takes at most 128"),
    ],
)
def test_a_text_that_cannot_be_run_is_named(small_model, text, told):
    with pytest.raises(InputError, match="Remedy") as error:
        small_model.run(text)
    assert told in str(error.value)


def test_a_name_of_the_hub_alone_is_told_how_to_be_written():
    with pytest.raises(InputError, match="hub:bert-base-uncased@<revision>"):
        AttentionModel.from_pretrained("bert-base-uncased")


def test_models_of_transformers_that_cannot_be_used_are_refused(small_model):
    tokenizer = AutoTokenizer.from_pretrained(small_model.name)
    with pytest.raises(InputError, match="model type gpt2"):
        AttentionModel.from_transformers(GPT2Model(GPT2Config(n_layer=1, n_head=1, n_embd=4)), tokenizer)
    half = AutoModel.from_config(BertConfig(hidden_size=4, num_attention_heads=1, num_hidden_layers=1)).half()
    with pytest.raises(InputError, match=r"torch.float16\n.*model.float\(\)"):
        AttentionModel.from_transformers(half, tokenizer)
