"""Make all tables of an analysis from the sums of all shards. With one shard, add up the sums here."""

from functools import partial

from bert_attention.running.jobs import library_function, progress
from bert_attention.running.scripts import run_script
from bert_attention.running.shards import sum_shard
from bert_attention.statistics.jackknife import joined, tabulated
from bert_attention.statistics.sum_files import read_sums
from bert_attention.statistics.sums import Sums
from bert_attention.statistics.tables import write_tables


def main(snakemake):
    params, files = snakemake.params, snakemake.input
    if "sums" in files.keys():  # noqa: SIM118 (Snakemake's object has no other test)
        sums = read_sums(files.sums)
    else:
        show = partial(progress, what=snakemake.rule)
        found = sum_shard(params.inputs, files, library_function(params.sums), 1, 1, show)
        sums = {group: Sums(of_group.arrays) for group, of_group in found.items()}
    function = library_function(params.function)
    write_tables(joined({group: tabulated(function, part) for group, part in sums.items()}), snakemake.output)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
