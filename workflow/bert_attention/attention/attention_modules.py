"""Where the parts of self-attention stand in each kind of encoder."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter

from torch import nn
from transformers import PreTrainedModel

# Names, in each kind of model, of the projections to queries, keys and values, of the output projection, and of the
# layer norm that follows the residual connection.
_NAMES = (
    # BERT, RoBERTa, ELECTRA, CamemBERT, XLM-RoBERTa, ...
    ("self.query", "self.key", "self.value", "output.dense", "output.LayerNorm"),
    # DistilBERT
    ("attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin", "sa_layer_norm"),
    # ALBERT
    ("query", "key", "value", "dense", "LayerNorm"),
    # MPNet
    ("attn.q", "attn.k", "attn.v", "attn.o", "LayerNorm"),
)


@dataclass(frozen=True)
class AttentionModule:
    """The projections W^Q, W^K, W^V and W^O of one attention module, and the layer norm after it."""

    query: nn.Linear
    key: nn.Linear
    value: nn.Linear
    output: nn.Linear
    layer_norm: nn.LayerNorm


def attention_modules(model: PreTrainedModel) -> tuple[AttentionModule, ...]:
    """Every attention module of a model, in order of layers; a module that layers share appears once.

    Empty if the model's attention is not of a known kind.
    """
    found = []
    for module in model.modules():
        for names in _NAMES:
            try:
                found.append(AttentionModule(*(attrgetter(name)(module) for name in names)))
            except AttributeError:
                continue
    return tuple(found)
