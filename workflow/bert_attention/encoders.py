"""BERT-like encoders: loading them safely, and running them for their attention and value norms."""

from __future__ import annotations

import inspect
import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

import torch
from safetensors import SafetensorError
from torch import nn
from transformers import AutoConfig, AutoModel, PreTrainedModel
from transformers.utils import logging as transformers_logging

from bert_attention.checks import InputError
from bert_attention.files import replacing_folder
from bert_attention.norms import mixing_ratios, signed_projections, summed_norms
from bert_attention.wordpieces import EncodedSequence

# How a module of the BERT family names the projection of its attention's values, that of the heads' output, and the
# layer norm that follows the residual connection.
_PROJECTION_NAMES = (
    ("self.value", "output.dense", "output.LayerNorm"),  # BERT, RoBERTa, ELECTRA, CamemBERT, XLM-RoBERTa, ...
    ("attention.v_lin", "attention.out_lin", "sa_layer_norm"),  # DistilBERT
    ("value", "dense", "LayerNorm"),  # ALBERT
    ("attn.v", "attn.o", "LayerNorm"),  # MPNet
)


# How every model is loaded: with attention, which other implementations do not return; never from a pickle, never
# running code that it brings, never from the network.
SAFE_LOADING = {
    "attn_implementation": "eager",
    "dtype": torch.float32,
    "use_safetensors": True,
    "local_files_only": True,
    "trust_remote_code": False,
}


@dataclass(frozen=True)
class AttentionProjections:
    """The value projection W^V and the output projection W^O of one attention module, and the layer norm after it."""

    value: nn.Linear
    output: nn.Linear
    layer_norm: nn.LayerNorm
    output_factors: torch.Tensor  # [head, d_head, d_head]; see below


def output_factors(output: nn.Linear, heads: int) -> torch.Tensor:
    """For each head's rows W_h ``[d_head, d]`` of W^O, a square R_h with ``||v W_h|| = ||v R_h||`` for every v.

    ``[head, d_head, d_head]`` float32. From the QR decomposition ``W_h^T = Q R_h^T``, whose Q changes no length.
    """
    blocks = output.weight.detach().double().reshape(output.out_features, heads, -1).transpose(0, 1)
    return torch.linalg.qr(blocks, mode="r").R.transpose(1, 2).float().contiguous()


@dataclass(frozen=True)
class Encoder:
    """A loaded encoder in inference mode, with the projections of its attention modules in order of layers."""

    model: PreTrainedModel
    projections: tuple[AttentionProjections, ...]
    device: torch.device

    @property
    def layers(self) -> int:
        return self.model.config.num_hidden_layers

    @property
    def heads(self) -> int:
        return self.model.config.num_attention_heads

    @property
    def longest_input(self) -> int:
        """The most tokens that the model's position embeddings allow."""
        config = self.model.config
        reserved = config.pad_token_id + 1 if config.model_type in _POSITIONS_AFTER_PADDING else 0
        return config.max_position_embeddings - reserved


# Model types that count positions from the padding id on, so that a few of them are never used.
_POSITIONS_AFTER_PADDING = {"roberta", "xlm-roberta", "camembert", "mpnet"}


@dataclass(frozen=True)
class BatchMaps:
    """What one forward pass over a batch gives: attention, and norms by their names in the attention store."""

    attention: tuple[torch.Tensor, ...]  # per layer [batch, head, query, key]
    norms: dict[str, torch.Tensor]  # [batch, layer, ...]; mixing: [batch, method, layer, token]


@dataclass
class _Passed:
    """What went through the attention module of one layer: its inputs, values, and output without W^O's bias."""

    projections: AttentionProjections
    inputs: torch.Tensor
    values: torch.Tensor
    outputs: torch.Tensor | None = None


def choose_device(device: str) -> torch.device:
    """``auto``: a GPU where there is one; ``cuda``: insist on it; ``cpu``.

    Raises
    ------
    InputError
        If ``cuda`` is asked for and there is none.
    """
    if device == "cuda" and not torch.cuda.is_available():
        raise InputError("config key device = cuda", "this machine has no usable GPU", "set device: auto, or cpu")
    return torch.device("cuda" if device != "cpu" and torch.cuda.is_available() else "cpu")


def load_encoder(folder: Path | str, device: str = "auto") -> Encoder:
    """Load the encoder in a model folder, from safetensors weights, without running any code that it brings.

    Raises
    ------
    InputError
        If the folder holds no usable weights, or a model that is no encoder of the BERT family.
    """
    remedy = "choose an encoder of the BERT family: BERT, RoBERTa, DistilBERT, ELECTRA, ALBERT, ..."
    transformers_logging.disable_progress_bar()
    transformers_logging.set_verbosity_error()  # what matters of its reports is checked below
    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        if getattr(config, "is_encoder_decoder", False) or getattr(config, "is_decoder", False):
            raise InputError(f"model {folder}", f"is a decoder (model type {config.model_type})", remedy)
        model, report = AutoModel.from_pretrained(
            folder,
            output_loading_info=True,
            config=config,
            **SAFE_LOADING,
        )
    except InputError:
        raise
    except (OSError, ValueError, RuntimeError, ImportError, SafetensorError) as error:
        lines = str(error).splitlines() or [type(error).__name__]
        raise InputError(f"model {folder}", f"cannot be loaded ({lines[0]})", remedy) from error
    lacking = sorted(key for key in report["missing_keys"] if "pooler" not in key)  # the pooler follows the last layer
    if lacking:
        raise InputError(
            f"model {folder}",
            f"its weights lack {len(lacking)} parameters, {lacking[0]} among them",
            "get a complete checkpoint",
        )
    chosen = choose_device(device)
    projections = attention_projections(model.eval().to(chosen))
    if not projections:
        raise InputError(f"model {folder}", f"model type {config.model_type} has no known self-attention", remedy)
    return Encoder(model, projections, chosen)


def save_model(model: PreTrainedModel, folder: Path | str, tokenizer_of: Path | str | None = None) -> None:
    """Write a model as safetensors with its configuration, whole or not at all.

    Parameters
    ----------
    tokenizer_of
        A model folder whose tokenizer is copied beside.
    """
    with replacing_folder(folder) as partial:
        model.save_pretrained(partial)
        for file in Path(tokenizer_of).glob("tokenizer*.json") if tokenizer_of else ():
            shutil.copyfile(file, partial / file.name)


def attention_projections(model: PreTrainedModel) -> tuple[AttentionProjections, ...]:
    """The projections of every attention module, in order of layers; modules that layers share stand once.

    Empty where the model's attention is none of the known kinds.
    """
    found = []
    for module in model.modules():
        for names in _PROJECTION_NAMES:
            try:
                value, output, layer_norm = (attrgetter(name)(module) for name in names)
            except AttributeError:
                continue
            factors = output_factors(output, model.config.num_attention_heads)
            found.append(AttentionProjections(value, output, layer_norm, factors))
    return tuple(found)


def value_norms(values: torch.Tensor, factors: torch.Tensor) -> torch.Tensor:
    """``||f_h(x_j)||`` for each head and token (Kobayashi et al. 2020, section 2).

    ``f_h(x) = v_h W_h``, where ``v_h`` is the head's slice of the value vector and ``W_h`` its rows of W^O. Nothing of
    the model's width is built per head.

    Parameters
    ----------
    values
        Output of the value projection, bias included: ``[batch, token, head * d_head]``.
    factors
        :func:`output_factors`, ``[head, d_head, d_head]``.

    Returns
    -------
    Tensor ``[batch, head, token]``.
    """
    sequences, tokens, _ = values.shape
    heads, size, _ = factors.shape
    per_head = values.reshape(sequences * tokens, heads, size).transpose(0, 1)
    norms = torch.linalg.vector_norm(per_head @ factors, dim=-1)
    return norms.view(heads, sequences, tokens).transpose(0, 1)


def check_fits(encoder: Encoder, sequences: Sequence[EncodedSequence], segment_ids: str) -> None:
    """Check that the model can take all sequences, before the first is run.

    Raises
    ------
    InputError
        If one is longer than the model's positions, or ``segment_ids`` asks for two segments where it knows one.
    """
    longest = max(map(len, sequences), default=0)
    if longest > encoder.longest_input:
        raise InputError(
            f"model {encoder.model.config.name_or_path}",
            f"takes {encoder.longest_input} tokens at most, the corpus has sequences of {longest}",
            f"set corpora.wikipedia.max_wordpieces to {encoder.longest_input} or less",
        )
    if segment_ids == "pair" and getattr(encoder.model.config, "type_vocab_size", 1) < 2:
        raise InputError(
            "config key segment_ids = pair",
            f"model {encoder.model.config.name_or_path} does not tell segments apart",
            "set segment_ids: zeros",
        )


@torch.inference_mode()
def run(
    encoder: Encoder,
    token_ids: torch.Tensor,
    segment_ids: torch.Tensor,
    mask: torch.Tensor,
    norms: Collection[str] = (),
) -> BatchMaps:
    """One forward pass over a padded batch, ``[batch, token]`` each; ``mask`` is 1 on real tokens.

    Attention is post-softmax; dropout is off. Rows and columns of padding are the caller's to crop.

    Parameters
    ----------
    norms
        Which of :data:`NORMS` to compute as well.
    """
    inputs = {"input_ids": token_ids, "attention_mask": mask}
    if "token_type_ids" in inspect.signature(encoder.model.forward).parameters:
        inputs["token_type_ids"] = segment_ids
    inputs = {name: tensor.to(encoder.device) for name, tensor in inputs.items()}
    with _recorded(encoder) if norms else nullcontext([]) as passed:
        attention = encoder.model(**inputs, output_attentions=True).attentions
    if len(attention) != encoder.layers or (norms and len(passed) != encoder.layers):
        raise RuntimeError(
            f"{encoder.layers} layers gave {len(attention)} attention maps and {len(passed)} value projections"
        )
    queries = inputs["attention_mask"]
    by_layer = {
        name: [NORMS[name](*of_layer, queries) for of_layer in zip(passed, attention, strict=True)] for name in norms
    }
    stacked = {name: torch.stack(layers, dim=2 if name == "mixing" else 1) for name, layers in by_layer.items()}
    return BatchMaps(attention, stacked)


@contextmanager
def _recorded(encoder: Encoder) -> Iterator[list[_Passed]]:
    """Collects what goes through the attention modules in the order in which layers run (ALBERT's share one module)."""
    passed: list[_Passed] = []

    def take_values(projections: AttentionProjections) -> Callable:
        return lambda _module, inputs, values: passed.append(_Passed(projections, inputs[0], values))

    def take_outputs(projections: AttentionProjections) -> Callable:
        def take(_module: nn.Module, _inputs: tuple, outputs: torch.Tensor) -> None:
            passed[-1].outputs = outputs - projections.output.bias

        return take

    hooks = []
    for projections in encoder.projections:
        hooks.append(projections.value.register_forward_hook(take_values(projections)))
        hooks.append(projections.output.register_forward_hook(take_outputs(projections)))
    try:
        yield passed
    finally:
        for hook in hooks:
            hook.remove()


def _value_norms(passed: _Passed, _attention: torch.Tensor, _queries: torch.Tensor) -> torch.Tensor:
    return value_norms(passed.values, passed.projections.output_factors)


def _input_norms(passed: _Passed, _attention: torch.Tensor, _queries: torch.Tensor) -> torch.Tensor:
    return torch.linalg.vector_norm(passed.inputs, dim=-1)


def _summed_norms(passed: _Passed, attention: torch.Tensor, _queries: torch.Tensor) -> torch.Tensor:
    return summed_norms(attention, passed.values, passed.projections.output.weight)


def _projections(passed: _Passed, attention: torch.Tensor, queries: torch.Tensor) -> torch.Tensor:
    weight = passed.projections.output.weight
    return signed_projections(attention, passed.values, weight, passed.outputs, queries)


def _mixing(passed: _Passed, attention: torch.Tensor, _queries: torch.Tensor) -> torch.Tensor:
    projections = passed.projections
    scale = projections.layer_norm.weight
    return mixing_ratios(attention, passed.values, projections.output.weight, passed.outputs, passed.inputs, scale)


# What of a forward pass is computed beside attention, by its name in the attention store.
NORMS: dict[str, Callable[[_Passed, torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "value_norms": _value_norms,
    "input_norms": _input_norms,
    "mixing": _mixing,
    "projections": _projections,
    "summed_norms": _summed_norms,
}
