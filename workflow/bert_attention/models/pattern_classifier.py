"""A convolutional classifier of five patterns of self-attention maps (Kovaleva et al. 2019, section 4.1).

The paper says only that its classifier has 8 convolutional layers with ReLU and an F1 of 0.86 on the annotated maps.
This classifier is built as follows:

Input    the map as the annotators saw it: attention divided by the largest value of the map. Maps have no padding and
         are resized to 48 x 48 by averaging areas.
Network  8 times 3 x 3 convolution, batch normalization and ReLU, with 8, 8, 16, 16, 32, 32, 32 and 32 channels. Every
         other convolution, from the first on, has a stride of 2. Then the mean over the plane, and a linear layer.
Training cross-entropy against the share of the annotators' passes that chose each pattern, so that a map on which they
         disagree teaches both patterns. Maps are weighted by the root of their pattern's rarity. AdamW with one cycle
         of the learning rate. In each epoch, a random half of the maps is rotated by 180 degrees. Lines at the first
         token become lines at the last token, which are the same pattern; diagonals and blocks remain. Maps are not
         mirrored: mirroring turns columns into rows, or the diagonal into the antidiagonal.
Average  the classifier averages the probabilities of several networks, because a network trained on a few hundred maps
         depends on its seed.

Size, channels, epochs, rate and the number of networks were chosen for speed, not by scores on labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional

from bert_attention.corpora.types import PATTERNS
from bert_attention.models.devices import torch_threads

_SIZE = 48
_CHANNELS = (8, 8, 16, 16, 32, 32, 32, 32)
_EPOCHS = 12
_BATCH_SIZE = 32
_LARGEST_RATE = 0.01
_WEIGHT_DECAY = 0.01
_NETWORKS = 3
_MAPS_AT_ONCE = 128


def images(attention: np.ndarray) -> torch.Tensor:
    """Return maps ``[map, query, key]`` of one size as network input: ``[map, 1, 48, 48]`` float32, from 0 to 1."""
    weights = torch.from_numpy(np.asarray(attention, dtype=np.float32))
    scaled = weights / weights.amax((-2, -1), keepdim=True).clamp_min(1e-6)
    return functional.interpolate(scaled[:, None], size=(_SIZE, _SIZE), mode="area")


def images_of(maps: Sequence[np.ndarray]) -> torch.Tensor:
    """Return :func:`images` of maps ``[query, key]`` of different sizes."""
    return torch.cat([images(attention[None]) for attention in maps])


def new_network() -> nn.Sequential:
    """Return an untrained network, from ``[map, 1, 48, 48]`` to a score for each pattern, ``[map, 5]``."""
    layers: list[nn.Module] = []
    for layer, (before, after) in enumerate(zip((1, *_CHANNELS[:-1]), _CHANNELS, strict=True)):
        stride = 2 if layer % 2 == 0 else 1
        layers += [nn.Conv2d(before, after, 3, stride, padding=1, bias=False), nn.BatchNorm2d(after), nn.ReLU()]
    network = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(_CHANNELS[-1], len(PATTERNS)))
    return network.to(memory_format=torch.channels_last)  # this memory format is a third faster


class Networks(nn.ModuleList):
    """An ensemble of networks with different seeds."""

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return the mean probability of each pattern, ``[map, pattern]`` float64, for ``[map, 1, 48, 48]``."""
        return torch.stack([network(inputs).double().softmax(-1) for network in self]).mean(0)


def train(inputs: torch.Tensor, targets: np.ndarray, seed: int) -> Networks:
    """Train the networks of the classifier. On one machine, the result is the same in every run.

    ``inputs`` come from :func:`images_of`. ``targets``, ``[map, pattern]``, are the shares of annotators who chose the
    pattern. Rows sum to one. ``seed`` is for the first network's initial weights, order of maps and rotations. Further
    networks count up from it.
    """
    return Networks(train_network(inputs, targets, number) for number in range(seed, seed + _NETWORKS))


def train_network(inputs: torch.Tensor, targets: np.ndarray, seed: int) -> nn.Sequential:
    """Train one network, with the arguments of :func:`train`."""
    with torch_threads(1), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = new_network().train()
        goal = torch.as_tensor(targets, dtype=torch.float32)
        weights = _weights(goal)
        batches = -(-len(inputs) // _BATCH_SIZE)
        optimizer = torch.optim.AdamW(network.parameters(), lr=_LARGEST_RATE, weight_decay=_WEIGHT_DECAY)
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, max_lr=_LARGEST_RATE, total_steps=_EPOCHS * batches, pct_start=0.25
        )
        for _ in range(_EPOCHS):
            for batch in torch.randperm(len(inputs)).tensor_split(batches):
                is_rotated = torch.rand(len(batch), 1, 1, 1) < 0.5
                maps = torch.where(is_rotated, inputs[batch].flip(-2, -1), inputs[batch])
                loss = functional.cross_entropy(network(maps), goal[batch], reduction="none")
                optimizer.zero_grad()
                (loss * weights[batch]).mean().backward()
                optimizer.step()
                schedule.step()
        return network.eval()


def _weights(targets: torch.Tensor) -> torch.Tensor:
    """Return the weight of each map, ``[map]``, with a mean of one: the root of the rarity of its patterns."""
    shares = targets.mean(0)
    rarity = torch.where(shares > 0, (len(PATTERNS) * shares.clamp_min(1e-9)).rsqrt(), 0)
    weights = targets @ rarity
    return weights / weights.mean()


@torch.inference_mode()
def probabilities(classifier: Networks, inputs: torch.Tensor) -> np.ndarray:
    """Return the probability of each pattern, ``[map, pattern]`` float64, for ``[map, 1, 48, 48]``."""
    return np.concatenate([classifier(part).numpy() for part in inputs.split(_MAPS_AT_ONCE)])


def read_classifier(path: Path | str) -> Networks:
    """Read the trained networks from a file of weights, whose names begin with the network's index, from 0."""
    weights = load_file(path)
    classifier = Networks(new_network() for _ in {name.partition(".")[0] for name in weights})
    classifier.load_state_dict(weights)
    return classifier.eval()


def held_out_probabilities(
    inputs: torch.Tensor, targets: np.ndarray, folds: np.ndarray, sentences: np.ndarray, seed: int
) -> np.ndarray:
    """Return probabilities ``[network, map, pattern]`` by networks trained without the map's fold.

    ``folds`` and ``sentences``, ``[map]``, have the fold and the sentence of each map. Networks are also trained
    without other maps of the fold's sentences.
    """
    predicted = np.zeros((_NETWORKS, *targets.shape))
    for fold in np.unique(folds):
        held_out = folds == fold
        training = ~held_out & ~np.isin(sentences, sentences[held_out])
        networks = train(inputs[training], targets[training], seed)
        predicted[:, held_out] = [probabilities(Networks([network]), inputs[held_out]) for network in networks]
    return predicted
