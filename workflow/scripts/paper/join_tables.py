"""Join the tables of all tasks, for each table that their rule makes."""

from pathlib import Path

from bert_attention.running.scripts import run_script
from bert_attention.statistics.jackknife import joined
from bert_attention.statistics.tables import read_replicates, write_tables


def main(snakemake):
    paths_of = {name: paths for name, paths in snakemake.input.items() if name != "replicates"}
    by_name = {name: {Path(p).parent.name: read_replicates(p) for p in paths} for name, paths in paths_of.items()}
    write_tables({name: joined(by_task) for name, by_task in by_name.items()}, snakemake.output)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
