"""Take, or refuse by name, things that people give instead of a loaded encoder, its attention or its tokens."""

import numpy as np
import pytest
import torch
from torch import nn
from transformers import AutoModel, AutoTokenizer, BertConfig, BertModel, T5Config, T5Model

from bert_attention import AttentionModel, InputError, show

TEXT = "The cat sat."


@pytest.fixture(scope="module")
def parts(small_model):
    return AutoModel.from_pretrained(small_model.name), AutoTokenizer.from_pretrained(small_model.name)


class SentenceTransformer(nn.Sequential):
    """As much of that class as is asked for."""

    @property
    def transformers_model(self):
        return self[0]


@pytest.mark.parametrize("wrap", [nn.DataParallel, SentenceTransformer])
def test_a_wrapped_encoder_is_taken(small_model, parts, wrap):
    model, tokenizer = parts
    found = AttentionModel.from_transformers(wrap(model), tokenizer).run(TEXT)
    np.testing.assert_array_equal(found.attention, small_model.run(TEXT).attention)


def test_a_real_sentence_transformer_is_taken(small_model, tmp_path):
    sentence_transformers = pytest.importorskip("sentence_transformers")
    modules = pytest.importorskip("sentence_transformers.models")
    model = sentence_transformers.SentenceTransformer(modules=[modules.Transformer(small_model.name)], device="cpu")
    found = AttentionModel.from_transformers(model, model.tokenizer).run(TEXT)
    np.testing.assert_allclose(found.attention, small_model.run(TEXT).attention, atol=1e-6)


def test_a_tokenizers_folder_is_taken(small_model, parts):
    found = AttentionModel.from_transformers(parts[0], small_model.name).run(TEXT)
    assert found.tokens == small_model.run(TEXT).tokens


def quantised():
    model = BertModel(BertConfig(hidden_size=8, num_attention_heads=2, num_hidden_layers=1, vocab_size=30522))
    return torch.ao.quantization.quantize_dynamic(model, {nn.Linear})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: "google-bert/bert-base-uncased", r"is a name, not a loaded model\n.*from_pretrained\('google-bert"),
        (lambda: nn.Linear(2, 2), "model Linear: is a Linear, not a model of transformers"),
        (lambda: None, "model NoneType: is a NoneType"),
        (quantised, "is quantised"),
    ],
)
def test_other_models_are_refused(parts, make, message):
    with pytest.raises(InputError, match=message):
        AttentionModel.from_transformers(make(), parts[1])


@pytest.mark.parametrize("tokenizer", [None, lambda text: text, "no/such/folder"])
def test_other_tokenizers_are_refused(parts, tokenizer):
    with pytest.raises(InputError, match="its tokenizer"):
        AttentionModel.from_transformers(parts[0], tokenizer)


def test_the_outputs_and_what_a_tokenizer_returns_are_taken(small_model):
    model = AutoModel.from_pretrained(small_model.name, attn_implementation="eager").eval()
    encoded = AutoTokenizer.from_pretrained(small_model.name)(TEXT, return_tensors="pt")
    with torch.no_grad():
        outputs = model(**encoded, output_attentions=True)
    assert show(outputs, encoded).html == show(outputs.attentions, encoded.tokens()).html


@pytest.mark.parametrize("pick", [lambda outputs: outputs, lambda outputs: outputs.attentions])
@pytest.mark.parametrize("asked", [True, False])
def test_attention_of_another_implementation(small_model, pick, asked):
    model = AutoModel.from_pretrained(small_model.name, attn_implementation="sdpa")
    outputs = model(torch.tensor([[101, 102]]), output_attentions=asked)
    with pytest.raises(InputError, match=r"attention: is not there.*\n.*attn_implementation='eager'"):
        show(pick(outputs), ["[CLS]", "[SEP]"])


def test_outputs_of_a_translation_model():
    config = T5Config(d_model=8, d_kv=4, d_ff=8, num_layers=1, num_heads=2, vocab_size=9, decoder_start_token_id=0)
    model = T5Model._from_config(config, attn_implementation="eager")
    outputs = model(torch.tensor([[1]]), decoder_input_ids=torch.tensor([[1]]), output_attentions=True)
    with pytest.raises(InputError, match=r"give outputs.decoder_attentions or outputs.cross_attentions"):
        show(outputs, ["a"])


@pytest.mark.parametrize(
    ("attention", "tokens", "message"),
    [
        (None, ["a"], "attention: is not there"),
        ([None], ["a"], "attention: is not there"),
        (np.ones((1, 1, 1, 1)), [101], r"tokens: are no texts: \[101\]\n.*convert_ids_to_tokens"),
        (np.ones((1, 1, 1, 1)), torch.tensor([101]), "tokens: are no texts"),
        (np.ones((1, 1, 1, 1)), "a", "tokens: are a text: a"),
        (np.ones((1, 1, 1, 1)), None, "tokens: are no texts"),
        (7, ["a"], "attention: is a int"),
        ([["x"]], ["a"], "attention: is a list that holds no numbers"),
        (np.ones((1, 1, 0, 0)), [], "attention: has the shape"),
    ],
)
def test_what_is_no_attention_or_no_tokens(attention, tokens, message):
    with pytest.raises(InputError, match=message):
        show(attention, tokens)
