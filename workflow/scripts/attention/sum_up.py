"""Add up an analysis's sums over the units of a shard, for each task and random encoder."""

from functools import partial

from bert_attention.plan import by_group
from bert_attention.running.jobs import library_function, progress
from bert_attention.running.scripts import run_script
from bert_attention.statistics.sum_files import write_sums
from bert_attention.statistics.sums import blocks_of_shard, sum_units, units_of_shard


def main(snakemake):
    params = snakemake.params
    shard, shards = map(int, snakemake.wildcards.scatteritem.split("-of-"))
    found = {}
    for group, reads in by_group(params.reads).items():
        readers = {read.argument: partial(library_function(read.reader), snakemake.input[read.key]) for read in reads}
        attention = [read.argument for read in reads if read.source.kind == "attention"]
        stores = {argument: readers[argument](shard=(shard, shards)) for argument in attention}
        blocks = stores[attention[0]].metadata.blocks
        part = units_of_shard(blocks, shard, shards)
        named = [read.argument for read in reads if read.is_unit]
        units = {name: stores[name] if name in stores else readers[name](part=part) for name in named}
        whole = {read.argument: readers[read.argument]() for read in reads if not read.is_unit}
        show = partial(progress, what=f"{snakemake.rule} {snakemake.wildcards.table}", total=len(part))
        inside = blocks_of_shard(blocks, shard, shards)
        sums = sum_units(library_function(params.function), units, whole, inside, show)
        found[group] = sums, part, list(map(len, blocks))
    write_sums(found, snakemake.output[0])


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
