"""Predictions of a classification model without some of its heads (Kovaleva et al. 2019, section 4.6).

In a disabled head, every token attends to all tokens equally: attention becomes 1/L, where L is the number of real
tokens. The head's context (its input to the output projection) is then the mean of its values over the real tokens.
This needs no attention maps, so the model uses its fastest implementation of attention.

An *ablation* is the model with a given set of heads disabled. Below its lowest disabled head, an ablation equals the
whole model, so all ablations share one forward pass. The batch starts with the examples alone. At each layer, the
ablations with their lowest disabled head in this layer branch off from the whole model's states. Encoders need one
forward pass per ablation if their layers take more than states and a mask, or their classification head reads all
tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import cycle

import numpy as np
import torch
from torch import nn
from transformers import PreTrainedModel

from bert_attention.models.attention_modules import AttentionModule, attention_modules
from bert_attention.models.batches import batches_by_length
from bert_attention.models.families import FAMILIES
from bert_attention.models.inputs import model_inputs, padded_batch
from bert_attention.tokenization.sequences import EncodedSequence

# Memory limits in rows. Each ablation of each example is one row.
_MAX_ROWS_PER_CALL = 64  # in one call of a layer
_MAX_ROWS = 1024  # in the last layer; a single example with more ablations exceeds this limit


def logits_of_ablations(
    model: PreTrainedModel,
    sequences: Sequence[EncodedSequence],
    disabled: np.ndarray,
    pad_id: int,
    progress: Callable[[Iterable], Iterable] = iter,
) -> torch.Tensor:
    """Return logits ``[ablation, example, class]`` of every ablation for every example, on the CPU.

    The model is a sequence classification model in inference mode. ``disabled`` is the mask ``[ablation, layer, head]``
    of the heads that each ablation lacks. Raise InputError if the model's family is unknown.
    """
    ablations = torch.from_numpy(disabled)
    batch_size = max(1, _MAX_ROWS // (len(disabled) + 1)) if _share_a_pass(model) else _MAX_ROWS_PER_CALL
    logits = torch.empty(len(disabled), len(sequences), model.num_labels)
    lengths = [len(sequence) for sequence in sequences]
    for indices in progress(batches_by_length(lengths, batch_size)):
        batch = padded_batch([sequences[index] for index in indices], pad_id)
        logits[:, indices] = logits_without_heads(model, *batch, ablations).cpu()
    return logits


@torch.inference_mode()
def logits_without_heads(
    model: PreTrainedModel,
    token_ids: torch.Tensor,
    segment_ids: torch.Tensor,
    mask: torch.Tensor,
    disabled: torch.Tensor,
) -> torch.Tensor:
    """Return logits ``[ablation, example, class]`` of every ablation for a padded batch, ``[example, token]`` each.

    ``disabled`` is the mask ``[ablation, layer, head]`` of the heads that each ablation lacks, on the CPU. Raise
    InputError if the model's family is unknown.
    """
    inputs = model_inputs(model, token_ids, segment_ids, mask)
    if not _share_a_pass(model):
        return _logits_one_by_one(model, inputs, disabled)
    branching = _BranchingPass(inputs["attention_mask"], disabled)
    with branching.attached_to(model):
        logits = model(**inputs).logits
    if branching.layer != disabled.shape[1]:
        raise RuntimeError(f"{branching.layer} layers ran, {disabled.shape[1]} were expected")
    return logits.unflatten(0, (-1, len(mask)))[branching.rows.to(logits.device)]


def _share_a_pass(model: PreTrainedModel) -> bool:
    family = FAMILIES.get(model.config.model_type)
    return family is None or family.ablations_share_a_pass


def _logits_one_by_one(model: PreTrainedModel, inputs: dict[str, torch.Tensor], disabled: torch.Tensor) -> torch.Tensor:
    """Return the logits of :func:`logits_without_heads` from one forward pass for each ablation."""
    logits = []
    for ablation in disabled:
        with heads_disabled(model, inputs["attention_mask"], ablation):
            logits.append(model(**inputs).logits)
    return torch.stack(logits)


@contextmanager
def heads_disabled(model: PreTrainedModel, mask: torch.Tensor, disabled: torch.Tensor) -> Iterator[None]:
    """Disable heads of any model, with or without a classification head, in complete forward passes over one batch.

    ``mask``, on the model's device, marks the batch's real tokens, ``[example, token]``. ``disabled``, on the CPU,
    marks the heads, ``[layer, head]``. Raise InputError if the model's family is unknown.
    """
    by_layer = cycle(disabled[:, None])
    with _contexts_replaced(
        attention_modules(model), lambda context, values: uniform_contexts(context, values, mask, next(by_layer))
    ):
        yield


def uniform_contexts(
    context: torch.Tensor, values: torch.Tensor, mask: torch.Tensor, disabled: torch.Tensor
) -> torch.Tensor:
    """Replace the contexts of one layer's disabled heads by the means of the heads' values over real tokens.

    Contexts and values are ``[ablation * example, token, head * d_head]``, or ``[example, token, head * d_head]`` if
    all ablations share them. ``mask`` marks the real tokens, ``[example, token]``. ``disabled``, on the CPU, marks the
    heads, ``[ablation, head]``. The result has the shape of ``context``, or
    ``[ablation, example, token, head * d_head]`` if several ablations share ``context``.
    """
    if not disabled.any():
        return context
    shape = (-1, *mask.shape, disabled.shape[1], context.shape[-1] // disabled.shape[1])
    share = mask / mask.sum(-1, keepdim=True)
    means = torch.einsum("et,setHd->seHd", share.to(values.dtype), values.reshape(shape))[:, :, None]
    is_disabled = disabled.to(context.device)[:, None, None, :, None]
    replaced = torch.where(is_disabled, means, context.reshape(shape)).flatten(3)
    return replaced.reshape(context.shape) if replaced.numel() == context.numel() else replaced


class _BranchingPass:
    """A forward pass of all ablations. Rows of the batch are the ablations that branched off, then the whole model.

    ``rows`` is the final row of each ablation, ``[ablation]``. An ablation that lacks no head has the row of the whole
    model. ``layer`` is the number of layers that have run.
    """

    def __init__(self, mask: torch.Tensor, disabled: torch.Tensor):
        lacks = disabled.any(-1)
        lowest = torch.where(lacks.any(-1), lacks.int().argmax(-1), disabled.shape[1])
        order = lowest.argsort(stable=True)[: int(lacks.any(-1).sum())]
        self.rows = torch.full(lowest.shape, -1).scatter(0, order, torch.arange(len(order)))
        self.layer = 0
        self._mask = mask
        self._disabled, self._lowest = disabled[order], lowest[order]
        self._none_disabled = disabled.new_zeros(1, disabled.shape[-1])
        self._current = self._none_disabled  # disabled heads in the current call of a layer, [ablation, head]

    @contextmanager
    def attached_to(self, model: PreTrainedModel) -> Iterator[None]:
        """Make the model's forward pass run all ablations, inside the block."""
        modules = attention_modules(model)
        layers = _layer_modules(model, modules)
        for layer in layers:
            layer.forward = partial(self._run_layer, layer.forward)
        try:
            with _contexts_replaced(modules, self._replace):
                yield
        finally:
            for layer in layers:
                del layer.forward  # restores the forward of the layer's class

    def _replace(self, context: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        return uniform_contexts(context, values, self._mask, self._current)

    def _run_layer(self, forward: Callable, states: torch.Tensor, *arguments: object, **options: object) -> object:
        """Return a layer's outputs for ablations that branched off below or branch off here, and the whole model."""
        examples = len(self._mask)
        started, ends = (int((self._lowest < layer).sum()) for layer in (self.layer, self.layer + 1))
        here = self._disabled[:, self.layer]
        others, own = states[:-examples], states[-examples:]
        calls = list(zip(self._chunks(others, examples), self._chunks(here[:started]), strict=True))
        # Ablations that branch off here share queries, keys and values with the whole model.
        calls += [(own, chunk) for chunk in self._chunks(torch.cat([here[started:ends], self._none_disabled]))]
        outputs = [self._call(forward, arguments, options, *call) for call in calls]
        self.layer += 1
        is_tuple = isinstance(outputs[0], tuple)
        parts = [output[0] if is_tuple else output for output in outputs]
        joined = torch.cat([part.reshape(-1, *part.shape[-2:]) for part in parts])
        return (joined,) if is_tuple else joined

    def _call(
        self, forward: Callable, arguments: tuple, options: dict, states: torch.Tensor, disabled: torch.Tensor
    ) -> object:
        """Run a layer for some ablations, given their own states or the states that they share."""
        self._current = disabled
        times = len(states) // len(self._mask)
        repeated = {name: self._repeated(option, times) for name, option in options.items()}
        return forward(states, *(self._repeated(argument, times) for argument in arguments), **repeated)

    def _repeated(self, argument: object, times: int) -> object:
        """Repeat a layer's argument for several ablations if it has a row per example, such as a mask."""
        if isinstance(argument, torch.Tensor) and len(argument) == len(self._mask):
            return argument.repeat(times, *[1] * (argument.ndim - 1))
        return argument

    def _chunks(self, rows: torch.Tensor, rows_per_ablation: int = 1) -> Sequence[torch.Tensor]:
        """Split rows of ablations into parts, one for each call of a layer."""
        ablations = max(1, _MAX_ROWS_PER_CALL // len(self._mask))
        return rows.split(ablations * rows_per_ablation) if len(rows) else ()


@contextmanager
def _contexts_replaced(
    modules: Sequence[AttentionModule], replace: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
) -> Iterator[None]:
    """Replace the input of each output projection by ``replace(context, values)``, inside the block."""
    values: list[torch.Tensor] = []

    def keep(_inputs: torch.Tensor, projected: torch.Tensor) -> None:
        values.append(projected)

    def put(_module: nn.Module, inputs: tuple) -> tuple:
        return (replace(inputs[0], values.pop()),)

    hooks = [module.value.on_output(keep) for module in modules]
    hooks += [module.output.register_forward_pre_hook(put) for module in modules]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def _layer_modules(model: PreTrainedModel, modules: Sequence[AttentionModule]) -> list[nn.Module]:
    """Return the layers of the attention modules: for each, the entry of the innermost list of modules around it."""
    around = {}
    for modules_in_list in (module for module in model.modules() if isinstance(module, nn.ModuleList)):
        for layer in modules_in_list:
            inside = set(layer.modules())
            around |= {module: layer for module in modules if module.output in inside}
    return list(around.values())
