"""Score a Stanza pipeline on a treebank."""

from dataclasses import replace
from functools import partial

import torch

from bert_attention.corpora.conllu import read_conllu
from bert_attention.corpora.sampling import sample
from bert_attention.downloads.sources import obtain, parse_source
from bert_attention.parsing.parser_accuracy import accuracy
from bert_attention.parsing.pipeline import load_pipeline
from bert_attention.running.jobs import progress
from bert_attention.running.scripts import run_script
from bert_attention.statistics.tables import write_tables


def main(snakemake):
    torch.set_num_threads(snakemake.threads)
    sentences = sample(read_conllu(snakemake.input.treebank)[0], snakemake.params.sentences, snakemake.params.seed)
    gold = [replace(sentence, comments=("# newpar",)) for sentence in sentences]  # a text each, as in most tasks
    pipeline = load_pipeline(obtain(**snakemake.params.origin), device=snakemake.params.device)
    scores = accuracy(pipeline, gold, progress=partial(progress, what="parsing, batches"))
    treebank = snakemake.params.treebank
    trees = treebank["trees"]
    if trees == "gold":
        text = parse_source(treebank["dev"]["source"]).text
    else:
        text = f"running text of other articles, parsed by {trees}"
    write_tables(scores.with_rows(lambda table: table.assign(corpus=text)), snakemake.output)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
