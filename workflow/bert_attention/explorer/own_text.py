"""One's own texts for the page: a forward pass of an encoder, with norms, queries and keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from bert_attention.attention.hooks import HookedEncoder, run
from bert_attention.attention.neurons import run_with_neurons
from bert_attention.explorer.data import ShownSequence, Vectors, packed, packed_neurons
from bert_attention.explorer.labels import shown_tokens
from bert_attention.explorer.page import page
from bert_attention.explorer.show import Explorer
from bert_attention.models.encoders import load_encoder
from bert_attention.models.families import segment_types
from bert_attention.models.inputs import padded_batch
from bert_attention.tokenization.sequences import EncodedSequence
from bert_attention.tokenization.texts import encode_texts, segments_of
from bert_attention.tokenization.tokenizer import Tokenizer
from bert_attention.tokenization.wordpieces import load_tokenizer

Text = tuple[str, str]  # a text and, or empty, the one that follows it


def show_text(
    folder: Path | str, text: str, text_pair: str | None = None, *, device: str = "auto", model: str = ""
) -> Explorer:
    """The page of an encoder at work on a text: weights, norms, and neurons where its family has them.

    Parameters
    ----------
    folder
        The model, in Hugging Face form (config.json, model.safetensors, tokenizer.json).
    text, text_pair
        What to look at; a second part if there is one.
    device
        ``auto``, ``cpu`` or ``cuda``.
    model
        The name of the model; without it, its folder's.

    Raises
    ------
    InputError
        If the model cannot be used, or a text is empty or too long for it.

    Examples
    --------
    >>> show_text("/models/bert", "I went to the store.", "At the store, I bought fresh strawberries.")
    """
    return page_of_texts(folder, [(text, text_pair or "")], model or Path(folder).resolve().name, device=device)


def page_of_texts(
    folder: Path | str, texts: Sequence[Text], name: str, found: Mapping | None = None, device: str = "auto"
) -> Explorer:
    """The page of one's own texts, by the encoder in a model folder; ``found`` is as :func:`page` takes it.

    Raises
    ------
    InputError
        If the model cannot be used, or a text is empty or too long for it.
    """
    encoder = HookedEncoder.of(load_encoder(folder, device))
    tokenizer = load_tokenizer(folder)
    lacks = encoder.family.left_out.get("neurons", "")
    contents = []
    segment_ids = "pair" if segment_types(encoder.model.config.to_dict()) > 1 else "zeros"
    for sequence in encode_texts(segments_of(texts, tokenizer), tokenizer, segment_ids, encoder.longest_input):
        content = packed(shown_now(sequence, encoder, tokenizer))
        if not lacks:
            content |= packed_neurons(*neurons_of(sequence, encoder, tokenizer))
        contents.append(content)
    return Explorer(page(name, encoder.layers, encoder.heads, contents, found, "The texts are your own.", lacks))


def shown_now(sequence: EncodedSequence, encoder: HookedEncoder, tokenizer: Tokenizer) -> ShownSequence:
    """What an encoder does with one sequence, as the page shows it."""
    batch = padded_batch([sequence], tokenizer.pad_token_id or 0)
    maps = run(encoder, *batch, ("value_norms", "summed_norms"))
    return ShownSequence(
        shown_tokens(tokenizer, sequence.token_ids, sequence.word_ids),
        np.stack([layer[0].cpu().numpy() for layer in maps.attention]),
        maps.norms["value_norms"][0].cpu().numpy(),
        maps.norms["summed_norms"][0].cpu().numpy(),
    )


def neurons_of(sequence: EncodedSequence, encoder: HookedEncoder, tokenizer: Tokenizer) -> Vectors:
    """Query and key vectors of one sequence, ``[layer, head, token, d_head]`` each."""
    layers = run_with_neurons(encoder, *padded_batch([sequence], tokenizer.pad_token_id or 0))
    queries, keys = ([getattr(layer, name)[0].cpu().numpy() for layer in layers] for name in ("queries", "keys"))
    return np.stack(queries), np.stack(keys)
