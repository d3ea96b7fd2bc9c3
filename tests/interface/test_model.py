"""An encoder that is run on strings."""

import copy
import re
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn
from transformers import (
    AutoModel,
    AutoModelForMaskedLM,
    AutoTokenizer,
    BertConfig,
    BertModel,
    BertPreTrainedModel,
    GPT2Config,
    GPT2Model,
)
from transformers.pytorch_utils import prune_linear_layer

from bert_attention import AttentionModel, InputError, show

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


def test_a_text_shows_its_page(small_model):
    text = small_model.run("Who sat?")
    page = text.show("my model")
    assert page == show(text.attention, text.tokens, model="my model")
    assert re.fullmatch(r"<Explorer: a page of 0\.\d MB; .*>", repr(page))


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


@pytest.mark.parametrize("column", [pd.Series, np.array, iter])
def test_texts_can_stand_in_a_column(small_model, column):
    texts = [TEXT, "They slept."]
    for found, expected in zip(small_model.run(column(texts)), small_model.run(texts), strict=True):
        np.testing.assert_array_equal(found.attention, expected.attention)


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


class Backbone(BertPreTrainedModel):
    """A class of one's own, whose encoder has another name than in transformers."""

    def __init__(self, config, encoders=1):
        super().__init__(config)
        self.backbone = BertModel(config)
        self.others = nn.ModuleList(BertModel(config) for _ in range(encoders - 1))
        self.score = nn.Linear(config.hidden_size, 1)
        self.post_init()


@pytest.mark.parametrize("text", [TEXT, PAIR])
def test_the_encoder_inside_a_class_of_ones_own_is_used(small_model, tokenizer, text):
    model = Backbone(small_model.encoder.model.config)
    model.backbone.load_state_dict(small_model.encoder.model.state_dict())
    found, expected = AttentionModel.from_transformers(model, tokenizer).run(text), small_model.run(text)
    np.testing.assert_array_equal(found.attention, expected.attention)
    np.testing.assert_array_equal(found.summed_norms, expected.summed_norms)
    for encoders in (2, 3):
        with pytest.raises(InputError, match=r"holds several models .BertModel, BertModel"):
            AttentionModel.from_transformers(Backbone(TINY, encoders), tokenizer)


@pytest.fixture
def wrapped(small_model, tokenizer):
    """A model of transformers, and the same model in the library."""
    model = AutoModel.from_pretrained(small_model.name, attn_implementation="sdpa")
    return model, AttentionModel.from_transformers(model, tokenizer)


def zero_a_head(model):
    with torch.no_grad():
        model.encoder.layer[1].attention.output.dense.weight[:, 8:16] = 0


def zero_the_data_of_a_head(model):
    model.encoder.layer[1].attention.output.dense.weight.data[:, 8:16] = 0


def train_a_step(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    model(torch.tensor([[101, 2000, 102]])).last_hidden_state.square().sum().backward()
    optimizer.step()


class Doubled(nn.Module):
    def __init__(self, linear):
        super().__init__()
        self.linear = linear

    def forward(self, vectors):
        return 2 * self.linear(vectors)


def replace_a_module(model):
    output = model.encoder.layer[1].attention.output
    output.dense = Doubled(output.dense)


@pytest.mark.parametrize("text", [TEXT, PAIR])
@pytest.mark.parametrize("change", [zero_a_head, zero_the_data_of_a_head, train_a_step, replace_a_module])
def test_norms_are_those_of_the_weights_of_now(wrapped, tokenizer, change, text):
    model, ours = wrapped
    before = ours.run(text)
    change(model)
    after, expected = ours.run(text), AttentionModel.from_transformers(model, tokenizer).run(text)
    for name in ("value_norms", "summed_norms"):
        assert not np.allclose(getattr(after, name), getattr(before, name), rtol=1e-6)
        np.testing.assert_allclose(getattr(after, name), getattr(expected, name), rtol=1e-5, atol=1e-6)
    if change in (zero_a_head, zero_the_data_of_a_head):
        assert after.value_norms[1, 1].max() == 0 < after.value_norms[1, 0].min()


@pytest.mark.parametrize("text", [TEXT, PAIR])
def test_a_model_in_training_keeps_its_state_and_is_run_in_evaluation(wrapped, small_model, text):
    model, ours = wrapped
    model.train()
    model.encoder.layer[2].eval()
    modes = [module.training for module in model.modules()]
    found, expected = ours.run(text), small_model.run(text)
    np.testing.assert_array_equal(found.attention, expected.attention)
    np.testing.assert_array_equal(found.value_norms, expected.value_norms)
    assert [module.training for module in model.modules()] == modes
    assert model.config._attn_implementation == "sdpa"
    model.get_parameter("encoder.layer.0.output.dense.bias").data[0] = float("nan")
    with pytest.raises(InputError, match="not finite"):
        ours.run(text)
    assert [module.training for module in model.modules()] == modes


def zero_a_head_by_hook(model):
    def zero(_module, inputs):
        return (inputs[0] * (torch.arange(32) >= 8),)

    model.encoder.layer[1].attention.output.dense.register_forward_pre_hook(zero)


def zero_a_head_by_hook_on_outputs(model):
    def zero(_module, _inputs, outputs):
        return (outputs[0] * (torch.arange(32) >= 8), *outputs[1:])

    model.encoder.layer[1].attention.self.register_forward_hook(zero)


def double_by_a_module_without_parameters(model):
    model.encoder.layer[1].attention.output.dropout = Doubled(nn.Identity())


@pytest.mark.parametrize(
    "change", [zero_a_head_by_hook, zero_a_head_by_hook_on_outputs, double_by_a_module_without_parameters]
)
def test_identities_are_checked_again_after_a_change_of_hooks_or_modules(wrapped, change):
    model, ours = wrapped
    ours.run(TEXT)
    change(model)
    with pytest.raises(InputError, match="in layer 2, the "):
        ours.run(TEXT)


@pytest.mark.parametrize("change", ["half", "double", "bfloat16"])
def test_a_model_that_is_no_longer_in_float32_is_an_error(wrapped, change):
    model, ours = wrapped
    ours.run(TEXT)
    getattr(model, change)()
    with pytest.raises(InputError, match=r"has weights of type torch\..*\n.*model.float\(\)"):
        ours.run(TEXT)


@contextmanager
def default_dtype(dtype):
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    yield
    torch.set_default_dtype(before)


@pytest.mark.parametrize(
    "setting",
    [
        lambda: torch.autocast("cpu", dtype=torch.bfloat16),
        lambda: default_dtype(torch.bfloat16),
        lambda: default_dtype(torch.float64),
        lambda: torch.device("meta"),
    ],
)
def test_defaults_that_a_notebook_has_set_change_nothing(small_model, tokenizer, setting):
    expected, of_control = small_model.run(TEXT), small_model.with_random_weights(3).run(TEXT)
    model = AutoModel.from_pretrained(small_model.name)
    with setting():
        ours = AttentionModel.from_transformers(model, tokenizer)
        found, control = ours.run(TEXT), ours.with_random_weights(3).run(TEXT)
        loaded = AttentionModel.from_pretrained(small_model.name, device="cpu").run(TEXT)
        default, device = torch.get_default_dtype(), torch.get_default_device()
    with setting():
        assert (torch.get_default_dtype(), torch.get_default_device()) == (default, device)
    for name in ("attention", "value_norms", "summed_norms"):
        for other in (found, loaded):
            np.testing.assert_array_equal(getattr(other, name), getattr(expected, name))
        np.testing.assert_array_equal(getattr(control, name), getattr(of_control, name))


def test_a_copied_layer_without_maps_is_an_error_with_a_remedy(small_model, tokenizer):
    for implementation in ("sdpa", "eager"):
        model = AutoModel.from_pretrained(small_model.name, attn_implementation=implementation)
        model.encoder.layer[1] = copy.deepcopy(model.encoder.layer[0])
        ours = AttentionModel.from_transformers(model, tokenizer)
        if implementation == "eager":
            assert ours.run(TEXT).attention.shape[0] == 3
        else:
            with pytest.raises(InputError, match=r"its layers have 4, 4 heads.*\n.*attn_implementation='eager'"):
                ours.run(TEXT)


@pytest.mark.parametrize("kept", [1, 3])
def test_heads_that_were_pruned_in_memory_are_an_error(wrapped, kept):
    model, ours = wrapped
    attention, index = model.encoder.layer[1].attention, torch.arange(8 * kept)
    for name in ("query", "key", "value"):
        setattr(attention.self, name, prune_linear_layer(getattr(attention.self, name), index))
    attention.output.dense = prune_linear_layer(attention.output.dense, index, dim=1)
    attention.self.num_attention_heads, attention.self.all_head_size = kept, 8 * kept
    with pytest.raises(InputError, match=f"its layers have 4, {kept}, 4 heads, but its config says 3 layers of 4"):
        ours.run(TEXT)


@pytest.mark.parametrize("compiled", ["model", "layers"])
def test_hooks_that_a_compiled_model_ignores_are_an_error(wrapped, tokenizer, compiled):
    model, ours = wrapped
    model.set_attn_implementation("eager")
    for module in [model] if compiled == "model" else model.encoder.layer:
        module.compile(backend="eager")
    with torch.inference_mode():
        model.eval()(**tokenizer(TEXT, return_tensors="pt"), output_attentions=True, return_dict=True)
    with pytest.raises(InputError, match="hooks have run in 0 of 3 layers: a model that was compiled"):
        ours.run(TEXT)


@pytest.mark.parametrize("text", [TEXT, PAIR])
def test_the_model_in_what_torch_compile_returns_is_used(wrapped, tokenizer, small_model, text):
    model, _ = wrapped
    compiled = torch.compile(model.eval(), backend="eager")
    with torch.inference_mode():
        compiled(**tokenizer(TEXT, return_tensors="pt"))
    found = AttentionModel.from_transformers(compiled, tokenizer).run(text)
    np.testing.assert_array_equal(found.value_norms, small_model.run(text).value_norms)


def test_a_quantized_model_breaks_the_sum(small_model, tokenizer):
    for seed in (0, 1):
        model = small_model.with_random_weights(seed).encoder.model
        quantized = torch.ao.quantization.quantize_dynamic(model, {nn.Linear})
        with pytest.raises(InputError, match=r"layer 1, the sum over heads and tokens .* is not the output"):
            AttentionModel.from_transformers(quantized, tokenizer).run(TEXT)


@pytest.mark.parametrize("text", [TEXT, PAIR])
def test_random_weights_have_the_scale_of_weights_with_their_adapters(small_model, text):
    """Doubling a map is no part of a control: the random map has the doubled scale."""
    model = small_model.with_random_weights(5)
    twice = small_model.with_random_weights(5)
    for layer, other in zip(model.encoder.model.encoder.layer, twice.encoder.model.encoder.layer, strict=True):
        layer.output.dense = Doubled(layer.output.dense)
        layer.attention.self.query = Doubled(layer.attention.self.query)
        for linear in (other.output.dense, other.attention.self.query):
            linear.weight.data *= 2
    drawn, expected = model.with_random_weights(7).run(text), twice.with_random_weights(7).run(text)
    np.testing.assert_allclose(drawn.attention, expected.attention, atol=1e-5)
    assert not np.allclose(drawn.attention, model.run(text).attention, atol=1e-3)


@pytest.mark.parametrize("seed", [2, 4_000_000_000])
def test_seeds_of_random_weights_can_be_numbers_of_numpy(small_model, seed):
    expected = small_model.with_random_weights(seed).run(TEXT).attention
    np.testing.assert_array_equal(small_model.with_random_weights(np.int64(seed)).run(TEXT).attention, expected)
    for wrong in (None, -1, 2.0, True, 5_000_000_000, 10**30):
        with pytest.raises(InputError, match="seed="):
            small_model.with_random_weights(wrong)
