"""Align words by the cross-attention of translation models, and score the links."""

from functools import partial

import pandas as pd
import torch

from bert_attention.corpora.alignments import read_alignments
from bert_attention.cross_attention import cross_attention
from bert_attention.jobs import configure_logging, progress
from bert_attention.kobayashi.alignment import (
    alignment,
    alignment_examples,
    alignment_summary,
    count_links,
    example_pairs,
)
from bert_attention.sources import obtain
from bert_attention.tables import write_table
from bert_attention.translation import encode_pairs, load_translation_model


def tables_of(translation, pairs, seed, show):
    """The three tables of one model."""
    encoded = encode_pairs(translation, [(pair.source, pair.target) for pair in pairs])
    counts = count_links(pairs, cross_attention(translation, encoded, progress=show))
    table = alignment(counts, seed)
    shown = example_pairs(pairs)
    examples = alignment_examples(
        [pairs[place] for place in shown], cross_attention(translation, [encoded[place] for place in shown]), table
    )
    return {"table": table, "summary": alignment_summary(counts, seed), "examples": examples}


def main(snakemake):
    configure_logging(snakemake.log[0])
    params, paths = snakemake.params, snakemake.input
    torch.set_num_threads(snakemake.threads)
    pairs, _ = read_alignments(paths.source_text, paths.target_text, paths.links)
    by_model = {}
    for name, origin in params.origins.items():
        translation = load_translation_model(obtain(**origin), params.device, languages=params.languages[name])
        by_model[name] = tables_of(translation, pairs, params.seed, partial(progress, what=f"{name}, batches"))
    for part, path in snakemake.output.items():
        tables = [tables[part].assign(model=name) for name, tables in by_model.items()]
        write_table(pd.concat(tables, ignore_index=True), path)


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
