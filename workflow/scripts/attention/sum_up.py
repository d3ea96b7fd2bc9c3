"""Add up what the units of a shard add to an analysis that results.yaml names; for each task, if it is made for each.

What is read has the names of the arguments of its function `sums`; behind the name of a task, if there are tasks.
"""

from functools import partial
from itertools import groupby

from bert_attention.results import READERS
from bert_attention.running.jobs import configure_logging, library_function, progress
from bert_attention.statistics.sum_files import write_sums
from bert_attention.statistics.sums import blocks_of_shard, sum_up


def main(snakemake):
    configure_logging(snakemake.log[0])
    params = snakemake.params
    shard, shards = map(int, snakemake.wildcards.scatteritem.split("-of-"))
    found = {}
    for task, files in groupby(snakemake.input.items(), lambda item: item[0].rpartition("/")[0]):
        read = {}
        for name, paths in files:
            argument = name.rpartition("/")[2]
            read[argument] = library_function(READERS[params.kinds[argument]])(paths)
        stores = [read[argument] for argument, kind in params.kinds.items() if kind == "attention"]
        total = stores[0].metadata.sequences
        blocks = blocks_of_shard(total, shard, shards)
        part = range(blocks[0].start, blocks[-1].stop) if blocks else range(0)
        constant = {argument: read[argument] for argument in params.kinds if argument not in params.units}
        # Attention is that of the shard; all else is read whole.
        units = [
            read[name] if params.kinds[name] == "attention" else read[name][part.start : part.stop]
            for name in params.units
        ]
        sums = partial(library_function(params.function), **constant)
        added = (
            sums(**dict(zip(params.units, unit, strict=True)))
            for unit in progress(zip(*units, strict=True), snakemake.rule, total=len(part))
        )
        found[task] = sum_up(added, blocks), part, total
    write_sums(found, snakemake.output[0])


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
