"""Compute gradients of the masked-language-model loss with respect to attention, over the segments."""

from copy import deepcopy

import torch

from bert_attention.corpora.jsonlines import articles_of, read_segments
from bert_attention.files import folders_of
from bert_attention.models.encoders import Encoder, check_fits
from bert_attention.models.masked_language_model import load_masked_language_model
from bert_attention.models.random_weights import randomize
from bert_attention.papers.clark.importance import sums_of_sequences, table
from bert_attention.running.jobs import progress
from bert_attention.running.scripts import run_script
from bert_attention.statistics.jackknife import joined, tabulated
from bert_attention.statistics.sums import Sums, blocks_of, spread_sample, sum_up
from bert_attention.statistics.tables import write_tables
from bert_attention.tokenization.wordpieces import encode_segments, load_tokenizer


def main(snakemake):
    params, paths = snakemake.params, snakemake.input
    torch.set_num_threads(snakemake.threads)
    tokenizer = load_tokenizer(folders_of(paths.tokenizer)[0])
    units, blocks = spread_sample(blocks_of(articles_of(paths.segments)), params.segments)
    sequences = encode_segments(read_segments(paths.segments, units), tokenizer, params.segment_ids, paths.segments)
    (folder,) = folders_of(paths.weights)
    trained = load_masked_language_model(folder, params.device, paths.head or None)
    made = {}
    for group, weights_seed in params.seeds.items():
        model = deepcopy(trained)
        if weights_seed is not None:
            randomize(model.base_model, weights_seed)
        check_fits(Encoder(model, model.device), sequences, params.segment_ids)
        added = sums_of_sequences(model, sequences, tokenizer, batch_size=params.batch_size, seed=params.seed)
        shown = progress(added, "gradients, segments", len(sequences))
        made[group] = tabulated(table, Sums(sum_up(shown, blocks)))
    write_tables(joined(made), snakemake.output)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
