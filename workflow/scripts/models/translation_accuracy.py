"""Score translation models on aligned translations."""

import torch

from bert_attention.corpora.alignments import read_alignments
from bert_attention.downloads.sources import obtain
from bert_attention.models.translation import load_translation_model
from bert_attention.models.translation_accuracy import correct_tokens, table
from bert_attention.models.translation_input import encode_pairs
from bert_attention.running.scripts import run_script
from bert_attention.statistics.jackknife import stacked, tabulated
from bert_attention.statistics.sums import Sums
from bert_attention.statistics.tables import write_table


def main(snakemake):
    params, paths = snakemake.params, snakemake.input
    torch.set_num_threads(snakemake.threads)
    pairs, _ = read_alignments(paths.source_text, paths.target_text, paths.links, base=0)
    of_models = []
    for name, origin in params.origins.items():
        folder = obtain(**origin)
        translation = load_translation_model(folder, params.device, languages=params.languages[name])
        encoded = encode_pairs(translation, [(pair.source, pair.target) for pair in pairs])
        right, total = correct_tokens(translation, encoded)
        added = ({"right": r, "total": t, "pairs": 1} for r, t in zip(right, total, strict=True))
        of_model = tabulated(table, Sums.of(added, range(len(pairs))))
        of_models.append(of_model.with_rows(lambda t, name=name: t.assign(model=name)))
    write_table(stacked(of_models), snakemake.output[0])


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
