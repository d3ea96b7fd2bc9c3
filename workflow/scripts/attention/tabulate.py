"""Make all tables of an analysis from the sums of all shards."""

from bert_attention.running.jobs import library_function
from bert_attention.running.scripts import run_script
from bert_attention.statistics.jackknife import joined, tabulated
from bert_attention.statistics.sum_files import read_sums
from bert_attention.statistics.tables import write_tables


def main(snakemake):
    function = library_function(snakemake.params.function)
    sums = read_sums(snakemake.input.sums)
    write_tables(joined({group: tabulated(function, part) for group, part in sums.items()}), snakemake.output)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
