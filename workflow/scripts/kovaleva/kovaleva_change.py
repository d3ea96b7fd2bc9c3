"""Compare the attention of an encoder before and after fine-tuning, and after fine-tuning from another seed."""

from functools import partial
from pathlib import Path

import torch

from bert_attention.attention.hooks import HookedEncoder
from bert_attention.corpora.jsonlines import read_segments
from bert_attention.kovaleva.change import change
from bert_attention.models.encoders import check_fits, load_encoder
from bert_attention.running.jobs import configure_logging, progress
from bert_attention.tables import write_table
from bert_attention.tokenization.wordpieces import encode_segments, load_tokenizer


def main(snakemake):
    configure_logging(snakemake.log[0])
    params, paths = snakemake.params, snakemake.input
    torch.set_num_threads(snakemake.threads)
    tokenizer = load_tokenizer(Path(paths.tokenizer).parent)
    pretrained, *finetuned = (
        HookedEncoder.of(load_encoder(Path(file).parent, params.device))
        for file in (paths.pretrained, *paths.finetuned)
    )
    sequences = encode_segments(read_segments(paths.examples), tokenizer, params.segment_ids, paths.examples)
    check_fits(pretrained, sequences, params.segment_ids)
    table = change(
        pretrained,
        finetuned,
        sequences,
        snakemake.wildcards.task,
        pad_id=tokenizer.pad_token_id,
        batch_size=params.batch_size,
        padded_length=params.padded_length,
        padded_examples=params.padded_examples,
        seed=params.seed,
        progress=partial(progress, what="attention of all models, batches"),
    )
    write_table(table, snakemake.output[0])


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
