"""Align words by the cross-attention of translation models, and score the links."""

from functools import partial

import pandas as pd
import torch

from bert_attention.corpora.alignments import read_alignments
from bert_attention.cross_attention import cross_attention
from bert_attention.jobs import configure_logging, progress
from bert_attention.kobayashi.alignment import alignment_tables
from bert_attention.sources import obtain
from bert_attention.tables import write_table
from bert_attention.translation import encode_pairs, load_translation_model


def main(snakemake):
    configure_logging(snakemake.log[0])
    params, paths = snakemake.params, snakemake.input
    torch.set_num_threads(snakemake.threads)
    pairs, _ = read_alignments(paths.source_text, paths.target_text, paths.links)
    by_model = {}
    for name, origin in params.origins.items():
        translation = load_translation_model(obtain(**origin), params.device, languages=params.languages[name])
        show = partial(progress, what=f"{name}, batches")
        maps_of = partial(maps_of_pairs, translation, show)
        by_model[name] = alignment_tables(pairs, maps_of, params.seed)
    for part, path in snakemake.output.items():
        tables = [tables[part].assign(model=name) for name, tables in by_model.items()]
        write_table(pd.concat(tables, ignore_index=True), path)


def maps_of_pairs(translation, show, pairs):
    encoded = encode_pairs(translation, [(pair.source, pair.target) for pair in pairs])
    return cross_attention(translation, encoded, progress=show)


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
