"""An encoder that is run on strings."""

import numpy as np
import pytest
import torch
from torch import nn
from transformers import AutoModel, AutoModelForMaskedLM, AutoTokenizer, BertConfig, BertModel, GPT2Config, GPT2Model

from bert_attention import AttentionModel, InputError

TEXT = "The unpretentious cats sat."
PAIR = ("Who sat?", "The cats.")
TINY = BertConfig(hidden_size=8, num_attention_heads=2, num_hidden_layers=1, vocab_size=30522)


@pytest.fixture(scope="module")
def tokenizer(small_model):
    return AutoTokenizer.from_pretrained(small_model.name)


def test_arrays_of_a_text_belong_to_its_tokens(small_model):
    text = small_model.run(TEXT)
    n = len(text.tokens)
    assert text.tokens == ("[CLS]", "the", "un", "##pre", "##ten", "##tious", "cats", "sat", ".", "[SEP]")
    assert text.words == ("[CLS]", "the", "unpretentious", "cats", "sat", ".", "[SEP]")
    assert text.word_of.tolist() == [0, 1, 2, 2, 2, 2, 3, 4, 5, 6]
    assert text.attention.shape == text.weighted_norms.shape == (3, 4, n, n)
    assert text.value_norms.shape == (3, 4, n)
    assert text.summed_norms.shape == (3, n, n)
    assert {text.attention.dtype, text.value_norms.dtype, text.summed_norms.dtype} == {np.dtype(np.float32)}
    assert text.weighted_norms[1, 2, 3, 4] == pytest.approx(text.attention[1, 2, 3, 4] * text.value_norms[1, 2, 4])
    assert (text.summed_norms <= text.weighted_norms.sum(1) * 1.001).all()
    between = text.between_words()
    assert between.shape == (3, 4, 7, 7)
    assert between[2, 1, 2, 4] == pytest.approx(text.attention[2, 1, 2:6, 7].mean())
    assert between[2, 1, 4, 2] == pytest.approx(text.attention[2, 1, 7, 2:6].sum())


def test_a_text_prints_as_one_line(small_model):
    assert repr(small_model.run("Who sat?")) == (
        "<TextAttention of 5 tokens ([CLS] who sat ? [SEP]): 3 layers x 4 heads>"
    )
    assert len(repr(small_model.run("The cats sat. " * 20))) < 120


def test_attention_is_that_of_transformers(small_model, tokenizer):
    """The reference is transformers itself, with its own tokenizer."""
    model = AutoModel.from_pretrained(small_model.name, attn_implementation="eager").eval()
    for text in (TEXT, PAIR):
        inputs = tokenizer(*([text] if isinstance(text, str) else text), return_tensors="pt")
        with torch.no_grad():
            expected = torch.cat(model(**inputs, output_attentions=True).attentions).numpy()
        found = small_model.run(text)
        np.testing.assert_allclose(found.attention, expected, atol=1e-6)
        assert found.segment_ids.tolist() == inputs["token_type_ids"][0].tolist()


def test_texts_of_a_list_are_run_in_batches_and_keep_their_order(small_model):
    texts = [TEXT, PAIR, "No.", *(f"{'very ' * n}long" for n in range(30))]
    found = small_model.run(texts)
    assert [text.tokens for text in found] == [small_model.run(text).tokens for text in texts]
    alone = small_model.run(texts[-1])
    np.testing.assert_allclose(found[-1].attention, alone.attention, atol=1e-6)
    np.testing.assert_allclose(found[-1].summed_norms, alone.summed_norms, atol=1e-4)


def test_random_weights_keep_embeddings_and_leave_the_model_unchanged(small_model):
    before = small_model.run(TEXT)
    drawn = small_model.with_random_weights(seed=3)
    words = [model.encoder.model.get_input_embeddings().weight for model in (small_model, drawn)]
    assert torch.equal(*words)
    assert not np.allclose(drawn.run(TEXT).attention, before.attention)
    np.testing.assert_array_equal(small_model.run(TEXT).attention, before.attention)


class SentenceTransformer(nn.Sequential):
    """The part of that class that is used."""

    @property
    def transformers_model(self):
        return self[0]


@pytest.mark.parametrize("wrap", [None, nn.DataParallel, SentenceTransformer, AutoModelForMaskedLM])
def test_models_of_transformers_are_used_also_inside_wrappers(small_model, tokenizer, wrap):
    """The tokenizer can be given by its folder."""
    kind = AutoModelForMaskedLM if wrap is AutoModelForMaskedLM else AutoModel
    model = kind.from_pretrained(small_model.name).train()
    wrapped = wrap(model) if wrap in (nn.DataParallel, SentenceTransformer) else model
    found = AttentionModel.from_transformers(wrapped, tokenizer if wrap else small_model.name).run(TEXT)
    expected = small_model.run(TEXT)
    assert found.tokens == expected.tokens
    np.testing.assert_array_equal(found.attention, expected.attention)
    np.testing.assert_array_equal(found.value_norms, expected.value_norms)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: "google-bert/bert-base-uncased", r"is a name, not a loaded model\n.*from_pretrained\('google-bert"),
        (lambda: nn.Linear(2, 2), "model Linear: is a Linear, not a model of transformers"),
        (lambda: None, "model NoneType: is a NoneType"),
        (lambda: torch.ao.quantization.quantize_dynamic(BertModel(TINY), {nn.Linear}), "is quantized"),
        (lambda: GPT2Model(GPT2Config(n_layer=1, n_head=1, n_embd=4)), "model type gpt2"),
        (lambda: BertModel(TINY).half(), r"torch.float16\n.*model.float\(\)"),
    ],
)
def test_models_that_cannot_be_used_are_errors(tokenizer, make, message):
    with pytest.raises(InputError, match=message):
        AttentionModel.from_transformers(make(), tokenizer)


def test_tokenizers_and_sources_that_cannot_be_used_are_errors():
    for tokenizer in (None, "no/such/folder"):
        with pytest.raises(InputError, match="its tokenizer"):
            AttentionModel.from_transformers(BertModel(TINY), tokenizer)
    with pytest.raises(InputError, match="hub:bert-base-uncased@<revision>"):
        AttentionModel.from_pretrained("bert-base-uncased")
    for source in ("The cat sat on the mat. " * 60, ""):
        with pytest.raises(InputError, match="is neither a path nor a source"):
            AttentionModel.from_pretrained(source)
