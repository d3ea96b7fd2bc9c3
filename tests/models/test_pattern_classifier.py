"""The network that classifies patterns: its input, its training, and its file."""

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


@pytest.fixture
def few_epochs(monkeypatch):
    monkeypatch.setattr(pattern_classifier, "_EPOCHS", 4)


def test_images_are_attention_in_units_of_the_largest_resized_by_area():
    attention = np.zeros((1, 96, 96))
    attention[0, 0, 0] = 0.25
    attention[0, 95, 95] = 1 / 16
    found = images(attention)
    assert found.shape == (1, 1, 48, 48)
    assert found[0, 0, 0, 0] == pytest.approx(1 / 4)  # one of four cells is the largest
    assert found[0, 0, 47, 47] == pytest.approx(1 / 16)
    assert images(np.full((1, 5, 5), 0.2)).unique().tolist() == pytest.approx([1])


@pytest.mark.usefixtures("few_epochs")
def test_the_classifier_is_the_mean_of_networks_of_consecutive_seeds_and_comes_back_from_its_file(tmp_path):
    state = torch.get_rng_state()
    classifier = train(INPUTS, TARGETS, seed=3)
    found = probabilities(classifier, INPUTS)
    assert torch.equal(torch.get_rng_state(), state)
    assert (found.shape, found.dtype) == ((40, 5), np.float64)
    for_each = [
        torch.softmax(train_network(INPUTS, TARGETS, seed)(INPUTS), -1).detach().numpy() for seed in range(3, 6)
    ]
    assert not np.array_equal(for_each[0], for_each[1])
    assert found == pytest.approx(np.mean(for_each, axis=0), abs=1e-5)
    assert found.sum(-1) == pytest.approx(np.ones(40))
    save_model(classifier, tmp_path / "classifier.safetensors")
    assert np.array_equal(probabilities(read_classifier(tmp_path / "classifier.safetensors"), INPUTS), found)


def test_a_fold_is_held_out_with_all_other_maps_of_its_sentences(monkeypatch):
    """Leaving out the first fold also leaves out another map of its sentence."""
    folds, sentences = np.array([1, 2, 2, 3, 1, 3]), np.array(["a", "a", "b", "b", "c", "d"])
    seen = []

    def note(inputs, targets, seed):
        seen.append((inputs[:, 0, 0, 0].tolist(), targets[:, 0].tolist(), seed))
        return pattern_classifier.Networks([new_network().eval()] * 3)

    monkeypatch.setattr(pattern_classifier, "train", note)
    numbers = torch.arange(6.0)
    inputs = numbers[:, None, None, None].expand(6, 1, 48, 48)
    found = held_out_probabilities(inputs, np.tile(numbers.numpy()[:, None], 5), folds, sentences, seed=9)
    expected = [
        [i for i in range(6) if folds[i] != fold and sentences[i] not in sentences[folds == fold]] for fold in (1, 2, 3)
    ]
    assert expected == [[2, 3, 5], [4, 5], [0, 1, 4]]
    assert seen == [(maps, maps, 9) for maps in expected]
    assert found.sum(-1) == pytest.approx(np.ones((3, 6)))
