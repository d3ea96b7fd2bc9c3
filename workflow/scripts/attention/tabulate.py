"""Make all tables of an analysis: from sums of all shards, from units that are added up here, or from whole inputs."""

from functools import partial

from bert_attention.plan import by_group
from bert_attention.running.analyses import read_files, sum_all, tables_of_inputs, tables_of_sums
from bert_attention.running.jobs import library_function, progress
from bert_attention.running.scripts import run_script
from bert_attention.statistics.sum_files import read_sums
from bert_attention.statistics.tables import write_tables


def main(snakemake):
    params, files = snakemake.params, snakemake.input
    function, read = library_function(params.function), partial(read_files, files)
    if "sums" in files.keys():  # noqa: SIM118 (Snakemake's object has no other test)
        made = tables_of_sums(function, read_sums(files.sums, params.table, by_group(params.inputs)))
    elif params.sums:
        sums = sum_all(params.inputs, read, library_function(params.sums), partial(progress, what=snakemake.rule))
        made = tables_of_sums(function, sums)
    else:
        made = tables_of_inputs(params.inputs, read, function, bool(params.statistics), **params.kwargs)
    write_tables(made, snakemake.output)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
