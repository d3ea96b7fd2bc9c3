"""Run encoders over a shard of a corpus, and write each encoder's attention to a store."""

from functools import partial

import torch

from bert_attention.attention.extraction import extract, stored_lengths
from bert_attention.attention.model_input import read_model_input
from bert_attention.attention.store import shard_writer
from bert_attention.files import folders_of
from bert_attention.running.jobs import logger, progress
from bert_attention.running.scripts import run_script
from bert_attention.tokenization.wordpieces import load_tokenizer


def main(snakemake):
    params, paths = snakemake.params, snakemake.input
    torch.set_num_threads(snakemake.threads)
    shard, shards = map(int, snakemake.wildcards.scatteritem.split("-of-"))
    tokenizer = load_tokenizer(folders_of(paths.tokenizer)[0])
    model_input = read_model_input(paths.corpus, tokenizer, params.store_settings, (shard, shards), params.most)
    for folder, output in zip(folders_of(paths.weights), snakemake.output, strict=True):
        files = {"weights": folder / "model.safetensors", "tokenizer": paths.tokenizer[0], "corpus": paths.corpus}
        run = {**params.run, "weights_seed": params.weights_seed}
        streamed = model_input.streamed(folder, tokenizer, params.store_settings, files=files, **run)
        encoder, sequences, metadata = streamed.encoder, streamed.sequences, streamed.metadata
        logger.info("%d sequences on %s", len(sequences), encoder.device)
        with shard_writer(output, stored_lengths(sequences, metadata), metadata) as writer:
            show = partial(progress, what=f"attention of shard {shard} of {shards}, batches")
            extract(encoder, sequences, writer, streamed.batch_size, tokenizer.pad_token_id, show)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
