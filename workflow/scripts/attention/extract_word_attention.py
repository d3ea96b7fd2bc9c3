"""Run an encoder over a shard of a corpus of trees or coreference, and write its attention between words to a store."""

from functools import partial
from pathlib import Path

import torch

from bert_attention.attention.extraction import extract_words, shard_metadata, shard_range
from bert_attention.attention.hooks import HookedEncoder
from bert_attention.attention.store import WORD_ARRAYS, shard_writer
from bert_attention.attention.words import word_starts
from bert_attention.corpora.conllu import words_of_corpus
from bert_attention.models.encoders import check_fits, load_encoder
from bert_attention.running.jobs import configure_logging, logger, progress
from bert_attention.tokenization.wordpieces import load_tokenizer
from bert_attention.tokenization.words import encode_words, wordpieces_of_words


def main(snakemake):
    configure_logging(snakemake.log[0])
    params, paths = snakemake.params, snakemake.input
    torch.set_num_threads(snakemake.threads)
    shard, shards = map(int, snakemake.wildcards.scatteritem.split("-of-"))
    tokenizer = load_tokenizer(Path(paths.tokenizer).parent)
    encoder = HookedEncoder.of(load_encoder(Path(paths.weights).parent, params.device))
    texts = words_of_corpus(paths.corpus)
    part = shard_range(len(texts), shard, shards)
    wordpieces = wordpieces_of_words(texts[part.start : part.stop], tokenizer)
    sequences = [encode_words(words, tokenizer) for words in wordpieces]
    check_fits(encoder, sequences, "zeros")
    metadata = shard_metadata(
        encoder,
        tokenizer,
        {"weights": paths.weights, "corpus": paths.corpus},
        part,
        model=params.model,
        segment_ids="zeros",
        masked_share=0,
        arrays=WORD_ARRAYS,
        sequences=len(texts),
    )
    logger.info("%d sequences on %s", len(sequences), encoder.device)
    lengths = [len(word_starts(sequence.word_ids)) for sequence in sequences]
    with shard_writer(snakemake.output[0], lengths, metadata) as writer:
        show = partial(progress, what=f"attention of shard {shard} of {shards}, batches")
        pad_id = tokenizer.pad_token_id
        extract_words(encoder, sequences, writer, part.start, params.batch_size, pad_id, params.queries, show)


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
