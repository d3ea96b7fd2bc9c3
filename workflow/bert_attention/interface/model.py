"""An encoder that runs on strings."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import shorten
from typing import Any, cast, overload

import numpy as np
import torch
from tokenizers import Tokenizer as Backend
from torch import nn
from transformers import PreTrainedModel, PreTrainedTokenizerBase
from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

from bert_attention.attention.hooks import HookedEncoder, run
from bert_attention.attention.identities import check_identities
from bert_attention.attention.memory import check_memory
from bert_attention.attention.words import RULES, word_attention, word_starts
from bert_attention.downloads.models import model_folder
from bert_attention.errors import LARGEST_SEED, MOST_CONTROLS, InputError, check_choice, check_count
from bert_attention.explorer.show import Explorer, show
from bert_attention.interface.given_corpora import is_iterable_of_units
from bert_attention.models.batches import run_in_blocks
from bert_attention.models.encoders import Encoder, load_encoder
from bert_attention.models.families import family_of, segment_types
from bert_attention.models.inputs import padded_batch
from bert_attention.models.model_folder import FAST_TOKENIZER, check_model
from bert_attention.models.random_weights import make_plain, randomize
from bert_attention.models.tokenizer_check import check_vocabulary, warn_of_transformers
from bert_attention.models.torch_defaults import torch_defaults
from bert_attention.tokenization.sequences import NO_WORD, EncodedSequence
from bert_attention.tokenization.texts import Text, encode_texts, segments_of
from bert_attention.tokenization.tokenizer import Tokenizer
from bert_attention.tokenization.word_boundaries import piece_text
from bert_attention.tokenization.wordpieces import USUAL_TOKENS, load_tokenizer, wrap_backend

BATCH_SIZE = 16

Texts = list[str] | list[tuple[str, str]] | list[Text]


@dataclass(frozen=True)
class TextAttention:
    """The attention of an encoder on one text of n tokens, special tokens included. Arrays are float32 or int32.

    Attributes
    ----------
    tokens
        The wordpieces as the vocabulary writes them: n.
    words
        The words of the wordpieces. A special token is its own word.
    word_of
        The index in ``words`` of each token's word: ``[n]``, ascending.
    token_ids, segment_ids
        The encoder's input: ``[n]`` each.
    attention
        Weights after the softmax: ``[layer, head, query, key]``.
    value_norms
        ``||f_h(x_j)||``, the length of the vector that a head takes from a token (Kobayashi et al. 2020, section 2):
        ``[layer, head, key]``.
    summed_norms
        ``||sum_h alpha f||``, the length of the vector that a token takes from another token through all heads
        together: ``[layer, query, key]``.
    """

    tokens: tuple[str, ...]
    words: tuple[str, ...]
    word_of: np.ndarray
    token_ids: np.ndarray
    segment_ids: np.ndarray
    attention: np.ndarray
    value_norms: np.ndarray
    summed_norms: np.ndarray

    @property
    def weighted_norms(self) -> np.ndarray:
        """Amount that a head takes from a token, ``||alpha f_h(x_j)||``: ``[layer, head, query, key]``."""
        return self.attention * self.value_norms[..., None, :]

    def between_words(self, rule: str = "mean") -> np.ndarray:
        """Return the attention between words: ``[layer, head, word, word]``.

        Attention to a word is the sum over its tokens. :func:`bert_attention.attention.words.word_attention` describes
        ``rule`` (mean, first or max).
        """
        check_choice("rule", rule, RULES)
        return word_attention(torch.from_numpy(self.attention), self.word_of, rule).numpy()

    def show(self, model: str = "a model") -> Explorer:
        """Return the page of this attention, which a notebook shows, and :meth:`~Explorer.save` writes to a file.

        ``model`` is the name on the page.
        """
        return show(self.attention, self.tokens, model=model)

    def __repr__(self) -> str:
        layers, heads = self.attention.shape[:2]
        tokens = shorten(" ".join(self.tokens), 60, placeholder=" ...")
        return f"<TextAttention of {len(self.tokens)} tokens ({tokens}): {layers} layers x {heads} heads>"


@dataclass(frozen=True)
class AttentionModel:
    """An encoder with its tokenizer. See :meth:`from_pretrained` and :meth:`from_transformers`."""

    encoder: HookedEncoder
    tokenizer: Tokenizer
    name: str
    _checked: dict[tuple, int] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    @torch_defaults()
    def from_pretrained(
        cls, source: Path | str, device: str = "auto", downloads: Path | str = "resources/downloads"
    ) -> AttentionModel:
        """Load an encoder from safetensors weights, without running any code from the model's folder.

        Parameters
        ----------
        source
            A folder with config.json, tokenizer.json and model.safetensors, or the weights in several files with
            model.safetensors.index.json. Or a source as in an edition:
            ``package:<distribution>/<path>``, ``hub:<repository>@<revision>``.
        device
            ``auto`` (a GPU if there is one), ``cpu`` or ``cuda``.
        downloads
            The folder for downloaded sources.

        Raises
        ------
        InputError
            If there is no such model, or it cannot be used. The message says why.
        """
        folder = model_folder(source, downloads)
        tokenizer = check_model(folder, str(source))
        warn_of_transformers(tokenizer, folder)
        return cls(HookedEncoder.of(load_encoder(folder, device)), tokenizer, str(source))

    @classmethod
    @torch_defaults()
    def from_transformers(cls, model: Any, tokenizer: PreTrainedTokenizerBase | Path | str) -> AttentionModel:
        """Wrap an encoder that transformers has loaded, with its fast tokenizer or the tokenizer's folder.

        The model is not copied, and :meth:`run` uses its weights of that moment. The model can be in any mode and have
        any implementation of attention: ``run`` sets both, and restores them, as it does with torch's default type and
        device and with autocast. For a model with a task head, or a class of one's own with an encoder inside, the
        encoder is used; for a ``SentenceTransformer``, a ``DataParallel`` or a compiled model, the model inside.

        Raises
        ------
        InputError
            If the model is not from transformers, is of an unknown family, or is not float32. Also if the tokenizer
            cannot be used.
        """
        model = _encoder_in(_transformers_model(model))
        name = model.config.name_or_path or type(model).__name__
        family_of(model.config.to_dict(), f"model {name}")
        encoder = HookedEncoder.of(Encoder(model, model.device))
        encoder.check_precision()
        own = _own_tokenizer(tokenizer, name)
        check_vocabulary(own, model.get_input_embeddings().num_embeddings, f"model {name}")
        return cls(encoder, own, name)

    @overload
    def run(self, texts: Text) -> TextAttention: ...

    @overload
    def run(self, texts: Texts) -> list[TextAttention]: ...

    @torch_defaults()
    def run(self, texts: Text | Texts) -> TextAttention | list[TextAttention]:
        """Run the encoder on a text, or on each text of a list, of a column of a table, or of another iterable.

        A text is a string, or a tuple of two strings: a text and the text that follows. The encoder gets the token ids
        and segment ids that its tokenizer gives in transformers.

        Raises
        ------
        InputError
            If a text has no token, exceeds the encoder's maximum length, or needs more memory than is available. Also
            if the encoder breaks an identity (see :mod:`bert_attention.attention.identities`). The identities are
            checked when weights, modules or their hooks have changed since the last call.
        """
        if isinstance(texts, str | tuple) or not is_iterable_of_units(texts):
            return self.run([cast("Text", texts)])[0]
        texts = list(texts)
        segment_ids = "pair" if self.segment_types > 1 else "zeros"
        sequences = encode_texts(segments_of(texts, self.tokenizer), self.tokenizer, segment_ids, self.max_length)
        lengths = [len(sequence) for sequence in sequences]
        self._check(sequences)
        return list(
            run_in_blocks(lengths, BATCH_SIZE, lambda indices: self._maps([sequences[index] for index in indices]))
        )

    def _check(self, sequences: Sequence[EncodedSequence]) -> None:
        """Check the identities of the encoder, unless they were checked for its version, with as many texts."""
        version, number = self.encoder.version, min(2, len(sequences))
        if self._checked.get(version, 0) < number:
            check_identities(self.encoder, sequences, self.tokenizer.pad_token_id)
            self._checked.clear()
            self._checked[version] = number

    def _maps(self, sequences: Sequence[EncodedSequence]) -> Iterator[TextAttention]:
        """Run a batch and yield the attention of each text."""
        check_memory(self.encoder, len(sequences), max(map(len, sequences)), copies=1)
        maps = run(self.encoder, *padded_batch(sequences, self.tokenizer.pad_token_id), ("value_norms", "summed_norms"))
        attention = torch.stack(maps.attention, dim=1).cpu().numpy()
        norms = {name: array.cpu().numpy() for name, array in maps.norms.items()}
        for row, sequence in enumerate(sequences):
            n = len(sequence)
            tokens = self.tokenizer.convert_ids_to_tokens(sequence.token_ids)
            starts = word_starts(sequence.word_ids)
            sizes = np.diff([*starts, n])
            pieces = [tokens[start : start + size] for start, size in zip(starts, sizes, strict=True)]
            special = sequence.word_ids[starts] == NO_WORD
            yield TextAttention(
                tuple(tokens),
                tuple(
                    piece[0] if is_special else piece_text(piece, self.tokenizer.marks)
                    for piece, is_special in zip(pieces, special, strict=True)
                ),
                np.repeat(np.arange(len(starts), dtype=np.int32), sizes),
                sequence.token_ids,
                sequence.segment_ids,
                attention[row, :, :, :n, :n],
                norms["value_norms"][row, :, :, :n],
                norms["summed_norms"][row, :, :n, :n],
            )

    @torch_defaults()
    def with_random_weights(self, seed: int) -> AttentionModel:
        """Return a copy with random weights of the same scale and the same embeddings: the control.

        See :func:`bert_attention.models.random_weights.randomize`. The weights of an adapter count as part of the
        weights that it adapts. Raise InputError if the seed is not a whole number, negative or too large.
        """
        seed = check_count("seed", seed, 0, LARGEST_SEED + MOST_CONTROLS)  # a study gives each random encoder its own
        model = copy.deepcopy(self.encoder.model).eval()
        make_plain(model)
        randomize(model, seed)
        return AttentionModel(HookedEncoder.of(Encoder(model, self.encoder.device)), self.tokenizer, self.name)

    @property
    def layers(self) -> int:
        """Number of layers."""
        return self.encoder.layers

    @property
    def heads(self) -> int:
        """Number of heads in each layer."""
        return self.encoder.heads

    @property
    def max_length(self) -> int:
        """Maximum length of an input in tokens, special tokens included."""
        return self.encoder.max_length

    @property
    def segment_types(self) -> int:
        """Number of segment types that the encoder is given: 1 if its tokenizer does not distinguish segments."""
        return segment_types(self.encoder.model.config.to_dict(), self.tokenizer.layout.second_segment)

    def __repr__(self) -> str:
        return f"<AttentionModel {self.name}: {self.layers} layers of {self.heads} heads>"


def _transformers_model(model: Any) -> PreTrainedModel:
    """Return the given model of transformers, or the model inside a wrapper."""
    if isinstance(model, Path | str):
        remedy = f"call AttentionModel.from_pretrained({str(model)!r}), or load it with transformers.AutoModel"
        raise InputError(f"model {str(model)[:80]!r}", "is a name, not a loaded model", remedy)
    if isinstance(model, nn.DataParallel | nn.parallel.DistributedDataParallel):
        model = model.module
    model = getattr(model, "_orig_mod", model)  # of a model that torch.compile returned
    inner = getattr(model, "transformers_model", None)  # a SentenceTransformer has its model here
    found = inner if isinstance(inner, PreTrainedModel) else model
    kind = type(found).__name__
    if not isinstance(found, PreTrainedModel):
        merge = "; for a PeftModel, give model.merge_and_unload()" if hasattr(found, "merge_and_unload") else ""
        remedy = f"give an encoder that transformers has loaded, such as AutoModel.from_pretrained(...){merge}"
        raise InputError(f"model {kind}", f"is a {kind}, not a model of transformers", remedy)
    if any(parameter.is_meta for parameter in found.parameters()):
        raise InputError(f"model {kind}", "has no weights yet (device meta)", "load its weights")
    return found


def _encoder_in(model: PreTrainedModel) -> PreTrainedModel:
    """Return the encoder in a model: the module of the class that ``AutoModel`` loads for its model type."""
    found = [
        module
        for module in model.modules()
        if isinstance(module, PreTrainedModel)
        and any(MODEL_MAPPING_NAMES.get(module.config.model_type) == kind.__name__ for kind in type(module).__mro__)
    ]
    inside = set(found[0].modules()) if found else set()
    others = [module for module in found if module not in inside]
    if others:
        kinds = ", ".join(type(module).__name__ for module in (found[0], *others))
        remedy = "give one of them, with its tokenizer"
        raise InputError(f"model {type(model).__name__}", f"holds several models ({kinds})", remedy)
    return found[0] if found else cast(PreTrainedModel, model.base_model)


def _own_tokenizer(tokenizer: Any, name: str) -> Tokenizer:
    """Return the backend of a tokenizer of transformers, or load a tokenizer from its folder."""
    if isinstance(tokenizer, Path | str):
        if Path(tokenizer).is_dir() and not Path(tokenizer, "tokenizer.json").is_file():
            remedy = f"give AutoTokenizer.from_pretrained({str(tokenizer)!r}) instead of the folder"
            raise InputError(f"model {name}", f"its tokenizer's folder {tokenizer} lacks tokenizer.json", remedy)
        return load_tokenizer(tokenizer)
    if not isinstance(tokenizer, PreTrainedTokenizerBase):
        kind = type(tokenizer).__name__
        remedy = "give AutoTokenizer.from_pretrained(...), or a folder with tokenizer.json and tokenizer_config.json"
        raise InputError(f"model {name}", f"its tokenizer is a {kind}, not a tokenizer of transformers", remedy)
    if not tokenizer.is_fast:
        problem = f"its tokenizer ({type(tokenizer).__name__}) is written in Python, so it has no tokenizer.json"
        remedy = f"load the tokenizer with AutoTokenizer; if is_fast is still False, {FAST_TOKENIZER}"
        raise InputError(f"model {name}", problem, remedy)
    try:
        backend = Backend.from_str(tokenizer.backend_tokenizer.to_str())  # a copy: its settings are changed
    except Exception:  # tokenizers raises plain Exception
        problem = f"its tokenizer ({type(tokenizer).__name__}) cuts words in Python code, so it has no tokenizer.json"
        raise InputError(f"model {name}", problem, "choose another encoder") from None
    special = {key: token for key in USUAL_TOKENS if (token := getattr(tokenizer, key)) is not None}
    return wrap_backend(backend, tokenizer.init_kwargs | special, f"model {name}")
