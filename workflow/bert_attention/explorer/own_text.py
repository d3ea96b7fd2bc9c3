"""The page of a user's own texts: a forward pass of an encoder, with norms, queries and keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from bert_attention.attention.hooks import HookedEncoder, run
from bert_attention.attention.identities import check_identities
from bert_attention.attention.memory import check_memory
from bert_attention.attention.neurons import run_with_neurons
from bert_attention.errors import InputError
from bert_attention.explorer.data import ShownSequence, Vectors, packed, packed_neurons
from bert_attention.explorer.labels import shown_tokens
from bert_attention.explorer.page import page
from bert_attention.explorer.show import Explorer
from bert_attention.models.conversion import has_vocabulary
from bert_attention.models.encoders import load_encoder
from bert_attention.models.families import segment_types
from bert_attention.models.inputs import padded_batch
from bert_attention.models.model_folder import check_model
from bert_attention.models.tokenizer_check import check_vocabulary, warn_of_transformers
from bert_attention.tokenization.sequences import EncodedSequence
from bert_attention.tokenization.texts import encode_texts, segments_of
from bert_attention.tokenization.tokenizer import Tokenizer

Text = tuple[str, str]  # a text and the text that follows, which may be empty


def show_text(
    folder: Path | str,
    text: str,
    text_pair: str | None = None,
    *,
    beside: Path | str | None = None,
    device: str = "auto",
    model: str = "",
) -> Explorer:
    """Return the page of an encoder's attention to a text: weights, norms and, if the family has them, neurons.

    Parameters
    ----------
    folder
        The model, in Hugging Face form (config.json, model.safetensors, tokenizer.json).
    text, text_pair
        The text to show, and its second part if it has one.
    beside
        Another model to compare with, with as many layers and heads, such as the same model after fine-tuning. If its
        folder has no vocabulary, the tokenizer of the first model is used.
    device
        ``auto``, ``cpu`` or ``cuda``.
    model
        The name of the model; by default, the name of its folder.

    Raises
    ------
    InputError
        If the model cannot be used, or a text is empty or too long for the model.

    Examples
    --------
    >>> show_text("/models/bert", "I went to the store.", "At the store, I bought fresh strawberries.")
    """
    other = (Path(beside), Path(beside).resolve().name) if beside else None
    name = model or Path(folder).resolve().name
    return page_of_texts(folder, [(text, text_pair or "")], name, beside=other, device=device)


def page_of_texts(
    folder: Path | str,
    texts: Sequence[Text],
    name: str,
    found: Mapping | None = None,
    beside: tuple[Path, str] | None = None,
    device: str = "auto",
) -> Explorer:
    """Return the page of texts for the encoder in a folder and, if given, a second encoder (folder, name).

    ``found`` has the form that :func:`page` takes. Raise InputError if a model cannot be used, a text is empty or too
    long, the models differ in the number of layers or heads, or no tokenizer fits the second model.
    """
    tokenizer = _checked_tokenizer(folder)
    encoder = HookedEncoder.of(load_encoder(folder, device))
    contents = list(_packed(texts, encoder, tokenizer))
    if beside:
        other = HookedEncoder.of(load_encoder(beside[0], device))
        if (other.layers, other.heads) != (encoder.layers, encoder.heads):
            sizes = [f"{shown.layers} layers of {shown.heads} heads" for shown in (other, encoder)]
            remedy = "compare models with the same numbers of layers and heads"
            raise InputError(beside[0], f"has {sizes[0]}, but {folder} has {sizes[1]}", remedy)
        by_other = _packed(texts, other, _tokenizer_beside(beside[0], other, tokenizer))
        contents = [content | {"model": name} for content in contents] + [
            content | {"model": beside[1]} for content in by_other
        ]
    return Explorer(page(name, encoder.layers, encoder.heads, contents, found, "The texts are your own."))


def _checked_tokenizer(folder: Path) -> Tokenizer:
    """Return the tokenizer of the encoder in a folder, after all checks that need no weights."""
    tokenizer = check_model(folder)
    warn_of_transformers(tokenizer, folder)
    return tokenizer


def _tokenizer_beside(folder: Path, encoder: HookedEncoder, first: Tokenizer) -> Tokenizer:
    """Return the tokenizer of the second encoder: its own, or the first encoder's if its folder has no vocabulary.

    Raise InputError if the folder has a vocabulary without tokenizer.json, or the first tokenizer does not fit.
    """
    if has_vocabulary(folder):
        return _checked_tokenizer(folder)
    # The workflow's fine-tuned models have no tokenizer.
    size = encoder.model.get_input_embeddings().num_embeddings
    check_vocabulary(first, size, f"model {folder} with the tokenizer of the first model")
    return first


def _packed(texts: Sequence[Text], encoder: HookedEncoder, tokenizer: Tokenizer) -> Iterator[dict]:
    """Yield the page's data on each text."""
    ids = segment_ids_shown(encoder, tokenizer)
    sequences = encode_texts(segments_of(texts, tokenizer), tokenizer, ids, encoder.max_length)
    check_identities(encoder, sequences, tokenizer.pad_token_id or 0)
    for sequence in sequences:
        content = packed(shown_now(sequence, encoder, tokenizer))
        lacks = encoder.family.left_out.get("neurons")
        content |= {"lacks": lacks} if lacks else packed_neurons(*neurons_of(sequence, encoder, tokenizer))
        yield content


def segment_ids_shown(encoder: HookedEncoder, tokenizer: Tokenizer) -> str:
    """Return the segment ids of the page: 1 after the first separator, as in training, if the encoder has two types."""
    types = segment_types(encoder.model.config.to_dict(), tokenizer.layout.second_segment)
    return "pair" if types > 1 else "zeros"


def shown_now(sequence: EncodedSequence, encoder: HookedEncoder, tokenizer: Tokenizer) -> ShownSequence:
    """Run an encoder on one sequence, and return the sequence as the page shows it."""
    check_memory(encoder, 1, len(sequence), copies=1)
    batch = padded_batch([sequence], tokenizer.pad_token_id or 0)
    maps = run(encoder, *batch, ("value_norms", "summed_norms"))
    return ShownSequence(
        shown_tokens(tokenizer, sequence.token_ids, sequence.word_ids),
        np.stack([layer[0].cpu().numpy() for layer in maps.attention]),
        maps.norms["value_norms"][0].cpu().numpy(),
        maps.norms["summed_norms"][0].cpu().numpy(),
    )


def neurons_of(sequence: EncodedSequence, encoder: HookedEncoder, tokenizer: Tokenizer) -> Vectors:
    """Return query and key vectors of one sequence, and the position bias of its scores."""
    layers = run_with_neurons(encoder, *padded_batch([sequence], tokenizer.pad_token_id or 0))
    queries, keys = ([getattr(layer, name)[0].cpu().numpy() for layer in layers] for name in ("queries", "keys"))
    bias = layers[0].bias  # the same in all layers
    return np.stack(queries), np.stack(keys), None if bias is None else bias.cpu().numpy()
