"""Queries and keys, whose products are the attention scores, neuron by neuron.

A *neuron* is one of the ``d_head`` entries of a head's query and key vectors (Vig 2019). The score of two tokens is the
dot product of query and key, divided by the root of ``d_head``. MPNet adds a position bias: a number for each head and
distance of tokens. The softmax of a query's scores is its attention.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import torch
from torch import nn
from transformers import PreTrainedModel

from bert_attention.attention.hooks import HookedEncoder
from bert_attention.attention.memory import check_memory
from bert_attention.models.inputs import model_inputs

# Position tables of encoders: a vector for each position (all families with neurons), and a number for each head and
# distance (MPNet).
_POSITION_TABLES = ("position_embeddings", "relative_attention_bias")


@dataclass(frozen=True)
class LayerNeurons:
    """Queries and keys of one layer, ``[batch, head, token, neuron]``, and its attention ``[batch, head, query, key]``.

    ``bias``, ``[head, query, key]``, is added to the scores. It is None for most families.
    """

    queries: torch.Tensor
    keys: torch.Tensor
    attention: torch.Tensor
    bias: torch.Tensor | None = None

    @property
    def scores(self) -> torch.Tensor:
        """Scores ``[batch, head, query, key]``. Attention is their softmax over the keys that are not padding."""
        scores = self.queries @ self.keys.transpose(-1, -2) / self.queries.shape[-1] ** 0.5
        return scores if self.bias is None else scores + self.bias


@torch.inference_mode()
def run_with_neurons(
    encoder: HookedEncoder, token_ids: torch.Tensor, segment_ids: torch.Tensor, mask: torch.Tensor
) -> list[LayerNeurons]:
    """Return queries, keys and attention of every layer for a padded batch, ``[batch, token]`` each.

    ``mask`` is 1 on real tokens. The caller crops padding. Raise InputError if this encoder's scores are not products
    of queries and keys, or the maps do not fit into memory.
    """
    encoder.check_supports("neurons")
    check_memory(encoder, *token_ids.shape)
    inputs = model_inputs(encoder.model, token_ids, segment_ids, mask)
    queries: list[torch.Tensor] = []
    keys: list[torch.Tensor] = []
    biases: list[torch.Tensor] = []

    def appending(vectors: list[torch.Tensor]) -> Callable:
        return lambda _inputs, projected: vectors.append(projected.unflatten(-1, (encoder.heads, -1)).transpose(1, 2))

    def keep_bias(_module: nn.Module, _inputs: tuple, output: torch.Tensor) -> None:
        biases.append(output.permute(2, 0, 1))

    with encoder.in_evaluation(), ExitStack() as hooks:
        for projections in encoder.projections:
            hooks.enter_context(projections.query.on_output(appending(queries)))
            hooks.enter_context(projections.key.on_output(appending(keys)))
        for table in _modules_named(encoder.model, _POSITION_TABLES[1]):
            hooks.enter_context(table.register_forward_hook(keep_bias))
        attention = encoder.model(**inputs, output_attentions=True, return_dict=True).attentions
    encoder.check_layers(attention, len(keys))
    bias = biases[0] if biases else None
    return [LayerNeurons(*layer, bias) for layer in zip(queries, keys, attention, strict=True)]


@contextmanager
def positions_removed(model: PreTrainedModel) -> Iterator[None]:
    """Give the model zeros instead of its vectors of positions and numbers of distances, inside the block."""
    with ExitStack() as hooks:
        for name in _POSITION_TABLES:
            for module in _modules_named(model, name):
                hooks.enter_context(module.register_forward_hook(lambda _module, _inputs, output: output * 0))
        yield


def _modules_named(model: PreTrainedModel, name: str) -> list[nn.Module]:
    return [module for path, module in model.named_modules() if path.rpartition(".")[2] == name]
