"""Score a Stanza pipeline on a treebank."""

from functools import partial

import torch

from bert_attention.corpora.conllu import read_conllu
from bert_attention.downloads.sources import obtain
from bert_attention.parsing.pipeline import load_pipeline
from bert_attention.parsing.training import evaluate_parser
from bert_attention.running.jobs import progress
from bert_attention.running.scripts import run_script
from bert_attention.statistics.tables import write_table


def main(snakemake):
    torch.set_num_threads(snakemake.threads)
    gold, _ = read_conllu(snakemake.input.treebank)
    pipeline = load_pipeline(obtain(**snakemake.params.origin, is_model=True), device=snakemake.params.device)
    scores = evaluate_parser(pipeline, gold, progress=partial(progress, what="parsing, batches"))
    treebank = snakemake.params.treebank
    text = treebank["dev"]["source"] if treebank["trees"] == "gold" else "wikipedia, as the pipeline itself parses it"
    write_table(scores.assign(corpus=text), snakemake.output[0])


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
