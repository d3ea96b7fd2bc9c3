"""What a classification model predicts without some of its heads (Kovaleva et al. 2019, section 4.6).

To disable a head is to let each of its tokens attend to all tokens alike: its attention becomes 1/L, L being the number
of real tokens. Its context, what it hands to the output projection, is then the mean of its values over the real
tokens. So no attention maps are needed, and the model runs with whatever implementation of attention is fastest.

An *ablation* is the model with a given set of heads disabled. It differs from the whole model only from its lowest such
head on. So all ablations take one forward pass together: the batch starts as the examples alone, and at each layer
those whose lowest disabled heads are there branch off from the whole model's states. Encoders whose layers take more
than states and a mask, or whose classification head looks at all tokens, take one forward pass for each ablation.
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
from bert_attention.models.batches import batches_of_like_length
from bert_attention.models.families import FAMILIES
from bert_attention.models.inputs import model_inputs, padded_batch
from bert_attention.tokenization.sequences import EncodedSequence

# Sequences, one for each ablation and example: how many one call of a layer takes, and how many there are at most in
# the last layer, if there are not more ablations than that. They bound the memory.
_AT_ONCE = 64
_IN_ALL = 1024


def logits_of_ablations(
    model: PreTrainedModel,
    sequences: Sequence[EncodedSequence],
    disabled: np.ndarray,
    pad_id: int,
    progress: Callable[[Iterable], Iterable] = iter,
) -> torch.Tensor:
    """Logits ``[ablation, example, class]`` of every ablation for every example, on the CPU.

    Parameters
    ----------
    model
        A sequence classification model in inference mode.
    disabled
        Which heads each ablation lacks: a mask ``[ablation, layer, head]``.

    Raises
    ------
    InputError
        If the model is not of a known family.
    """
    ablations = torch.from_numpy(disabled)
    together = max(1, _IN_ALL // (len(disabled) + 1)) if _share_a_pass(model) else _AT_ONCE
    logits = torch.empty(len(disabled), len(sequences), model.num_labels)
    lengths = [len(sequence) for sequence in sequences]
    for places in progress(batches_of_like_length(lengths, together)):
        batch = padded_batch([sequences[place] for place in places], pad_id)
        logits[:, places] = logits_without_heads(model, *batch, ablations).cpu()
    return logits


@torch.inference_mode()
def logits_without_heads(
    model: PreTrainedModel,
    token_ids: torch.Tensor,
    segment_ids: torch.Tensor,
    mask: torch.Tensor,
    disabled: torch.Tensor,
) -> torch.Tensor:
    """Logits ``[ablation, example, class]`` of every ablation for a padded batch, ``[example, token]`` each.

    Parameters
    ----------
    disabled
        Which heads each ablation lacks: a mask ``[ablation, layer, head]``, on the CPU.

    Raises
    ------
    InputError
        If the model is not of a known family.
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
    """As :func:`logits_without_heads`, with a forward pass for each ablation."""
    logits = []
    for ablation in disabled:
        with heads_disabled(model, inputs["attention_mask"], ablation):
            logits.append(model(**inputs).logits)
    return torch.stack(logits)


@contextmanager
def heads_disabled(model: PreTrainedModel, mask: torch.Tensor, disabled: torch.Tensor) -> Iterator[None]:
    """Disable heads of any model, with or without a classification head, in whole forward passes over one batch.

    Parameters
    ----------
    mask
        Which tokens of the batch are real, ``[example, token]``, on the model's device.
    disabled
        Mask ``[layer, head]``, on the CPU.

    Raises
    ------
    InputError
        If the model is not of a known family.
    """
    by_layer = cycle(disabled[:, None])
    with _contexts_replaced(
        attention_modules(model), lambda context, values: uniform_contexts(context, values, mask, next(by_layer))
    ):
        yield


def uniform_contexts(
    context: torch.Tensor, values: torch.Tensor, mask: torch.Tensor, disabled: torch.Tensor
) -> torch.Tensor:
    """The contexts of one layer's heads with those of disabled heads replaced by the means of their values.

    Parameters
    ----------
    context, values
        ``[ablation * example, token, head * d_head]``; or ``[example, ...]`` if all ablations have the same.
    mask
        Which tokens are real, ``[example, token]``.
    disabled
        Mask ``[ablation, head]``, on the CPU.

    Returns
    -------
    Of the same shape as ``context``; but ``[ablation, example, token, head * d_head]`` if several had the same.
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
    """One forward pass of all ablations: rows of the batch are ablations as they branch off, the whole model last.

    Attributes
    ----------
    rows
        Row of each ablation in the end, ``[ablation]``; a ablation that lacks no head is the whole model.
    layer
        How many layers have run.
    """

    def __init__(self, mask: torch.Tensor, disabled: torch.Tensor):
        lacks = disabled.any(-1)
        lowest = torch.where(lacks.any(-1), lacks.int().argmax(-1), disabled.shape[1])
        order = lowest.argsort(stable=True)[: int(lacks.any(-1).sum())]
        self.rows = torch.full(lowest.shape, -1).scatter(0, order, torch.arange(len(order)))
        self.layer = 0
        self._mask = mask
        self._disabled, self._lowest = disabled[order], lowest[order]
        self._nothing = disabled.new_zeros(1, disabled.shape[-1])
        self._now = self._nothing  # what is disabled in this call of a layer, [ablation, head]

    @contextmanager
    def attached_to(self, model: PreTrainedModel) -> Iterator[None]:
        """Make the model's forward pass one of all ablations."""
        modules = attention_modules(model)
        layers = _layer_modules(model, modules)
        for layer in layers:
            layer.forward = partial(self._run_layer, layer.forward)
        try:
            with _contexts_replaced(modules, self._replace):
                yield
        finally:
            for layer in layers:
                del layer.forward  # that of its class shows again

    def _replace(self, context: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        return uniform_contexts(context, values, self._mask, self._now)

    def _run_layer(self, forward: Callable, states: torch.Tensor, *arguments: object, **options: object) -> object:
        """A layer's outputs for the ablations that branched off below, those that do so here, and the whole model."""
        examples = len(self._mask)
        started, ends = (int((self._lowest < layer).sum()) for layer in (self.layer, self.layer + 1))
        here = self._disabled[:, self.layer]
        others, own = states[:-examples], states[-examples:]
        calls = list(zip(self._chunks(others, examples), self._chunks(here[:started]), strict=True))
        # Those that branch off share queries, keys and values with the whole model.
        calls += [(own, chunk) for chunk in self._chunks(torch.cat([here[started:ends], self._nothing]))]
        outputs = [self._call(forward, arguments, options, *call) for call in calls]
        self.layer += 1
        is_tuple = isinstance(outputs[0], tuple)
        found = [output[0] if is_tuple else output for output in outputs]
        together = torch.cat([states.reshape(-1, *states.shape[-2:]) for states in found])
        return (together,) if is_tuple else together

    def _call(
        self, forward: Callable, arguments: tuple, options: dict, states: torch.Tensor, disabled: torch.Tensor
    ) -> object:
        """What a layer returns for some ablations, given their states or those that they share."""
        self._now = disabled
        times = len(states) // len(self._mask)
        repeated = {name: self._repeated(option, times) for name, option in options.items()}
        return forward(states, *(self._repeated(argument, times) for argument in arguments), **repeated)

    def _repeated(self, argument: object, times: int) -> object:
        """An argument of a layer, such as the mask ``[example, ...]``, for several ablations."""
        if isinstance(argument, torch.Tensor) and len(argument) == len(self._mask):
            return argument.repeat(times, *[1] * (argument.ndim - 1))
        return argument

    def _chunks(self, rows: torch.Tensor, rows_per_ablation: int = 1) -> Sequence[torch.Tensor]:
        """Rows of ablations, cut into parts for one call of a layer each."""
        ablations = max(1, _AT_ONCE // len(self._mask))
        return rows.split(ablations * rows_per_ablation) if len(rows) else ()


@contextmanager
def _contexts_replaced(
    modules: Sequence[AttentionModule], replace: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
) -> Iterator[None]:
    """Hand to each output projection what ``replace`` makes of the context and the values."""
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
    """The layers that hold the attention modules: the entries of the innermost list of modules around each."""
    around = {}
    for modules_in_list in (module for module in model.modules() if isinstance(module, nn.ModuleList)):
        for layer in modules_in_list:
            inside = set(layer.modules())
            around |= {module: layer for module in modules if module.output in inside}
    return list(around.values())
