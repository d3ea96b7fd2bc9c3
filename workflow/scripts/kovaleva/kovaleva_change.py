"""Compare the attention of an encoder before and after fine-tuning, and after fine-tuning from another seed."""

import torch

from bert_attention.attention.hooks import HookedEncoder
from bert_attention.corpora.jsonlines import articles_of, read_segments
from bert_attention.files import folders_of
from bert_attention.models.encoders import check_fits, load_encoder
from bert_attention.papers.kovaleva.change import sums_of_examples, table
from bert_attention.running.jobs import progress
from bert_attention.running.scripts import run_script
from bert_attention.statistics.jackknife import joined, tabulated
from bert_attention.statistics.sums import Sums
from bert_attention.statistics.tables import write_tables
from bert_attention.tokenization.wordpieces import encode_segments, load_tokenizer


def main(snakemake):
    params, paths = snakemake.params, snakemake.input
    torch.set_num_threads(snakemake.threads)
    tokenizer = load_tokenizer(folders_of(paths.tokenizer)[0])
    pretrained, *finetuned = (
        HookedEncoder.of(load_encoder(folder, params.device))
        for folder in folders_of([*paths.pretrained, *paths.finetuned])
    )
    sequences = encode_segments(read_segments(paths.examples), tokenizer, params.segment_ids, paths.examples)
    check_fits(pretrained, sequences, params.segment_ids)
    added = sums_of_examples(
        pretrained,
        finetuned,
        sequences,
        pad_id=tokenizer.pad_token_id,
        batch_size=params.batch_size,
        padded_length=params.padded_length,
        padded_examples=params.padded_examples,
        seed=params.seed,
    )
    shown = progress(added, "attention of all models, examples", len(sequences))
    found = tabulated(table, Sums.of(shown, articles_of(paths.examples)))
    write_tables(joined({snakemake.wildcards.task: found}), snakemake.output)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
