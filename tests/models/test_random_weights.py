import pytest
import torch

from bert_attention.models.families import FAMILIES
from bert_attention.models.random_weights import randomise
from tests.models.random_models import CONFIGURATIONS, random_model


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_weights_are_drawn_as_before_training(kind):
    model = random_model(kind, hidden_size=64) if kind != "distilbert" else random_model(kind, dim=64)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    randomise(model, seed=3)
    for name, value in model.state_dict().items():
        if name.startswith(tuple(f"{part}." for part in FAMILIES[kind].embeddings)):
            assert torch.equal(value, before[name]), name
        elif value.ndim == 1 and name.endswith("weight"):
            assert (value == 1.0).all(), name
        elif name.endswith("bias"):
            assert (value == 0).all(), name
        elif value.is_floating_point() and value.numel() > 2000:
            assert value.std() == pytest.approx(0.02, rel=0.1), name


def test_the_seed_decides_alone():
    states = []
    for seed in (1, 1, 2):
        model = random_model("bert")
        randomise(model, seed=seed)
        states.append(model.state_dict()["encoder.layer.0.attention.self.query.weight"].clone())
    assert torch.equal(states[0], states[1])
    assert not torch.equal(states[0], states[2])


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_nothing_stays_as_trained_but_the_embeddings(kind):
    model = random_model(kind)
    before = {name: value.clone() for name, value in model.named_parameters()}
    randomise(model, seed=3)
    same = {name for name, value in model.named_parameters() if torch.equal(value, before[name])}
    kept = tuple(f"{part}." for part in FAMILIES[kind].embeddings)
    assert same == {name for name in before if name.startswith(kept)} != set()
