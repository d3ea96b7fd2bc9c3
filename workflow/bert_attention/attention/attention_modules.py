"""Where the parts of self-attention stand in each kind of encoder."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter

from torch import nn
from transformers import PreTrainedModel

# Names, in each kind of model, of the value projection, the output projection, and the layer norm that follows the
# residual connection.
_NAMES = (
    ("self.value", "output.dense", "output.LayerNorm"),  # BERT, RoBERTa, ELECTRA, CamemBERT, XLM-RoBERTa, ...
    ("attention.v_lin", "attention.out_lin", "sa_layer_norm"),  # DistilBERT
    ("value", "dense", "LayerNorm"),  # ALBERT
    ("attn.v", "attn.o", "LayerNorm"),  # MPNet
)


@dataclass(frozen=True)
class AttentionModule:
    """The value projection W^V and the output projection W^O of one attention module, and the layer norm after it."""

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
