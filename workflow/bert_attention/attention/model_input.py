"""The model's input for a shard of a corpus, and encoders that run over it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bert_attention.attention.extraction import StreamedShard, shard_metadata
from bert_attention.attention.hooks import HookedEncoder
from bert_attention.corpora.conllu import documents_of, words_of_corpus
from bert_attention.corpora.jsonlines import articles_of, read_segments
from bert_attention.models.encoders import check_fits
from bert_attention.models.random_weights import load_control
from bert_attention.statistics.sums import blocks_of, spread_sample, units_of_shard
from bert_attention.tokenization.masking import mask_sequences
from bert_attention.tokenization.sequences import EncodedSequence
from bert_attention.tokenization.tokenizer import Tokenizer
from bert_attention.tokenization.wordpieces import encode_segments
from bert_attention.tokenization.words import encode_words, wordpieces_of_words


@dataclass(frozen=True)
class ModelInput:
    """The sequences of a shard of a corpus, or of a sample of it."""

    sequences: Sequence[EncodedSequence]
    units: Sequence[int]  # index of each sequence in the corpus
    part: range  # the indices in the sample, which are those in the corpus if the sample is all of it
    blocks: Sequence[range]  # the blocks of the sample

    def streamed(
        self,
        weights: Path,
        tokenizer: Tokenizer,
        settings: Mapping[str, Any],
        *,
        model: str,
        device: str,
        batch_size: int,
        weights_seed: int | None = None,
        files: Mapping[str, Path | str] | None = None,
    ) -> StreamedShard:
        """Return the attention of the encoder in the folder ``weights``, before it runs.

        ``settings`` are those of the store, ``files`` those of :func:`.shard_metadata`, and ``weights_seed`` is that of
        :func:`.load_control`. Raise InputError if the encoder cannot take the sequences.
        """
        encoder = HookedEncoder.of(load_control(weights, device, weights_seed))
        check_fits(encoder, self.sequences, settings["segment_ids"])
        described = {"blocks": self.blocks, "model": model, "weights_seed": weights_seed, **settings}
        metadata = shard_metadata(encoder, tokenizer, files, self.part, **described)
        return StreamedShard(encoder, self.sequences, metadata, batch_size, tokenizer.pad_token_id)


def read_model_input(
    corpus: Path | str,
    tokenizer: Tokenizer,
    settings: Mapping[str, Any],
    shard: tuple[int, int] = (1, 1),
    most: int | None = None,
) -> ModelInput:
    """Return the input of a shard of a corpus: the number of the shard (from 1), and the number of shards.

    ``settings`` are those of the store: with a rule for words, the corpus has sentences or documents (CoNLL-U), else
    segments or examples of a task (JSON lines). ``most`` is the number of units in a sample, or None for all.
    """
    clusters = documents_of(corpus) if settings["word_rule"] else articles_of(corpus)
    chosen, blocks = spread_sample(blocks_of(clusters), most)
    part = units_of_shard(blocks, *shard)
    units = chosen[part.start : part.stop]
    encode = _encoded_words if settings["word_rule"] else _encoded_segments
    return ModelInput(encode(corpus, tokenizer, settings, units, part.start), units, part, blocks)


def _encoded_words(
    corpus: Path | str, tokenizer: Tokenizer, settings: Mapping[str, Any], units: Sequence[int], first: int
) -> list[EncodedSequence]:
    wordpieces = wordpieces_of_words(words_of_corpus(corpus, units), tokenizer)
    return [encode_words(words, tokenizer) for words in wordpieces]


def _encoded_segments(
    corpus: Path | str, tokenizer: Tokenizer, settings: Mapping[str, Any], units: Sequence[int], first: int
) -> list[EncodedSequence]:
    """Return the model input of segments, of which the first has the index ``first`` in the sample."""
    sequences = encode_segments(read_segments(corpus, units), tokenizer, settings["segment_ids"], corpus)
    if not settings["masked_share"]:
        return sequences
    return mask_sequences(sequences, tokenizer.mask_token_id, settings["masked_share"], settings["seed"], first)
