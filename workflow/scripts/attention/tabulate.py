"""Make tables from attention stores, corpora and other tables, with the analysis that results.yaml names.

What is read has the names of the analysis's arguments; behind the name of a task, if the analysis is made for each.
"""

from itertools import groupby

from bert_attention.results import READERS
from bert_attention.running.jobs import configure_logging, library_function, progress
from bert_attention.tables import join_tables, write_tables


def main(snakemake):
    configure_logging(snakemake.log[0])
    params = snakemake.params
    analysis = library_function(params.function)
    given = {"seed": params.get("seed"), "threads": snakemake.threads}
    arguments = {name: given[name] for name in params.given}

    def read(argument, paths):
        found = library_function(READERS[params.reads[argument]])(paths)
        return progress(found, snakemake.rule) if params.reads[argument] == "attention" else found

    made = []
    for task, files in groupby(snakemake.input.items(), lambda item: item[0].rpartition("/")[0]):
        inputs = {name.rpartition("/")[2]: paths for name, paths in files}
        of_task = {"task": task} if task else {}
        made.append(analysis(**{name: read(name, paths) for name, paths in inputs.items()}, **of_task, **arguments))
    write_tables(join_tables(made), snakemake.output)


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
