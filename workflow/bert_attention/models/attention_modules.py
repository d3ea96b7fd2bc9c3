"""The modules that compute self-attention in each form of encoder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter

import torch
from torch import nn
from torch.utils.hooks import RemovableHandle
from transformers import PreTrainedModel

from bert_attention.errors import InputError
from bert_attention.models.families import FAMILIES, SUPPORTED

_QUERY, _KEY, _VALUE = range(3)


@dataclass(frozen=True)
class Projection:
    """A projection of tokens to queries, keys or values of all heads.

    Attributes
    ----------
    module
        The linear map whose output holds these vectors, sometimes together with others.
    part
        Selects the vectors from the output: from ``[..., all]`` to ``[..., head * d_head]``.
    added
        A bias that is stored outside the module, ``[head * d_head]``.
    """

    module: nn.Linear
    part: Callable[[torch.Tensor], torch.Tensor]
    added: torch.Tensor | None = None

    def of(self, output: torch.Tensor) -> torch.Tensor:
        """Return the vectors in an output of the module, ``[..., head * d_head]``."""
        found = self.part(output)
        return found if self.added is None else found + self.added

    def on_output(self, take: Callable[[torch.Tensor, torch.Tensor], None]) -> RemovableHandle:
        """Call ``take`` with input and vectors, ``[..., d]`` and ``[..., head * d_head]``, whenever the module runs."""
        return self.module.register_forward_hook(lambda _module, inputs, output: take(inputs[0], self.of(output)))

    @property
    def weight(self) -> torch.Tensor:
        """Weight matrix ``[head * d_head, d]``, in the layout of ``nn.Linear``."""
        return self.part(self.module.weight.T).T

    @property
    def bias(self) -> torch.Tensor:
        """Bias ``[head * d_head]``; zeros if there is none."""
        own = self.module.bias
        return self.of(self.module.weight.new_zeros(self.module.out_features) if own is None else own)


@dataclass(frozen=True)
class AttentionModule:
    """The projections W^Q, W^K, W^V and W^O of one attention module.

    ``layer_norm`` follows the residual connection around the module. It is None if layer norms come before attention.
    """

    query: Projection
    key: Projection
    value: Projection
    output: nn.Linear
    layer_norm: nn.Module | None

    @property
    def output_bias(self) -> torch.Tensor:
        """b^O, ``[d]``; zeros if there is none."""
        bias = self.output.bias
        return self.output.weight.new_zeros(self.output.out_features) if bias is None else bias


@dataclass(frozen=True)
class _Form:
    """Names of the parts of an attention module, relative to the innermost module that holds all of them.

    Attributes
    ----------
    inputs
        The linear maps that compute queries, keys and values, in this order.
    output, layer_norm
        Parts of :class:`AttentionModule`.
    part
        Returns :attr:`Projection.part`, given the number of heads, the number of heads with their own keys and values,
        and the kind of vectors (queries, keys or values).
    added
        The biases of queries, keys and values that are stored outside the linear maps.
    """

    inputs: tuple[str, str, str]
    output: str
    layer_norm: str | None
    part: Callable[[int, int, int], Callable[[torch.Tensor], torch.Tensor]]
    added: tuple[str | None, str | None, str | None] = (None, None, None)


def _own_map(_heads: int, _kept: int, _kind: int) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return ``part`` for modules with separate linear maps for queries, keys and values."""
    return lambda output: output


def _shared_among_heads(heads: int, kept: int, kind: int) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return ``part`` for modules in which groups of heads can share their keys and values."""
    if kind == _QUERY or kept == heads:
        return lambda output: output
    return lambda output: output.unflatten(-1, (kept, -1)).repeat_interleave(heads // kept, dim=-2).flatten(-2)


def _third(_heads: int, _kept: int, kind: int) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return ``part`` for modules in which one linear map computes all queries, then all keys, then all values."""
    return lambda output: output.unflatten(-1, (3, -1))[..., kind, :]


def _third_of_each_head(heads: int, _kept: int, kind: int) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return ``part`` for modules in which one linear map computes queries, keys and values, head by head."""
    return lambda output: output.unflatten(-1, (heads, 3, -1))[..., kind, :].flatten(-2)


_OF_BERT = ("self.query", "self.key", "self.value")
_OF_A_LAYER = ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj")

# Keys are the values of Family.form.
FORMS = {
    "bert": _Form(_OF_BERT, "output.dense", "output.LayerNorm", _own_map),
    "bert before norm": _Form(_OF_BERT, "output.dense", None, _own_map),
    "distilbert": _Form(
        ("attention.q_lin", "attention.k_lin", "attention.v_lin"), "attention.out_lin", "sa_layer_norm", _own_map
    ),
    "albert": _Form(("query", "key", "value"), "dense", "LayerNorm", _own_map),
    "mpnet": _Form(("attn.q", "attn.k", "attn.v"), "attn.o", "LayerNorm", _own_map),
    "deberta": _Form(
        ("self.in_proj",) * 3,
        "output.dense",
        "output.LayerNorm",
        _third_of_each_head,
        ("self.q_bias", None, "self.v_bias"),
    ),
    "deberta-v2": _Form(
        ("self.query_proj", "self.key_proj", "self.value_proj"), "output.dense", "output.LayerNorm", _own_map
    ),
    "projections of a layer": _Form(_OF_A_LAYER, "self_attn.o_proj", "post_attention_layernorm", _own_map),
    "projections before norm": _Form(_OF_A_LAYER, "self_attn.o_proj", None, _shared_among_heads),
    "modernbert": _Form(("attn.Wqkv",) * 3, "attn.Wo", None, _third),
}


def attention_modules(model: PreTrainedModel) -> tuple[AttentionModule, ...]:
    """Return the attention modules of a model in the order of its layers; a module that layers share appears once.

    Raises
    ------
    InputError
        If the model is not of a known family.
    """
    family = FAMILIES.get(model.config.model_type)
    found = [] if family is None else list(_modules(model, FORMS[family.form]))
    if not found:
        problem = f"the self-attention of model type {model.config.model_type} is not supported"
        raise InputError(f"model {model.config.name_or_path}", problem, SUPPORTED)
    return tuple(found)


def _modules(model: PreTrainedModel, form: _Form):
    heads = model.config.num_attention_heads
    kept = getattr(model.config, "num_key_value_heads", None) or heads
    for module in model.modules():
        try:
            projections = [
                Projection(attrgetter(name)(module), form.part(heads, kept, kind), added and attrgetter(added)(module))
                for kind, (name, added) in enumerate(zip(form.inputs, form.added, strict=True))
            ]
            norm = form.layer_norm and attrgetter(form.layer_norm)(module)
            yield AttentionModule(*projections, attrgetter(form.output)(module), norm)
        except AttributeError:
            continue
