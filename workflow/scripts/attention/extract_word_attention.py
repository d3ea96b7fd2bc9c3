"""Run encoders over a shard of a treebank or coreference corpus, and write attention between words to stores."""

from functools import partial

import torch

from bert_attention.attention.extraction import extract_words, shard_metadata
from bert_attention.attention.hooks import HookedEncoder
from bert_attention.attention.store import shard_writer
from bert_attention.attention.words import word_starts
from bert_attention.corpora.conllu import documents_of, words_of_corpus
from bert_attention.files import folders_of
from bert_attention.models.encoders import check_fits, load_encoder
from bert_attention.running.jobs import logger, progress
from bert_attention.running.scripts import run_script
from bert_attention.statistics.sums import blocks_of, units_of_shard
from bert_attention.tokenization.wordpieces import load_tokenizer
from bert_attention.tokenization.words import encode_words, wordpieces_of_words


def main(snakemake):
    params, paths = snakemake.params, snakemake.input
    torch.set_num_threads(snakemake.threads)
    shard, shards = map(int, snakemake.wildcards.scatteritem.split("-of-"))
    tokenizer = load_tokenizer(folders_of(paths.tokenizer)[0])
    blocks = blocks_of(documents_of(paths.corpus))
    part = units_of_shard(blocks, shard, shards)
    wordpieces = wordpieces_of_words(words_of_corpus(paths.corpus, part), tokenizer)
    sequences = [encode_words(words, tokenizer) for words in wordpieces]
    lengths = [len(word_starts(sequence.word_ids)) for sequence in sequences]
    for folder, output in zip(folders_of(paths.weights), snakemake.output, strict=True):
        encoder = HookedEncoder.of(load_encoder(folder, params.device))
        check_fits(encoder, sequences, "zeros")
        files = {"weights": folder / "model.safetensors", "tokenizer": paths.tokenizer[0], "corpus": paths.corpus}
        described = {"model": params.model, "blocks": blocks, **params.store_settings}
        metadata = shard_metadata(encoder, tokenizer, files, part, **described)
        logger.info("%d sequences on %s", len(sequences), encoder.device)
        with shard_writer(output, lengths, metadata) as writer:
            show = partial(progress, what=f"attention of shard {shard} of {shards}, batches")
            extract_words(encoder, sequences, writer, params.batch_size, tokenizer.pad_token_id, show)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
