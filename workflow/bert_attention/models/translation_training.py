"""Training a small translation model on sentence pairs.

The model has the architecture of Marian (Vaswani et al. 2017, with sinusoidal positions), a subword vocabulary that
both languages share, and one embedding for source, target and output. It learns from translations alone, without word
alignments, because the analysis reads alignments from its attention (Kobayashi et al. 2020, section 5).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from torch import nn
from transformers import MarianConfig, MarianMTModel, PreTrainedTokenizerFast
from transformers.utils import logging as transformers_logging

from bert_attention.errors import InputError
from bert_attention.files import replacing_folder
from bert_attention.models.devices import torch_threads
from bert_attention.models.translation import TranslationModel
from bert_attention.models.translation_accuracy import token_accuracy
from bert_attention.models.translation_input import EncodedPair, Words, encode_pairs, teacher_forcing_batch
from bert_attention.tokenization.sequences import NO_LABEL

_MAX_LENGTH = 512  # subwords; as in the published Marian models
_POOL_SIZE = 50  # batches; within a pool, sentences are sorted by length
_EVALUATIONS = 5  # evaluations on the held-out pairs during training
_THREADS = 1  # more threads hardly speed up the training of so small a model
STEPS = 800  # steps of training: one pass over 25,000 pairs


def train_subwords(sentences: Iterable[str], vocabulary_size: int) -> PreTrainedTokenizerFast:
    """Train a byte-pair encoding (Sennrich et al. 2016) of words marked with ``▁``.

    The tokenizer appends ``</s>`` to a sentence. ``<pad>`` is padding and, as in Marian, the decoder's start symbol.
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
        model_max_length=_MAX_LENGTH,
    )


def train_translation_model(
    pairs: Sequence[tuple[Words, Words]],
    held_out: Sequence[tuple[Words, Words]],
    folder: Path | str,
    *,
    seed: int,
    vocabulary_size: int = 2500,
    encoder_layers: int = 1,
    decoder_layers: int = 3,
    heads: int = 4,
    width: int = 128,
    dropout: float = 0.0,
    steps: int = STEPS,
    batch_size: int = 32,
    learning_rate: float = 2e-3,
    progress: Callable[[Iterable], Iterable] = iter,
) -> pd.DataFrame:
    """Train a translation model and its subwords, and write a folder that :func:`load_translation_model` loads.

    The folder holds the files of ``save_pretrained``. It is written completely or not at all, and replaces an existing
    folder. The model is trained with AdamW on batches of sentences of similar length. The learning rate rises over the
    first tenth of the steps and then falls to zero along a cosine.

    ``pairs`` and ``held_out`` are words of sentences and of their translations. The held-out pairs are for the training
    log only. The same seed gives the same weights on the same kind of processor, with any number of cores, because the
    model is always trained on one CPU thread. A second encoder layer costs time and does not speed up learning.

    Return the training log with columns ``step``, ``loss`` (nats per subword, mean over the steps since the previous
    row) and ``held_out_accuracy`` (see :func:`token_accuracy`). Raise InputError if there are no pairs, or a pair has
    an empty side or exceeds the model's maximum length.
    """
    for some_pairs, use in ((pairs, "training"), (held_out, "held-out")):
        if not some_pairs:
            raise InputError(f"{use} sentence pairs", "there are none", "give at least one")
    transformers_logging.disable_progress_bar()
    tokenizer = train_subwords((" ".join(words) for pair in pairs for words in pair), vocabulary_size)
    with replacing_folder(folder) as partial, torch.random.fork_rng(devices=[]), torch_threads(_THREADS):
        torch.manual_seed(seed)
        model = _new_model(
            tokenizer,
            encoder_layers=encoder_layers,
            decoder_layers=decoder_layers,
            heads=heads,
            width=width,
            dropout=dropout,
        )
        translation = TranslationModel(model, tokenizer)
        encoded, encoded_held_out = (encode_pairs(translation, some) for some in (pairs, held_out))
        batches = _batches([len(pair.target_ids) for pair in encoded], batch_size, steps, np.random.default_rng(seed))
        log = _fit(translation, encoded, encoded_held_out, batches, learning_rate, progress)
        model.save_pretrained(partial)
        tokenizer.save_pretrained(partial)
    return log


def _new_model(
    tokenizer: PreTrainedTokenizerFast,
    *,
    encoder_layers: int,
    decoder_layers: int,
    heads: int,
    width: int,
    dropout: float,
) -> MarianMTModel:
    config = MarianConfig(
        vocab_size=len(tokenizer),
        d_model=width,
        encoder_layers=encoder_layers,
        decoder_layers=decoder_layers,
        encoder_attention_heads=heads,
        decoder_attention_heads=heads,
        encoder_ffn_dim=2 * width,
        decoder_ffn_dim=2 * width,
        activation_function="relu",
        dropout=dropout,
        max_position_embeddings=_MAX_LENGTH,
        init_std=width**-0.5,  # as in fairseq; with the default, cross-attention learns alignments slowly
        scale_embedding=True,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        forced_eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.pad_token_id,
    )
    return MarianMTModel._from_config(config, attn_implementation="sdpa")  # training needs no attention maps


def _batches(lengths: Sequence[int], batch_size: int, steps: int, random: np.random.Generator) -> list[np.ndarray]:
    """Return the indices of pairs in batches of similar length, reshuffled in every epoch."""
    batches: list[np.ndarray] = []
    while len(batches) < steps:
        order = random.permutation(len(lengths))
        epoch = []
        for start in range(0, len(order), _POOL_SIZE * batch_size):
            pool = order[start : start + _POOL_SIZE * batch_size]
            pool = pool[np.argsort(np.asarray(lengths)[pool], kind="stable")]
            epoch += np.array_split(pool, -(-len(pool) // batch_size))
        batches += [epoch[index] for index in random.permutation(len(epoch))]
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
    for step, indices in enumerate(progress(batches), start=1):
        batch = teacher_forcing_batch([pairs[index] for index in indices], translation)
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
