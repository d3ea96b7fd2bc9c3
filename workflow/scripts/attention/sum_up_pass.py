"""Run encoders over a shard of a corpus, and add up the sums of all analyses of a paper that read it."""

from functools import partial

import torch

from bert_attention.attention.passes import PassInputs
from bert_attention.running.analyses import Summed, sum_shard
from bert_attention.running.jobs import library_function, progress
from bert_attention.running.scripts import run_script
from bert_attention.statistics.sum_files import write_sums


def main(snakemake):
    params, wildcards = snakemake.params, snakemake.wildcards
    torch.set_num_threads(snakemake.threads)
    shard, shards = map(int, wildcards.scatteritem.split("-of-"))
    how = {"settings": params.settings, "seeds": params.seeds, "most": params.most, **params.run}
    inputs = PassInputs(snakemake.input, (shard, shards), reader=library_function, **how)
    analyses = {
        table: Summed(params.tables[table], library_function(params.functions[table])) for table in params.tables
    }
    show = partial(progress, what=f"{wildcards.corpus}, shard {shard} of {shards}")
    write_sums(sum_shard(analyses, inputs.read, show, (shard, shards)), snakemake.output[0])


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
