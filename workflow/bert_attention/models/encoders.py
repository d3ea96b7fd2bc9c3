"""BERT-like encoders: loading, saving, and checks of their input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from transformers import AutoModel, PreTrainedModel

from bert_attention.errors import InputError
from bert_attention.files import replacing_folder
from bert_attention.models.devices import choose_device
from bert_attention.models.families import FAMILIES, Family, family_of_folder
from bert_attention.models.loading import load_weights
from bert_attention.tokenization.sequences import EncodedSequence


@dataclass(frozen=True)
class Encoder:
    """A loaded encoder in inference mode."""

    model: PreTrainedModel
    device: torch.device

    @property
    def layers(self) -> int:
        """Number of layers. One that ALBERT's ``config.json`` counts can have several layers inside."""
        return self.model.config.num_hidden_layers * getattr(self.model.config, "inner_group_num", 1)

    @property
    def heads(self) -> int:
        return self.model.config.num_attention_heads

    @property
    def max_length(self) -> int:
        """The maximum number of tokens that the model's position embeddings allow."""
        # Read the padding index from the code: in some families, config.json has another padding id.
        reserved = self.model.base_model.embeddings.padding_idx + 1 if self.family.positions_after_padding else 0
        return self.model.config.max_position_embeddings - reserved

    @property
    def where(self) -> str:
        """The model as messages name it."""
        return f"model {self.model.config.name_or_path or type(self.model).__name__}"

    @property
    def family(self) -> Family:
        """The family of the encoder."""
        return FAMILIES[self.model.config.model_type]

    def check_supports(self, analysis: str) -> None:
        """Raise InputError, which says why, if this encoder's family lacks an analysis."""
        if analysis in self.family.left_out:
            raise InputError(
                self.where,
                f"{self.family.name} has no {analysis}: {self.family.left_out[analysis]}",
                "leave this analysis out, or choose an encoder of another family (docs/editions.md lists them)",
            )


def load_encoder(folder: Path | str, device: str = "auto") -> Encoder:
    """Load the encoder in a model folder from safetensors weights, without running any code from the folder.

    Raise InputError if the folder holds no usable weights (see ``load_weights``), or a model of an unknown family.
    """
    family_of_folder(folder)
    remedy = "get all files of the model again, its config.json and its weights from the same revision"
    model, _ = load_weights(AutoModel, folder, remedy)  # only the unused pooler can be missing
    chosen = choose_device(device)
    return Encoder(model.eval().to(chosen), chosen)


def save_model(model: PreTrainedModel, folder: Path | str) -> None:
    """Write a model as safetensors with its configuration, completely or not at all."""
    with replacing_folder(folder) as partial:
        model.save_pretrained(partial)


def check_fits(encoder: Encoder, sequences: Sequence[EncodedSequence], segment_ids: str) -> None:
    """Check that the model can take all sequences, before the first sequence is run.

    Raise InputError if a sequence exceeds the model's maximum length or has ids that its embeddings lack, or if
    ``segment_ids`` is ``pair`` and the model has only one segment type.
    """
    longest = max(map(len, sequences), default=0)
    if longest > encoder.max_length:
        raise InputError(
            encoder.where,
            f"takes at most {encoder.max_length} tokens, but the corpus has sequences of {longest}",
            f"set max_wordpieces of this corpus in the edition to {encoder.max_length} or less",
        )
    largest = max((int(sequence.token_ids.max(initial=0)) for sequence in sequences), default=0)
    size = encoder.model.config.vocab_size
    if largest >= size:
        raise InputError(
            encoder.where,
            f"its tokenizer gives the id {largest}, but its config.json says vocab_size: {size}",
            "get the tokenizer and the weights of the same model",
        )
    if segment_ids == "pair" and getattr(encoder.model.config, "type_vocab_size", 1) < 2:
        raise InputError(
            encoder.where,
            "has one segment type, but pairs of segments need two",
            "set segment_types: 1 for this model in the edition",
        )
