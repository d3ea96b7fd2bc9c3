"""Run an encoder over a shard of the segments, and write its attention to a store."""

from functools import partial
from pathlib import Path

import torch

from bert_attention.attention.extraction import extract, shard_metadata, shard_range
from bert_attention.attention.hooks import HookedEncoder
from bert_attention.attention.store import shard_writer
from bert_attention.corpora.jsonlines import read_segments
from bert_attention.models.encoders import check_fits, load_encoder
from bert_attention.running.jobs import configure_logging, logger, progress
from bert_attention.tokenization.masking import hide_tokens
from bert_attention.tokenization.wordpieces import encode_segments, load_tokenizer


def main(snakemake):
    configure_logging(snakemake.log[0])
    params, paths = snakemake.params, snakemake.input
    torch.set_num_threads(snakemake.threads)
    shard, shards = map(int, snakemake.wildcards.scatteritem.split("-of-"))
    tokenizer = load_tokenizer(Path(paths.tokenizer).parent)
    encoder = HookedEncoder.of(load_encoder(Path(paths.weights).parent, params.device))
    segments = read_segments(paths.segments)
    part = shard_range(len(segments), shard, shards)
    sequences = encode_segments(segments[part.start : part.stop], tokenizer, params.segment_ids, paths.segments)
    check_fits(encoder, sequences, params.segment_ids)
    if params.masked_share:
        hide = partial(hide_tokens, mask_id=tokenizer.mask_token_id, share=params.masked_share)
        sequences = [hide(sequence, seed=[params.seed, place]) for place, sequence in zip(part, sequences, strict=True)]
    metadata = shard_metadata(
        encoder,
        tokenizer,
        {"weights": paths.weights, "corpus": paths.segments},
        part,
        model=params.model,
        segment_ids=params.segment_ids,
        masked_share=params.masked_share,
        arrays=tuple(params.arrays),
        sequences=len(segments),
    )
    logger.info("%d sequences on %s", len(sequences), encoder.device)
    with shard_writer(snakemake.output[0], [len(sequence) for sequence in sequences], metadata) as writer:
        show = partial(progress, what=f"attention of shard {shard} of {shards}, batches")
        extract(encoder, sequences, writer, part.start, params.batch_size, tokenizer.pad_token_id, show)


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
