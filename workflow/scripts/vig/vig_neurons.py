"""Run encoders on altered inputs, measure the effect on their neurons, and save examples."""

from functools import partial

import torch

from bert_attention.attention.hooks import HookedEncoder
from bert_attention.corpora.jsonlines import articles_of, read_segments
from bert_attention.files import folders_of
from bert_attention.models.encoders import check_fits
from bert_attention.models.random_weights import load_control
from bert_attention.papers.vig.neurons import neuron_examples, neurons, table
from bert_attention.running.jobs import progress
from bert_attention.running.scripts import run_script
from bert_attention.statistics.jackknife import Replicates, joined, tabulated
from bert_attention.statistics.sums import blocks_of, spread_sample
from bert_attention.statistics.tables import write_tables
from bert_attention.tokenization.wordpieces import (
    encode_segment,
    encode_segments,
    load_tokenizer,
    segment_of,
    tokenize_texts,
)


def main(snakemake):
    params, paths = snakemake.params, snakemake.input
    torch.set_num_threads(snakemake.threads)
    tokenizer = load_tokenizer(folders_of(paths.tokenizer)[0])
    units, blocks = spread_sample(blocks_of(articles_of(paths.segments)), params.segments)
    sequences = encode_segments(read_segments(paths.segments, units), tokenizer, params.segment_ids, paths.segments)
    example = encode_segment(
        segment_of("example", *tokenize_texts(tokenizer, params.example)), tokenizer, params.segment_ids
    )
    tokens = tokenizer.convert_ids_to_tokens(example.token_ids)
    made = {}
    for group, weights_seed in params.seeds.items():
        encoder = HookedEncoder.of(load_control(folders_of(paths.weights)[0], params.device, weights_seed))
        check_fits(encoder, sequences, params.segment_ids)
        show = partial(progress, what="neurons, batches")
        added = neurons(encoder, sequences, blocks, tokenizer.pad_token_id, params.batch_size, show)
        measured = tabulated(table, added)
        examples = Replicates(neuron_examples(encoder, example, tokens, measured.whole))
        made[group] = {"vig_neurons": measured, "vig_neuron_examples": examples}
    write_tables(joined(made), snakemake.output)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
