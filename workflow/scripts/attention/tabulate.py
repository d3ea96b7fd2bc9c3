"""Make tables with the analysis that results.yaml names: of sums of all shards, or of stores, corpora and tables."""

from itertools import groupby
from pathlib import Path

from bert_attention.results import CONTROL, READERS
from bert_attention.running.jobs import library_function, progress
from bert_attention.running.scripts import run_script
from bert_attention.statistics.jackknife import joined, of_control, of_tables, tabulated
from bert_attention.statistics.sum_files import read_sums
from bert_attention.statistics.tables import write_tables


def main(snakemake):
    params = snakemake.params
    function = library_function(params.function)
    if params.units:
        sums = read_sums(snakemake.input)
        write_tables(
            joined({group: tabulated(function, of_group) for group, of_group in sums.items()}), snakemake.output
        )
        return

    def read(name, paths):
        kind = params.kinds[name.rpartition("/")[2]]
        made_with = params.stores_made_with.get(name, {})
        found = library_function(READERS[kind])(paths[0] if kind == "table" else paths, **made_with)
        if kind == "table" and "/" in name and Path(paths[0]).parent.name == Path(CONTROL).name:
            return of_control(found, name.partition("/")[0])
        return progress(found, snakemake.rule) if kind == "attention" else found

    given = {name: params[name] for name in params.given}
    made = {}
    for group, files in groupby(snakemake.input.items(), lambda item: item[0].rpartition("/")[0]):
        arguments = {name.rpartition("/")[2]: read(name, paths) for name, paths in files}
        made[group] = of_tables(function, params.has_statistics, **arguments, **given)
    write_tables(joined(made), snakemake.output)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
