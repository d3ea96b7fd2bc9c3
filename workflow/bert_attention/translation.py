"""Translation models: training a small one on sentence pairs, loading any, and encoding pairs for teacher forcing.

A small model has the architecture of Marian (Vaswani et al. 2017, with sinusoidal positions), a subword vocabulary that
both languages share, and one embedding for source, target and output. It learns from translations alone: nothing tells
it which words correspond, for that is what its attention is then asked (Kobayashi et al. 2020, section 5).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from safetensors import SafetensorError
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from torch import nn
from transformers import (
    AutoConfig,
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    MarianConfig,
    MarianMTModel,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
)
from transformers.utils import logging as transformers_logging

from bert_attention.checks import InputError
from bert_attention.encoders import SAFE_LOADING, choose_device
from bert_attention.extraction import batches_of_like_length
from bert_attention.files import replacing_folder
from bert_attention.masking import NO_LABEL
from bert_attention.threads import torch_threads
from bert_attention.wordpieces import NO_WORD

Words = Sequence[str]

_LONGEST_INPUT = 512  # subwords; as the published Marian models
_POOL = 50  # batches among which sentences of like length are brought together
_EVALUATIONS = 10  # on the held-out pairs while a model is trained
_THREADS = 2  # that train, on any number of cores
STEPS = 3000  # of training on some ten thousand pairs


@dataclass(frozen=True)
class TranslationModel:
    """A model in inference mode with eager attention, and its tokenizer, set to the languages that it is used for."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase

    @property
    def longest_input(self) -> int | None:
        """The most subwords that the model's positions allow; None where they are relative."""
        return getattr(self.model.config, "max_position_embeddings", None)


@dataclass(frozen=True)
class EncodedPair:
    """Subword ids of a sentence and its translation, and the word that each belongs to, ``[n]`` int64 each.

    Special tokens are included; their word is ``NO_WORD``. The target is as it is to be predicted.
    """

    source_ids: np.ndarray
    source_words: np.ndarray
    target_ids: np.ndarray
    target_words: np.ndarray


@dataclass(frozen=True)
class PairBatch:
    """A padded batch for teacher forcing.

    ``inputs`` holds the model's arguments: ``input_ids`` and ``attention_mask`` ``[pair, source]``,
    ``decoder_input_ids`` and ``decoder_attention_mask`` ``[pair, target]``, and ``use_cache``, which is off. In row t
    the decoder is given the target's subword t - 1 (in row 0 the start symbol) and is to predict subword t, which is
    ``labels[:, t]`` (``NO_LABEL`` on padding).
    """

    inputs: dict[str, torch.Tensor | bool]
    labels: torch.Tensor


def train_subwords(sentences: Iterable[str], vocabulary_size: int) -> PreTrainedTokenizerFast:
    """A byte-pair encoding (Sennrich et al. 2016) of words marked with ``▁``, which appends ``</s>`` to a sentence.

    ``<pad>`` is its padding and, as in Marian, what a decoder starts from.
    """
    backend = Tokenizer(models.BPE(unk_token="<unk>"))
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.decoder = decoders.Metaspace()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary_size, special_tokens=["</s>", "<unk>", "<pad>"], show_progress=False
    )
    backend.train_from_iterator(sentences, trainer)
    backend.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 0)])
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        eos_token="</s>",
        unk_token="<unk>",
        pad_token="<pad>",
        model_max_length=_LONGEST_INPUT,
    )


def subwords(tokenizer: PreTrainedTokenizerBase, words: Words, target: bool) -> tuple[np.ndarray, np.ndarray]:
    """Subword ids of a sentence, with the special tokens of its side, and the word that each belongs to.

    Every word is cut by itself, so that a map to words exists for tokenizers that keep none, such as those of the
    published Marian models. SentencePiece, which cuts at spaces first, finds the same subwords in the running sentence.

    Parameters
    ----------
    target
        Whether the words are a translation, for tokenizers whose two sides differ.

    Returns
    -------
    Ids and places of words from 0 (``NO_WORD``: special tokens), ``[n]`` int64 each.

    Raises
    ------
    InputError
        If nothing is left of a word.
    """
    side = "text_target" if target else "text"
    encoded = tokenizer(**{side: list(words)}, is_split_into_words=True, verbose=False)
    ids = encoded["input_ids"]
    if tokenizer.is_fast:
        places = [NO_WORD if word is None else word for word in encoded.word_ids()]
    else:
        cut = [tokenizer(**{side: word}, add_special_tokens=False)["input_ids"] for word in words]
        places = _places_of_words(ids, cut)
    lost = sorted(set(range(len(words))) - set(places))
    if lost:
        where = f"word {lost[0] + 1} of the sentence {' '.join(words)!r}"
        raise InputError(where, f"the tokenizer leaves nothing of {words[lost[0]]!r}", "remove it from the corpus")
    return np.array(ids, dtype=np.int64), np.array(places, dtype=np.int64)


def _places_of_words(ids: list[int], cut: list[list[int]]) -> list[int]:
    """The word of each id of a sentence, given the ids of its words; special tokens may stand before and after."""
    text = [index for word in cut for index in word]
    before = next(start for start in range(len(ids)) if ids[start : start + len(text)] == text)
    places = [place for place, word in enumerate(cut) for _ in word]
    return [NO_WORD] * before + places + [NO_WORD] * (len(ids) - before - len(text))


def encode_pairs(translation: TranslationModel, pairs: Iterable[tuple[Words, Words]]) -> list[EncodedPair]:
    """Subwords of sentences and their translations; see :func:`subwords`.

    Raises
    ------
    InputError
        If a side is empty, or is longer than the model's positions.
    """
    encoded = []
    for number, pair in enumerate(pairs, start=1):
        sides = []
        for words, target in zip(pair, (False, True), strict=True):
            where = f"sentence pair {number}, {'target' if target else 'source'} {' '.join(words)!r}"
            if not words:
                raise InputError(where, "has no words", "leave the pair out")
            ids, places = subwords(translation.tokenizer, words, target)
            if translation.longest_input is not None and len(ids) > translation.longest_input:
                problem = f"has {len(ids)} subwords, the model takes {translation.longest_input} at most"
                raise InputError(where, problem, "leave the pair out, or split it")
            sides += [ids, places]
        encoded.append(EncodedPair(*sides))
    return encoded


def teacher_forcing_batch(pairs: Sequence[EncodedPair], translation: TranslationModel) -> PairBatch:
    """A padded batch on the model's device."""
    config = translation.model.config
    device = translation.model.device
    source, source_mask = _padded([pair.source_ids for pair in pairs], config.pad_token_id)
    target, target_mask = _padded([pair.target_ids for pair in pairs], config.pad_token_id)
    start = torch.full((len(pairs), 1), config.decoder_start_token_id)
    inputs = {
        "input_ids": source,
        "attention_mask": source_mask,
        "decoder_input_ids": torch.cat([start, target[:, :-1]], dim=1),
        "decoder_attention_mask": target_mask,
    }
    labels = target.masked_fill(target_mask == 0, NO_LABEL)
    on_device = {name: tensor.to(device) for name, tensor in inputs.items()}
    # With a cache, some models (FSMT) take the target for being generated and leave out the mask of what follows.
    return PairBatch({**on_device, "use_cache": False}, labels.to(device))


def _padded(rows: Sequence[np.ndarray], padding: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows of ids as ``[row, longest]``, and the mask that is 1 where they are."""
    ids = nn.utils.rnn.pad_sequence([torch.from_numpy(row) for row in rows], batch_first=True, padding_value=padding)
    lengths = torch.tensor([len(row) for row in rows])
    return ids, (torch.arange(ids.shape[1]) < lengths[:, None]).long()


@torch.inference_mode()
def token_accuracy(translation: TranslationModel, pairs: Sequence[EncodedPair], batch_size: int = 64) -> float:
    """The share of the target's subwords, special tokens included, that the model ranks first, given those before."""
    right = total = 0
    for places in batches_of_like_length([len(pair.target_ids) for pair in pairs], batch_size):
        batch = teacher_forcing_batch([pairs[place] for place in places], translation)
        predicted = translation.model(**batch.inputs).logits.argmax(-1)
        right += int((predicted == batch.labels).sum())
        total += int((batch.labels != NO_LABEL).sum())
    return right / total


def train_translation_model(
    pairs: Sequence[tuple[Words, Words]],
    held_out: Sequence[tuple[Words, Words]],
    folder: Path | str,
    *,
    seed: int,
    vocabulary_size: int = 1200,
    layers: int = 2,
    heads: int = 4,
    width: int = 128,
    dropout: float = 0.0,
    steps: int = STEPS,
    batch_size: int = 32,
    learning_rate: float = 4e-3,
    device: str = "auto",
    progress: Callable[[Iterable], Iterable] = iter,
) -> pd.DataFrame:
    """Train a translation model and its subwords; leaves a folder that :func:`load_translation_model` loads.

    The folder holds what ``save_pretrained`` writes, whole or not at all; one of that name is replaced. The model is
    trained with AdamW on batches of sentences of like length, its rate rising over the first tenth of the steps and
    then falling to nothing along a cosine.

    Parameters
    ----------
    pairs, held_out
        Words of sentences and of their translations. The held-out pairs are for the training log only.
    seed
        Of everything random. It gives the same weights again on the same kind of processor, with any number of cores.
    layers
        Of the encoder, and as many of the decoder.
    progress
        Wraps the batches.

    Returns
    -------
    Training log with columns ``step``, ``loss`` (nats per subword, mean over the steps since the row before) and
    ``held_out_accuracy`` (see :func:`token_accuracy`).

    Raises
    ------
    InputError
        If there are no pairs, or one has an empty side or is too long.
    """
    for given, what in ((pairs, "training"), (held_out, "held-out")):
        if not given:
            raise InputError(f"{what} sentence pairs", "there are none", "give at least one")
    transformers_logging.disable_progress_bar()
    chosen = choose_device(device)
    tokenizer = train_subwords((" ".join(words) for pair in pairs for words in pair), vocabulary_size)
    devices = [chosen] if chosen.type == "cuda" else []
    with replacing_folder(folder) as partial, torch.random.fork_rng(devices), torch_threads(_THREADS):
        torch.manual_seed(seed)
        model = _fresh_model(tokenizer, layers=layers, heads=heads, width=width, dropout=dropout)
        translation = TranslationModel(model.to(chosen), tokenizer)
        encoded, encoded_held_out = (encode_pairs(translation, given) for given in (pairs, held_out))
        batches = _batches([len(pair.target_ids) for pair in encoded], batch_size, steps, np.random.default_rng(seed))
        log = _fit(translation, encoded, encoded_held_out, batches, learning_rate, progress)
        model.save_pretrained(partial)
        tokenizer.save_pretrained(partial)
    return log


def _fresh_model(
    tokenizer: PreTrainedTokenizerFast, *, layers: int, heads: int, width: int, dropout: float
) -> MarianMTModel:
    config = MarianConfig(
        vocab_size=len(tokenizer),
        d_model=width,
        encoder_layers=layers,
        decoder_layers=layers,
        encoder_attention_heads=heads,
        decoder_attention_heads=heads,
        encoder_ffn_dim=2 * width,
        decoder_ffn_dim=2 * width,
        activation_function="relu",
        dropout=dropout,
        max_position_embeddings=_LONGEST_INPUT,
        init_std=width**-0.5,  # as in fairseq; with the default, cross-attention takes long to find its words
        scale_embedding=True,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        forced_eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.pad_token_id,
    )
    return MarianMTModel._from_config(config, attn_implementation="sdpa")  # no maps are needed here


def _batches(lengths: Sequence[int], batch_size: int, steps: int, random: np.random.Generator) -> list[np.ndarray]:
    """Places of pairs in batches of like length, shuffled anew in every epoch."""
    batches: list[np.ndarray] = []
    while len(batches) < steps:
        order = random.permutation(len(lengths))
        epoch = []
        for start in range(0, len(order), _POOL * batch_size):
            pool = order[start : start + _POOL * batch_size]
            pool = pool[np.argsort(np.asarray(lengths)[pool], kind="stable")]
            epoch += np.array_split(pool, -(-len(pool) // batch_size))
        batches += [epoch[place] for place in random.permutation(len(epoch))]
    return batches[:steps]


def _fit(
    translation: TranslationModel,
    pairs: Sequence[EncodedPair],
    held_out: Sequence[EncodedPair],
    batches: Sequence[np.ndarray],
    learning_rate: float,
    progress: Callable[[Iterable], Iterable],
) -> pd.DataFrame:
    model = translation.model
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=learning_rate, betas=(0.9, 0.98), weight_decay=0.01, fused=True
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, learning_rate, len(batches), pct_start=0.1, cycle_momentum=False
    )
    interval = max(1, len(batches) // _EVALUATIONS)
    losses: list[torch.Tensor] = []
    rows = []
    model.train()
    for step, places in enumerate(progress(batches), start=1):
        batch = teacher_forcing_batch([pairs[place] for place in places], translation)
        logits = model(**batch.inputs).logits
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), batch.labels.flatten(), ignore_index=NO_LABEL)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.detach())
        if step % interval == 0 or step == len(batches):
            accuracy = token_accuracy(TranslationModel(model.eval(), translation.tokenizer), held_out)
            rows.append((step, float(torch.stack(losses).mean()), accuracy))
            losses.clear()
            model.train()
    return pd.DataFrame(rows, columns=["step", "loss", "held_out_accuracy"])


def load_translation_model(
    folder: Path | str, device: str = "auto", *, languages: Sequence[str] | None = None
) -> TranslationModel:
    """Load the translation model in a folder, from safetensors weights, without running any code that it brings.

    Parameters
    ----------
    languages
        Codes of source and target as the tokenizer has them (mBART-50: ``de_DE``, ``en_XX``); for models of many
        languages, which begin a sentence with that of its language.

    Raises
    ------
    InputError
        If the folder holds no usable weights or tokenizer, a model of another kind, or one of many languages of which
        none or an unknown one is chosen.
    """
    transformers_logging.disable_progress_bar()
    transformers_logging.set_verbosity_error()  # what matters of its reports is checked below
    model = _load_weights(folder)
    tokenizer = _load_tokenizer(folder)
    _choose_languages(tokenizer, languages, folder)
    return TranslationModel(model.eval().to(choose_device(device)), tokenizer)


def _load_weights(folder: Path | str) -> PreTrainedModel:
    """The model in a folder, complete."""
    remedy = "choose a translation model with an encoder and a decoder: Marian, FSMT, mBART-50, ..."
    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        if not getattr(config, "is_encoder_decoder", False):
            raise InputError(f"model {folder}", f"does not translate (model type {config.model_type})", remedy)
        if getattr(config, "decoder_start_token_id", None) is None:
            raise InputError(f"model {folder}", "its config.json has no decoder_start_token_id", remedy)
        if not any(Path(folder).glob("*.safetensors")):
            raise InputError(
                f"model {folder}",
                "has no weights in safetensors; other formats can hide code",
                "get a revision of the model that has a model.safetensors",
            )
        model, report = AutoModelForSeq2SeqLM.from_pretrained(
            folder,
            output_loading_info=True,
            config=config,
            **SAFE_LOADING,
        )
    except InputError:
        raise
    except (OSError, ValueError, RuntimeError, ImportError, SafetensorError) as error:
        raise InputError(f"model {folder}", f"cannot be loaded ({_first_line(error)})", remedy) from error
    if report["missing_keys"]:
        lacking = sorted(report["missing_keys"])
        problem = f"its weights lack {len(lacking)} parameters, {lacking[0]} among them"
        raise InputError(f"model {folder}", problem, "get a complete checkpoint")
    return model


def _load_tokenizer(folder: Path | str) -> PreTrainedTokenizerBase:
    """The tokenizer in a folder, fast or not."""
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except (OSError, ValueError, TypeError, KeyError, ImportError) as error:  # a TypeError where a file is missing
        raise InputError(
            f"model {folder}",
            f"its tokenizer cannot be loaded ({_first_line(error)})",
            "get all files of the tokenizer; one without a tokenizer.json also needs a package, "
            "Marian's for example: pip install sentencepiece",
        ) from error
    if tokenizer.is_fast:  # some ship a tokenizer.json that cuts and pads by itself
        tokenizer.backend_tokenizer.no_truncation()
        tokenizer.backend_tokenizer.no_padding()
    return tokenizer


def _choose_languages(tokenizer: PreTrainedTokenizerBase, languages: Sequence[str] | None, folder: Path | str) -> None:
    """Set a tokenizer of many languages to two of them; one of two languages has nothing to be set."""
    if not hasattr(tokenizer, "set_src_lang_special_tokens"):
        if languages:
            raise InputError(f"model {folder}", "is for two languages only", "set its languages to null")
        return
    if not languages:
        raise InputError(f"model {folder}", "is for many languages", "set its languages, for example [de_DE, en_XX]")
    try:
        tokenizer.src_lang, tokenizer.tgt_lang = languages
        unknown = tokenizer.unk_token_id in [*tokenizer(text="").input_ids, *tokenizer(text_target="").input_ids]
    except KeyError:  # some tokenizers refuse a code, the others take it for an unknown token
        unknown = True
    if unknown:
        problem = f"does not know one of the languages {', '.join(languages)}"
        raise InputError(f"model {folder}", problem, "use codes of its tokenizer, in mBART-50 for example de_DE, en_XX")


def _first_line(error: Exception) -> str:
    return next((line for line in str(error).splitlines() if line), type(error).__name__)
