"""Score a Stanza pipeline on a treebank."""

from functools import partial

import torch

from bert_attention.corpora.conllu import read_conllu
from bert_attention.downloads.sources import obtain
from bert_attention.parsing.parser_accuracy import accuracy
from bert_attention.parsing.pipeline import load_pipeline
from bert_attention.running.jobs import progress
from bert_attention.running.scripts import run_script
from bert_attention.statistics.tables import write_tables


def main(snakemake):
    torch.set_num_threads(snakemake.threads)
    gold, _ = read_conllu(snakemake.input.treebank)
    pipeline = load_pipeline(obtain(**snakemake.params.origin, is_model=True), device=snakemake.params.device)
    scores = accuracy(pipeline, gold, progress=partial(progress, what="parsing, batches"))
    treebank = snakemake.params.treebank
    text = treebank["dev"]["source"] if treebank["trees"] == "gold" else "wikipedia, as the pipeline itself parses it"
    write_tables(scores.made_into(lambda table: table.assign(corpus=text)), snakemake.output)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
