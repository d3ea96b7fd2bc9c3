"""Score translation models on aligned translations."""

import pandas as pd
import torch

from bert_attention.corpora.alignments import read_alignments
from bert_attention.downloads.sources import obtain
from bert_attention.models.translation import load_translation_model
from bert_attention.models.translation_accuracy import token_accuracy
from bert_attention.models.translation_input import encode_pairs
from bert_attention.running.jobs import configure_logging
from bert_attention.statistics.tables import write_table


def main(snakemake):
    configure_logging(snakemake.log[0])
    params, paths = snakemake.params, snakemake.input
    torch.set_num_threads(snakemake.threads)
    pairs, _ = read_alignments(paths.source_text, paths.target_text, paths.links)
    rows = []
    for name, origin in params.origins.items():
        folder = obtain(**origin, is_model=True)
        translation = load_translation_model(folder, params.device, languages=params.languages[name])
        encoded = encode_pairs(translation, [(pair.source, pair.target) for pair in pairs])
        rows.append({"model": name, "accuracy": token_accuracy(translation, encoded), "n": len(pairs)})
    write_table(pd.DataFrame(rows), snakemake.output[0])


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
