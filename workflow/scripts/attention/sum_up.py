"""Add up what the units of a shard add to an analysis that results.yaml names; for each task, if it is made for each.

What is read has the names of the arguments of its function `sums`; behind the name of a task, if there are tasks.
"""

from functools import partial
from itertools import groupby

from bert_attention.results import READERS
from bert_attention.running.jobs import library_function, progress
from bert_attention.running.scripts import run_script
from bert_attention.statistics.sum_files import write_sums
from bert_attention.statistics.sums import added_up, blocks_of_shard, units_of_shard


def main(snakemake):
    params = snakemake.params
    shard, shards = map(int, snakemake.wildcards.scatteritem.split("-of-"))
    found = {}
    for task, files in groupby(snakemake.input.items(), lambda item: item[0].rpartition("/")[0]):
        readers = {}
        for name, paths in files:
            argument = name.rpartition("/")[2]
            reader = library_function(READERS[params.kinds[argument]])
            readers[argument] = partial(reader, paths, **params.stores_made_with.get(name, {}))
        stores = {argument: readers[argument]() for argument, kind in params.kinds.items() if kind == "attention"}
        blocks = next(iter(stores.values())).metadata.blocks
        part = units_of_shard(blocks, shard, shards)
        units = {name: stores[name] if name in stores else readers[name](part=part) for name in params.units}
        whole = {argument: readers[argument]() for argument in params.kinds if argument not in units}
        show = partial(progress, what=snakemake.rule, total=len(part))
        inside = blocks_of_shard(blocks, shard, shards)
        sums = added_up(library_function(params.function), units, whole, inside, show)
        found[task] = sums, part, list(map(len, blocks))
    write_sums(found, snakemake.output[0])


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
