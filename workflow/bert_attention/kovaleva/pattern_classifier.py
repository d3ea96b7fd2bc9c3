"""A convolutional network that tells five patterns of self-attention apart (Kovaleva et al. 2019, section 4.1).

The paper says of its classifier that it has 8 convolutional layers with ReLU and an F1 of 0.86 on the annotated maps.
Nothing else is published. Here:

Input    the map as its annotators saw it: the root of attention, in units of the map's largest, so that faint structure
         beside one strong cell remains visible. It is resized to 48 x 48 by the mean over areas: maps have no padding.
Network  8 times 3 x 3 convolution, batch normalisation and ReLU, with 8, 8, 16, 16, 32, 32, 32 and 32 channels, every
         other one with a stride of 2 from the first on; the mean over what remains of the plane; a linear layer.
Training cross-entropy against the shares of the annotators' passes that chose each pattern, so that a map on which they
         disagree teaches both. Maps are weighted by the root of their pattern's rarity. AdamW with one cycle of the
         learning rate. In each epoch half of the maps are seen turned by 180 degrees: lines at the first token become
         lines at the last, which are of the same pattern, and diagonals and blocks remain. A mirror image would not do:
         it turns columns into rows, or the diagonal into the other one.

Size, channels, epochs and rate were chosen for speed, before there were labels, and not by scores on them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
_EPOCHS = 24
_BATCH_SIZE = 32
_LARGEST_RATE = 0.01
_WEIGHT_DECAY = 0.01
_MAPS_AT_ONCE = 256


def images(attention: np.ndarray) -> torch.Tensor:
    """Maps ``[map, query, key]`` of one size as input of the network: ``[map, 1, 48, 48]`` float32, from 0 to 1."""
    roots = torch.from_numpy(np.sqrt(np.asarray(attention, dtype=np.float32)))
    scaled = roots / roots.amax((-2, -1), keepdim=True).clamp_min(1e-6)
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
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(_CHANNELS[-1], len(PATTERNS)))


def train(inputs: torch.Tensor, targets: np.ndarray, seed: int, device: torch.device | str = "cpu") -> nn.Sequential:
    """Train a network; the same on every run of one machine.

    Parameters
    ----------
    inputs
        :func:`images_of` the maps.
    targets
        ``[map, pattern]``: the share of annotators who chose the pattern. Rows sum to one.
    seed
        Seed of the first weights, of the order of maps and of their turns.
    """
    with torch_threads(1), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = new_network().to(device).train()
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
                seen = torch.where(turned, inputs[batch].flip(-2, -1), inputs[batch]).to(device)
                loss = functional.cross_entropy(network(seen), goal[batch].to(device), reduction="none")
                optimiser.zero_grad()
                (loss * weights[batch].to(device)).mean().backward()
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
def probabilities(network: nn.Sequential, inputs: torch.Tensor) -> np.ndarray:
    """The probability of each pattern, ``[map, pattern]`` float64, for ``[map, 1, 48, 48]``."""
    device = next(network.parameters()).device
    parts = [network(part.to(device)).double().softmax(-1).cpu().numpy() for part in inputs.split(_MAPS_AT_ONCE)]
    return np.concatenate(parts)


def with_weights(weights: Mapping[str, torch.Tensor]) -> nn.Sequential:
    """A trained network from its weights."""
    network = new_network()
    network.load_state_dict(dict(weights))
    return network.eval()


def read_classifier(path: Path | str) -> nn.Sequential:
    """The trained network of a file of weights."""
    return with_weights(load_file(path))


def held_out_probabilities(
    inputs: torch.Tensor, targets: np.ndarray, folds: np.ndarray, seed: int, device: torch.device | str = "cpu"
) -> Iterator[tuple[int, np.ndarray]]:
    """For each fold, the probabilities ``[map of the fold, pattern]`` by a network trained on the other folds."""
    for fold in np.unique(folds):
        network = train(inputs[folds != fold], targets[folds != fold], seed, device)
        yield int(fold), probabilities(network, inputs[folds == fold])
