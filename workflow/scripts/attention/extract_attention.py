"""Run encoders over a shard of the segments, and write each encoder's attention to a store."""

from functools import partial

import torch

from bert_attention.attention.extraction import extract, shard_metadata
from bert_attention.attention.hooks import HookedEncoder
from bert_attention.attention.store import shard_writer
from bert_attention.corpora.jsonlines import articles_of, read_segments
from bert_attention.files import folders_of
from bert_attention.models.encoders import check_fits, load_encoder
from bert_attention.running.jobs import logger, progress
from bert_attention.running.scripts import run_script
from bert_attention.statistics.sums import blocks_of, spread_sample, units_of_shard
from bert_attention.tokenization.masking import mask_sequences
from bert_attention.tokenization.wordpieces import encode_segments, load_tokenizer


def main(snakemake):
    params, paths = snakemake.params, snakemake.input
    torch.set_num_threads(snakemake.threads)
    shard, shards = map(int, snakemake.wildcards.scatteritem.split("-of-"))
    tokenizer = load_tokenizer(folders_of(paths.tokenizer)[0])
    segment_ids, masked_share = params.store_settings["segment_ids"], params.store_settings["masked_share"]
    units, blocks = spread_sample(blocks_of(articles_of(paths.segments)), params.segments)
    part = units_of_shard(blocks, shard, shards)
    segments = read_segments(paths.segments, units[part.start : part.stop])
    sequences = encode_segments(segments, tokenizer, segment_ids, paths.segments)
    if masked_share:
        seed = params.store_settings["seed"]
        sequences = mask_sequences(sequences, tokenizer.mask_token_id, masked_share, seed, part.start)
    for folder, output in zip(folders_of(paths.weights), snakemake.output, strict=True):
        encoder = HookedEncoder.of(load_encoder(folder, params.device))
        check_fits(encoder, sequences, segment_ids)
        files = {"weights": folder / "model.safetensors", "tokenizer": paths.tokenizer[0], "corpus": paths.segments}
        described = {"model": params.model, "blocks": blocks, **params.store_settings}
        metadata = shard_metadata(encoder, tokenizer, files, part, **described)
        logger.info("%d sequences on %s", len(sequences), encoder.device)
        with shard_writer(output, [len(sequence) for sequence in sequences], metadata) as writer:
            show = partial(progress, what=f"attention of shard {shard} of {shards}, batches")
            extract(encoder, sequences, writer, params.batch_size, tokenizer.pad_token_id, show)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
