"""Add up an analysis's sums over the units of a shard, for each task and random encoder."""

from functools import partial

from bert_attention.running.analyses import read_files, sum_shard
from bert_attention.running.jobs import library_function, progress
from bert_attention.running.scripts import run_script
from bert_attention.statistics.sum_files import write_sums


def main(snakemake):
    params = snakemake.params
    shard, shards = map(int, snakemake.wildcards.scatteritem.split("-of-"))
    show = partial(progress, what=f"{snakemake.rule} {snakemake.wildcards.table}")
    read, function = partial(read_files, snakemake.input), library_function(params.function)
    write_sums(sum_shard(params.inputs, read, function, show, (shard, shards)), snakemake.output[0])


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
