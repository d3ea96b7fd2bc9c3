"""A convolutional network that tells five patterns of self-attention apart (Kovaleva et al. 2019, section 4.1).

The paper says of its classifier that it has 8 convolutional layers with ReLU and an F1 of 0.86 on the annotated maps.
Nothing else is published. Here:

Input    the map as its annotators saw it: attention in units of the map's largest. It is resized to 48 x 48 by the mean
         over areas: maps have no padding.
Network  8 times 3 x 3 convolution, batch normalisation and ReLU, with 8, 8, 16, 16, 32, 32, 32 and 32 channels, every
         other one with a stride of 2 from the first on; the mean over what remains of the plane; a linear layer.
Training cross-entropy against the shares of the annotators' passes that chose each pattern, so that a map on which they
         disagree teaches both. Maps are weighted by the root of their pattern's rarity. AdamW with one cycle of the
         learning rate. In each epoch half of the maps are seen turned by 180 degrees: lines at the first token become
         lines at the last, which are of the same pattern, and diagonals and blocks remain. A mirror image would not do:
         it turns columns into rows, or the diagonal into the other one.
Average  of a few hundred maps, a network learns something else from every seed. The classifier is several networks,
         whose probabilities are averaged.

Size, channels, epochs, rate and the number of networks were chosen for speed, and not by scores on labels.
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
    """Maps ``[map, query, key]`` of one size as input of the network: ``[map, 1, 48, 48]`` float32, from 0 to 1."""
    weights = torch.from_numpy(np.asarray(attention, dtype=np.float32))
    scaled = weights / weights.amax((-2, -1), keepdim=True).clamp_min(1e-6)
    return functional.interpolate(scaled[:, None], size=(_SIZE, _SIZE), mode="area")


def images_of(maps: Sequence[np.ndarray]) -> torch.Tensor:
    """:func:`images` of maps ``[query, key]`` of different sizes."""
    return torch.cat([images(attention[None]) for attention in maps])


def new_network() -> nn.Sequential:
    """The network before training: ``[map, 1, 48, 48]`` to a score for each pattern, ``[map, 5]``."""
    layers: list[nn.Module] = []
    for place, (before, after) in enumerate(zip((1, *_CHANNELS[:-1]), _CHANNELS, strict=True)):
        stride = 2 if place % 2 == 0 else 1
        layers += [nn.Conv2d(before, after, 3, stride, padding=1, bias=False), nn.BatchNorm2d(after), nn.ReLU()]
    network = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(_CHANNELS[-1], len(PATTERNS)))
    return network.to(memory_format=torch.channels_last)  # a third faster


class Networks(nn.ModuleList):
    """Networks of several seeds that answer together."""

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """The mean of their probabilities of each pattern, ``[map, pattern]`` float64, for ``[map, 1, 48, 48]``."""
        return torch.stack([network(inputs).double().softmax(-1) for network in self]).mean(0)


def train(inputs: torch.Tensor, targets: np.ndarray, seed: int) -> Networks:
    """Train the networks of the classifier; the same on every run of one machine.

    Parameters
    ----------
    inputs
        :func:`images_of` the maps.
    targets
        ``[map, pattern]``: the share of annotators who chose the pattern. Rows sum to one.
    seed
        The first network's, of its first weights, of the order of maps and of their turns; the others' follow it.
    """
    return Networks(train_network(inputs, targets, number) for number in range(seed, seed + _NETWORKS))


def train_network(inputs: torch.Tensor, targets: np.ndarray, seed: int) -> nn.Sequential:
    """Train one network; arguments as for :func:`train`."""
    with torch_threads(1), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = new_network().train()
        goal = torch.as_tensor(targets, dtype=torch.float32)
        weights = _weights(goal)
        batches = -(-len(inputs) // _BATCH_SIZE)
        optimiser = torch.optim.AdamW(network.parameters(), lr=_LARGEST_RATE, weight_decay=_WEIGHT_DECAY)
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimiser, max_lr=_LARGEST_RATE, total_steps=_EPOCHS * batches, pct_start=0.25
        )
        for _ in range(_EPOCHS):
            for batch in torch.randperm(len(inputs)).tensor_split(batches):
                turned = torch.rand(len(batch), 1, 1, 1) < 0.5
                seen = torch.where(turned, inputs[batch].flip(-2, -1), inputs[batch])
                loss = functional.cross_entropy(network(seen), goal[batch], reduction="none")
                optimiser.zero_grad()
                (loss * weights[batch]).mean().backward()
                optimiser.step()
                schedule.step()
        return network.eval()


def _weights(targets: torch.Tensor) -> torch.Tensor:
    """The weight of each map, ``[map]``, with a mean of about one: the root of how rare its patterns are."""
    shares = targets.mean(0)
    rarity = torch.where(shares > 0, (len(PATTERNS) * shares.clamp_min(1e-9)).rsqrt(), 0)
    weights = targets @ rarity
    return weights / weights.mean()


@torch.inference_mode()
def probabilities(classifier: Networks, inputs: torch.Tensor) -> np.ndarray:
    """The probability of each pattern, ``[map, pattern]`` float64, for ``[map, 1, 48, 48]``."""
    return np.concatenate([classifier(part).numpy() for part in inputs.split(_MAPS_AT_ONCE)])


def read_classifier(path: Path | str) -> Networks:
    """The trained networks of a file of their weights, whose names begin with a network's number, from 0."""
    weights = load_file(path)
    classifier = Networks(new_network() for _ in {name.partition(".")[0] for name in weights})
    classifier.load_state_dict(weights)
    return classifier.eval()


def held_out_probabilities(
    inputs: torch.Tensor, targets: np.ndarray, folds: np.ndarray, sentences: np.ndarray, seed: int
) -> np.ndarray:
    """Probabilities ``[network, map, pattern]`` by networks that know nothing of the map's fold.

    Parameters
    ----------
    folds
        ``[map]``: the fold of each.
    sentences
        ``[map]``: what it is a map of. Networks learn neither from the fold nor from other maps of its sentences.
    """
    found = np.zeros((_NETWORKS, *targets.shape))
    for fold in np.unique(folds):
        held_out = folds == fold
        known = ~held_out & ~np.isin(sentences, sentences[held_out])
        networks = train(inputs[known], targets[known], seed)
        found[:, held_out] = [probabilities(Networks([network]), inputs[held_out]) for network in networks]
    return found
