"""Compute gradients of the masked-language-model loss with respect to attention, over the segments."""

from functools import partial
from pathlib import Path

import torch

from bert_attention.clark.importance import importance
from bert_attention.corpora.jsonlines import read_segments
from bert_attention.models.encoders import Encoder, check_fits
from bert_attention.models.masked_language_model import load_masked_language_model
from bert_attention.running.jobs import configure_logging, progress
from bert_attention.tables import write_table
from bert_attention.tokenization.wordpieces import encode_segments, load_tokenizer


def main(snakemake):
    configure_logging(snakemake.log[0])
    params, paths = snakemake.params, snakemake.input
    torch.set_num_threads(snakemake.threads)
    tokenizer = load_tokenizer(Path(paths.tokenizer).parent)
    model = load_masked_language_model(Path(paths.weights).parent, params.device)
    sequences = encode_segments(read_segments(paths.segments), tokenizer, params.segment_ids, paths.segments)
    check_fits(Encoder(model, model.device), sequences, params.segment_ids)
    show = partial(progress, what="gradients, batches")
    table = importance(model, sequences, tokenizer, batch_size=params.batch_size, seed=params.seed, progress=show)
    write_table(table, snakemake.output[0])


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
