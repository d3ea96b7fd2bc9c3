"""Cross-attention of translation models with teacher forcing: weights and norms (Kobayashi et al. 2020, section 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack

import torch
from torch import nn

from bert_attention.attention.cross_attention_maps import CrossAttentionMaps
from bert_attention.attention.norms import OutputMap, summed_norms, value_norms
from bert_attention.errors import InputError
from bert_attention.models.translation import TranslationModel
from bert_attention.models.translation_input import EncodedPair, teacher_forcing_batch

# Name of the module in Marian, FSMT, BART, mBART, M2M100 and Pegasus. Its projections are named v_proj and out_proj.
_MODULE = "encoder_attn"


def cross_attention(
    translation: TranslationModel,
    pairs: Sequence[EncodedPair],
    batch_size: int = 16,
    progress: Callable[[Iterable], Iterable] = iter,
) -> Iterator[CrossAttentionMaps]:
    """Yield the maps of each pair, in order. Memory holds one batch at a time.

    Raise InputError if the model's kind of cross-attention is unknown.
    """
    modules = _modules(translation)
    maps = _output_maps(translation, modules)
    for start in progress(range(0, len(pairs), batch_size)):
        batch = pairs[start : start + batch_size]
        attention, values = _run(translation, modules, batch)
        norms_by_layer = [value_norms(layer, of.factors) for layer, of in zip(values, maps, strict=True)]
        sums_by_layer = [summed_norms(*layer, of.products) for *layer, of in zip(attention, values, maps, strict=True)]
        stacked = [torch.stack(list(layers), dim=1).cpu() for layers in (attention, norms_by_layer, sums_by_layer)]
        for pair, weights, norms, norms_of_sums in zip(batch, *stacked, strict=True):
            target, source = len(pair.target_ids), len(pair.source_ids)
            yield CrossAttentionMaps(  # cropped copies, so that the batch's memory is freed
                attention=weights[..., :target, :source].numpy().copy(),
                value_norms=norms[..., :source].numpy().copy(),
                summed_norms=norms_of_sums[..., :target, :source].numpy().copy(),
                source_words=pair.source_words,
                target_words=pair.target_words,
                source_tokens=tuple(translation.tokenizer.convert_ids_to_tokens(pair.source_ids.tolist())),
            )


def _modules(translation: TranslationModel) -> list[nn.Module]:
    """Return the cross-attention modules, in order of the decoder's layers."""
    modules = [module for name, module in translation.model.named_modules() if name.split(".")[-1] == _MODULE]
    if not modules:
        kind = translation.model.config.model_type
        raise InputError(
            f"model {translation.model.config.name_or_path}",
            f"the cross-attention of model type {kind} is not supported",
            "choose a translation model such as Marian, FSMT or mBART",
        )
    return modules


@torch.inference_mode()
def _output_maps(translation: TranslationModel, modules: Sequence[nn.Module]) -> list[OutputMap]:
    device = translation.model.device
    return [OutputMap.of(module.out_proj, module.embed_dim, module.num_heads, device) for module in modules]


@torch.inference_mode()
def _run(
    translation: TranslationModel, modules: Sequence[nn.Module], pairs: Sequence[EncodedPair]
) -> tuple[tuple[torch.Tensor, ...], list[torch.Tensor]]:
    """Return attention ``[pair, head, target, source]`` and values ``[pair, source, head * d_head]`` of each layer."""
    inputs = teacher_forcing_batch(pairs, translation).inputs
    values: list[torch.Tensor] = []  # in the order in which the layers run
    with ExitStack() as hooks:
        for module in modules:
            hooks.enter_context(module.v_proj.register_forward_hook(lambda _module, _inputs, v: values.append(v)))
        outputs = translation.model.base_model(**inputs, output_attentions=True)  # base_model computes no logits
    if translation.model.config.model_type == "fsmt":  # FSMT's modules take [token, pair, d]
        values = [layer_values.transpose(0, 1) for layer_values in values]
    return outputs.cross_attentions, values
