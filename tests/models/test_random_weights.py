import pytest
import torch

from bert_attention.models.families import FAMILIES
from bert_attention.models.random_weights import randomise
from tests.models.random_models import CONFIGURATIONS, random_model


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_weights_are_drawn_as_before_training(kind):
    model = random_model(kind, hidden_size=64) if kind != "distilbert" else random_model(kind, dim=64)
    before = {name: value.clone() for name, value in model.named_parameters()}
    embeddings = tuple(f"{part}." for part in FAMILIES[kind].embeddings)
    assert any(name.startswith(embeddings) for name in before)
    randomise(model, seed=3)
    for name, value in model.named_parameters():
        kept = name.startswith(embeddings)
        assert torch.equal(value, before[name]) == kept, name
        if kept:
            continue
        if value.ndim == 1 and name.endswith("weight"):
            assert (value == 1.0).all(), name
        elif name.endswith("bias"):
            assert (value == 0).all(), name
        elif value.numel() > 2000:
            assert value.std().item() == pytest.approx(0.02, rel=0.1), name


def test_the_seed_decides_alone():
    states = []
    for seed in (1, 1, 2):
        model = random_model("bert")
        randomise(model, seed=seed)
        states.append(model.state_dict()["encoder.layer.0.attention.self.query.weight"].clone())
    assert torch.equal(states[0], states[1])
    assert not torch.equal(states[0], states[2])
