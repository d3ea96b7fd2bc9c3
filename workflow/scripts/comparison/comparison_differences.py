"""Make the table of differences between the models of an edition."""

from pathlib import Path

from bert_attention.corpora.same_texts import read_alike
from bert_attention.judging.scoreboard import find_tables
from bert_attention.papers import paper
from bert_attention.papers.comparison.differences import differences
from bert_attention.running.scripts import run_script
from bert_attention.statistics.tables import write_table
from bert_attention.tables import read_table


def main(snakemake):
    params, paths = snakemake.params, snakemake.input
    alike = read_alike({name: paths[name] for name in params.corpora})
    tables = find_tables(paths.tables, Path(params.folder))
    table = differences(map(paper, params.papers), tables, read_table(paths.scoreboard), alike)
    write_table(table, snakemake.output[0])


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
