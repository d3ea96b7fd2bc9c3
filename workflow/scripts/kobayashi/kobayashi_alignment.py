"""Align words by the cross-attention of translation models, and score the links."""

from functools import partial

import torch

from bert_attention.attention.cross_attention import cross_attention
from bert_attention.corpora.alignments import read_alignments
from bert_attention.downloads.sources import obtain
from bert_attention.models.translation import load_translation_model
from bert_attention.models.translation_input import encode_pairs
from bert_attention.papers.kobayashi.alignment import alignment_tables, tables_of_models
from bert_attention.running.jobs import progress
from bert_attention.running.scripts import run_script
from bert_attention.statistics.tables import write_tables


def main(snakemake):
    params, paths = snakemake.params, snakemake.input
    torch.set_num_threads(snakemake.threads)
    pairs, _ = read_alignments(paths.source_text, paths.target_text, paths.links, base=0)
    by_seed = {}
    for name, origin in params.origins.items():
        folder = obtain(**origin)
        translation = load_translation_model(folder, params.device, languages=params.languages[name])
        show = partial(progress, what=f"{name}, batches")
        maps_of = partial(maps_of_pairs, translation, show)
        by_seed[params.trained[name]] = alignment_tables(pairs, maps_of)
    write_tables(tables_of_models(by_seed), snakemake.output)


def maps_of_pairs(translation, show, pairs):
    encoded = encode_pairs(translation, [(pair.source, pair.target) for pair in pairs])
    return cross_attention(translation, encoded, progress=show)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
