"""The memory of attention maps is estimated before a forward pass, and inputs that need too much are errors."""

from types import SimpleNamespace

import pytest
from transformers import AutoTokenizer

from bert_attention import AttentionModel, InputError
from bert_attention.attention import memory
from bert_attention.attention.hooks import run
from bert_attention.attention.memory import check_memory
from bert_attention.attention.neurons import run_with_neurons
from bert_attention.explorer.own_text import show_text
from tests.attention.test_hooks import batch
from tests.models.random_models import random_encoder, save_encoder


@pytest.fixture
def available(monkeypatch):
    """A function that sets the available memory in bytes."""

    def set_available(size):
        monkeypatch.setattr(memory.psutil, "virtual_memory", lambda: SimpleNamespace(available=size))

    return set_available


def no_pass(*_):
    raise AssertionError("the forward pass began")


@pytest.mark.parametrize("kind", ["bert", "modernbert"])
@pytest.mark.parametrize(
    ("lengths", "problem"),
    [
        ((40,), "an input of 40 tokens (3 layers of 4 heads) needs 0.0 GB of memory, but 0.0 GB are available"),
        ((40, 9, 8), "3 inputs of up to 40 tokens (3 layers of 4 heads) needs 0.0 GB of memory"),
    ],
)
def test_a_batch_that_does_not_fit_is_an_error_before_its_pass(kind, lengths, problem, available):
    encoder = random_encoder(kind)
    per_sequence = 4 * (3 + 5) * 40**2 * 4
    available(per_sequence * len(lengths))
    run(encoder, *batch(lengths))
    available(per_sequence * len(lengths) - 1)
    encoder.model.register_forward_pre_hook(no_pass)
    with pytest.raises(InputError) as error:
        run(encoder, *batch(lengths))
    assert problem in str(error.value)
    fewer = "give at most 2 inputs at a time, or " if len(lengths) == 3 else ""
    assert error.value.remedy == f"{fewer}give inputs of at most 40 tokens"


def test_the_message_says_how_much_is_needed_and_what_fits(available):
    encoder = random_encoder("bert", num_hidden_layers=22, num_attention_heads=12, hidden_size=48)
    available(16e9)
    with pytest.raises(
        InputError, match=r"of 8192 tokens \(22 layers of 12 heads\) needs 87.0 GB .* 16.0 GB are"
    ) as error:
        check_memory(encoder, 1, 8192)
    assert error.value.remedy == "give inputs of at most 3514 tokens"
    assert "max_wordpieces" in error.value.for_workflow().remedy
    check_memory(encoder, 1, 3513)
    check_memory(encoder, 16, 800)


def test_every_pass_with_maps_is_checked(available, tmp_path, embedded_model):
    folder = save_encoder(tmp_path / "model", "bert", AutoTokenizer.from_pretrained(embedded_model))
    model, encoder = AttentionModel.from_pretrained(folder, "cpu"), random_encoder("bert")
    available(4 * (3 + 5) * 9**2 * 4)  # enough for the maps, too little for their copies
    for compute in (
        lambda: model.run("The cat sat on the mat."),
        lambda: show_text(folder, "The cat sat on the mat.", device="cpu"),
        lambda: run_with_neurons(encoder, *batch([10])),
    ):
        with pytest.raises(InputError, match="GB of memory, but"):
            compute()
