"""Add up the sums of an analysis over the units of a shard of its stores, for each task."""

from functools import partial

from bert_attention.running.analyses import Summed, read_files, sum_shard
from bert_attention.running.jobs import library_function, progress
from bert_attention.running.scripts import run_script
from bert_attention.statistics.sum_files import write_sums


def main(snakemake):
    params, table = snakemake.params, snakemake.wildcards.table
    shard, shards = map(int, snakemake.wildcards.scatteritem.split("-of-"))
    show, read = partial(progress, what=f"{snakemake.rule} {table}"), partial(read_files, snakemake.input)
    analyses = {table: Summed(params.inputs, library_function(params.function))}
    write_sums(sum_shard(analyses, read, show, (shard, shards)), snakemake.output[0])


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
