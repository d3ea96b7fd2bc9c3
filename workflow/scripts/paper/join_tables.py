"""Join the tables of all tasks into one table."""

from bert_attention.running.scripts import run_script
from bert_attention.statistics.jackknife import joined
from bert_attention.statistics.tables import read_replicates, write_tables


def main(snakemake):
    by_name = {}
    for each in snakemake.params.inputs:
        by_name.setdefault(each.name, {})[each.task] = read_replicates(snakemake.input[each.key])
    write_tables({name: joined(by_task) for name, by_task in by_name.items()}, snakemake.output)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
