"""The page from Python, for files and notebooks, made of the attention of any model.

>>> show(outputs.attentions, tokens)                      # shows the page in a notebook cell
>>> show(attention, tokens, model="gpt2").save("gpt2.html")
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from bert_attention.errors import InputError, check_text
from bert_attention.explorer.data import ShownSequence, ShownTokens, packed, packed_neurons, parts_between
from bert_attention.explorer.page import page
from bert_attention.files import replacing

# Special tokens of common tokenizers: [CLS], <s>, <|endoftext|>. Not [UNK], [MASK], <unk> and <mask>, which stand for a
# word of the input.
_SPECIAL = re.compile(r"(?!\W+(?i:unk|mask)\W+)(?:\[[A-Z]+\]|<\|?[A-Za-z_/]+\|?>)")
_SHAPE = "[layer, head, query, key]"
_FULL = "choose a model with full attention"


@dataclass(frozen=True)
class Explorer:
    """A page, as HTML. A notebook shows the page in its cell, and can hold any number of pages."""

    html: str

    def __repr__(self) -> str:
        return f"<Explorer: a page of {len(self.html) / 1e6:.1f} MB; show it in a notebook, or save(path) it>"

    def _repr_html_(self) -> str:
        style = "width: 100%; height: 46rem; border: 0"
        return f'<iframe title="Attention heads" style="{style}" srcdoc="{escape(self.html)}"></iframe>'

    def save(self, path: Path | str) -> None:
        """Write the page to a file, which needs no other files."""
        with replacing(path) as partial:
            partial.write_text(self.html, encoding="utf-8")


def show(
    attention: Any,
    tokens: Sequence[str],
    key_tokens: Sequence[str] | None = None,
    *,
    special: Collection[str] | None = None,
    parts: Sequence[int] | None = None,
    neurons: tuple[Any, Any] | tuple[Any, Any, Any] | None = None,
    model: str = "a model",
    about: str = "",
) -> Explorer:
    """Return the page of one input's attention in any model: encoder, decoder, vision model, or cross-attention.

    Parameters
    ----------
    attention
        ``[layer, head, query, key]`` after the softmax, as an array or tensor. Or a list of layers,
        ``[1, head, query, key]`` each, such as ``outputs.attentions`` of Transformers. Or the outputs themselves.
    tokens
        The text of each query, or the output of a fast tokenizer of Transformers for one input.
    key_tokens
        The text of each key, if the keys are other tokens, as in cross-attention.
    special
        Special tokens, which the page can hide; by default, tokens that look special (``[CLS]``, ``<s>``), but not
        unknown and masked words (``[UNK]``, ``<mask>``).
    parts
        The part of the input that each token belongs to, from 0, such as its sentence; by default, special tokens end
        parts.
    neurons
        Queries and keys, ``[layer, head, token, d_head]`` each, for the view of neurons. A third array is the position
        bias that every layer adds to its scores, if the model has one: ``[head, query, key]``.
    model
        The name of the model.
    about
        A sentence that says what the input is.

    Returns
    -------
    Explorer
        The page, which a notebook shows and ``.save(path)`` writes to a file.

    Raises
    ------
    InputError
        If the attention is missing, is sparse, has another shape, or has values that are not numbers from 0 to 1. Also
        if the number of tokens does not match, or the tokens are not strings.

    Examples
    --------
    >>> outputs = gpt2(**tokenizer(text, return_tensors="pt"), output_attentions=True)
    >>> show(outputs.attentions, tokenizer.tokenize(text), model="gpt2")
    """
    maps = _maps(_attentions(attention))
    layers, heads = maps.shape[:2]
    queries = _side(tokens, special, parts, maps.shape[2], "tokens")
    if key_tokens is None and maps.shape[2] != maps.shape[3]:
        remedy = f"for attention to other tokens, give key_tokens; if the model's attention is sparse, {_FULL}"
        raise InputError("attention", f"has {maps.shape[3]} keys, but {maps.shape[2]} queries", remedy)
    keys = None if key_tokens is None else _side(key_tokens, special, None, maps.shape[3], "key_tokens")
    check_text(model, "model")
    check_text(about, "about")
    content = packed(ShownSequence(queries, maps, keys=keys))
    if neurons is not None:
        content |= packed_neurons(*_vectors(neurons, maps.shape, has_other_keys=keys is not None))
    return Explorer(page(model, layers, heads, [content], about=about, lacks="none were given"))


def _attentions(outputs: Any) -> Any:
    """Return the attention itself, or the attention in the outputs of a model."""
    if hasattr(outputs, "global_attentions") or hasattr(outputs, "encoder_global_attentions"):  # Longformer, LED
        problem = "is sparse: each token has weights to the tokens of its window, so there is no map of all tokens"
        raise InputError("attention", problem, _FULL)
    if not hasattr(outputs, "keys"):
        found = outputs
    elif "attentions" in outputs or not any("attentions" in key for key in outputs):
        found = outputs.get("attentions")
    else:
        names = " or ".join(f"outputs.{key}" for key in outputs if "attentions" in key)
        raise InputError("attention", "is ambiguous: the model has an encoder and a decoder", f"give {names}")
    empty = found is None or (isinstance(found, Sequence) and (not found or any(layer is None for layer in found)))
    if empty or isinstance(found, str):
        raise InputError(
            "attention",
            "is missing: models return it only on request and with eager attention (not sdpa or flash)",
            "load the model with attn_implementation='eager', and call it with output_attentions=True",
        )
    return found


def _maps(attention: Any) -> np.ndarray:
    try:
        layers = [_array(layer) for layer in attention]
    except (TypeError, ValueError) as error:
        kind = type(attention).__name__
        raise InputError("attention", f"is a {kind} without numbers ({error})", f"give {_SHAPE}") from None
    if not layers:
        raise InputError("attention", "has no layer", f"give {_SHAPE}")
    shapes = {layer.shape for layer in layers}
    if len(shapes) != 1:
        raise InputError("attention", f"has layers with different shapes: {sorted(shapes)}", f"give {_SHAPE}")
    maps = np.stack(layers)
    if maps.ndim == 5 and maps.shape[1] == 1:
        maps = maps[:, 0]
    if maps.ndim != 4 or not maps.size:
        raise InputError("attention", f"has the shape {maps.shape}", f"give {_SHAPE} of one input")
    unknown = np.argwhere(~np.isfinite(maps).all(-1))
    if len(unknown):
        raise _without_numbers(unknown, maps.shape)
    if maps.min() < 0 or maps.max() > 1.001:
        raise InputError("attention", "has values outside 0 to 1", "give the attention after the softmax")
    return maps


def _without_numbers(rows: np.ndarray, shape: tuple[int, ...]) -> InputError:
    """Return the error of attention with rows ``[row, (layer, head, query)]`` that have NaN or infinite values."""
    layer, head, query = (int(index) + 1 for index in rows[0])
    problem = (
        f"has NaN or infinite values in {len(rows)} of {np.prod(shape[:3])} rows, the first in layer {layer}, head "
    )
    problem += f"{head}, query {query}"
    if len(rows) == np.prod(shape[:3]):
        return InputError("attention", problem, "run the model in float32 (model.float()), and check its weights")
    remedy = "a token that may attend to no token, such as padding, has such a row: run the input without padding"
    return InputError("attention", problem, f"{remedy}, or leave padding out of attention and tokens")


def _vectors(neurons: Sequence, shape: tuple[int, ...], *, has_other_keys: bool) -> list[np.ndarray]:
    """Return queries, keys and, if given, the position bias, for attention of a shape."""
    vectors = [_array(part) for part in neurons]
    fits = [array.ndim == 4 and array.shape[:3] == shape[:3] for array in vectors[:2]]
    fits += [array.shape == shape[1:] for array in vectors[2:]]
    if len(vectors) not in (2, 3) or not all(fits) or has_other_keys:
        shapes = " and ".join(str(array.shape) for array in vectors)
        remedy = "give queries and keys, [layer, head, token, d_head] each, and at most a bias, [head, query, key]"
        raise InputError("neurons", f"have the shapes {shapes}", f"{remedy}, without key_tokens")
    if not all(np.isfinite(array).all() for array in vectors):
        raise InputError("neurons", "have NaN or infinite values", "leave padding out, or run the model in float32")
    return vectors


def _array(values: Any) -> np.ndarray:
    """Return a float32 array of an array, or of a tensor of any type and device."""
    if hasattr(values, "detach"):
        values = values.detach().float().cpu()
    return np.asarray(values, np.float32)


def _texts(tokens: Any, name: str) -> list[str]:
    """Return the tokens as strings, also from the output of a fast tokenizer."""
    if hasattr(tokens, "tokens") and hasattr(tokens, "input_ids"):
        tokens = tokens.tokens()
    listed = None if tokens is None or isinstance(tokens, str) else list(tokens)
    if listed is None or not all(isinstance(token, str) for token in listed):
        found = "a single string" if isinstance(tokens, str) else "not strings"
        remedy = "give a list of strings; if you have ids, give tokenizer.convert_ids_to_tokens(ids)"
        raise InputError(name, f"are {found}: {str(tokens)[:60]}", remedy)
    for token in listed:
        check_text(token, name)
    return listed


def _side(
    tokens: Sequence[str], special: Collection[str] | None, parts: Sequence[int] | None, count: int, name: str
) -> ShownTokens:
    tokens = _texts(tokens, name)
    if isinstance(special, str):
        raise InputError(f"special={special!r}", "is a single string", f"give a list: [{special!r}]")
    for argument, entries in ((name, tokens), ("parts", parts)):
        if entries is not None and len(entries) != count:
            problem = f"has {len(entries)} entries, but attention has {count} positions"
            raise InputError(argument, problem, "give one entry for each position")
    is_special = [token in special if special is not None else bool(_SPECIAL.fullmatch(token)) for token in tokens]
    marked = np.array(is_special, bool)
    part_of = parts_between(marked) if parts is None else np.asarray(parts, int)
    # Remove the marks of word starts and ends. A mark in the middle belongs to the token.
    texts = tuple(token.lstrip("Ġ▁").removesuffix("</w>") or "␣" for token in tokens)
    return ShownTokens(texts, texts, np.arange(count), marked, part_of)
