import numpy as np
import pytest
import torch
from safetensors.torch import save_model

from bert_attention.models import pattern_classifier
from bert_attention.models.pattern_classifier import (
    held_out_probabilities,
    images,
    images_of,
    new_network,
    probabilities,
    read_classifier,
    train,
    train_network,
)
from tests.kovaleva.drawn_patterns import drawn_maps

MAPS, _ = drawn_maps(40, seed=1)
INPUTS, TARGETS = images_of([item.attention for item in MAPS]), np.eye(5)[np.arange(40) % 5]


def test_images_are_attention_in_units_of_the_largest_resized_by_area():
    attention = np.zeros((1, 96, 96))
    attention[0, 0, 0] = 0.25
    attention[0, 95, 95] = 1 / 16
    found = images(attention)
    assert found.shape == (1, 1, 48, 48)
    assert found[0, 0, 0, 0] == pytest.approx(1 / 4)  # one of four cells is the largest
    assert found[0, 0, 47, 47] == pytest.approx(1 / 16)


def test_the_classifier_is_the_mean_of_networks_of_consecutive_seeds_and_is_read_back(monkeypatch, tmp_path):
    monkeypatch.setattr(pattern_classifier, "_EPOCHS", 4)
    state = torch.get_rng_state()
    classifier = train(INPUTS, TARGETS, seed=3)
    found = probabilities(classifier, INPUTS)
    assert torch.equal(torch.get_rng_state(), state)
    networks = [train_network(INPUTS, TARGETS, seed) for seed in range(3, 6)]
    one, other, third = (torch.softmax(network(INPUTS), -1).detach().numpy() for network in networks)
    assert not np.array_equal(one, other)
    assert found == pytest.approx((one + other + third) / 3, abs=1e-5)
    save_model(classifier, tmp_path / "classifier.safetensors")
    assert np.array_equal(probabilities(read_classifier(tmp_path / "classifier.safetensors"), INPUTS), found)


def test_a_fold_is_held_out_with_all_other_maps_of_its_sentences(monkeypatch):
    """Without fold 1, map 1 is left out as well, because it has the sentence of map 0."""
    folds, sentences = np.array([1, 2, 2, 3, 1, 3]), np.array(["a", "a", "b", "b", "c", "d"])
    trained = []

    def fake_train(inputs, targets, seed):
        trained.append((inputs[:, 0, 0, 0].tolist(), targets[:, 0].tolist(), seed))
        return pattern_classifier.Networks([new_network().eval()] * 3)

    monkeypatch.setattr(pattern_classifier, "train", fake_train)
    inputs = torch.arange(6.0)[:, None, None, None].expand(6, 1, 48, 48)
    found = held_out_probabilities(inputs, np.tile(np.arange(6.0)[:, None], 5), folds, sentences, seed=9)
    assert trained == [(maps, maps, 9) for maps in ([2, 3, 5], [4, 5], [0, 1, 4])]
    assert found.sum(-1) == pytest.approx(np.ones((3, 6)))
