"""Write the page, the guide and the codebook of an edition's results."""

from functools import partial
from pathlib import Path

import pandas as pd

from bert_attention.corpora.summaries import read_summaries
from bert_attention.files import replacing
from bert_attention.judging.alternatives import with_choices
from bert_attention.judging.scoreboard import find_tables
from bert_attention.paper.codebook import codebook
from bert_attention.paper.guide import results_guide
from bert_attention.paper.headlines import requested_numbers
from bert_attention.paper.numbers import number_texts
from bert_attention.paper.page import results_page
from bert_attention.papers import paper
from bert_attention.running.scripts import run_script
from bert_attention.tables import read_table
from bert_attention.tokenization.delimiters import Delimiters


def main(snakemake):
    folder = Path(snakemake.output.guide).parent
    files = [Path(file) for file in snakemake.input.results]
    robustness = next(map(pd.read_csv, snakemake.input.robustness), None)
    scoreboard = with_choices(read_table(snakemake.input.scoreboard), robustness)
    tables = find_tables(snakemake.input.tables, folder)
    papers = [paper(name) for name in snakemake.params.papers]
    found = {
        entry["name"]: number_texts(papers, partial(tables, entry["name"]), requested_numbers())
        for entry in snakemake.params.edition["models"]
    }
    delimiters = {name: Delimiters.read(snakemake.input[f"tokenizer_of_{name}"]) for name in found}
    summaries = [summary for path in snakemake.input.summaries for summary in read_summaries(path)]
    results = (snakemake.params.edition, files, folder, scoreboard, found, delimiters)
    texts = {
        snakemake.output.page: results_page(*results, summaries),
        snakemake.output.guide: results_guide(*results),
    }
    texts[snakemake.output.codebook] = codebook(file.stem for file in files if file.suffix == ".csv")
    for path, text in texts.items():
        with replacing(path) as unfinished:
            unfinished.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
