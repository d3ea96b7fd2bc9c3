"""Make tables from attention stores, corpora and other tables, with the analysis that the rule names.

The inputs of a rule have the names of the analysis's arguments; an input's name decides how it is read.
"""

from bert_attention.attention.store import AttentionStore
from bert_attention.corpora.conllu import read_conllu
from bert_attention.corpora.corefud import read_corefud
from bert_attention.corpora.jsonlines import read_task_inputs
from bert_attention.corpora.texts import split_texts
from bert_attention.corpora.token_frequency import load_ranks
from bert_attention.running.jobs import configure_logging, library_function, progress
from bert_attention.tables import read_table, write_tables


def read(name, paths, rule):
    if name == "documents":
        return read_corefud(paths)[0]
    if name.endswith("treebank"):
        return read_conllu(paths)[0]
    if name.endswith("sequences"):
        return progress(AttentionStore.of(*paths), rule)
    if name == "examples":
        return read_task_inputs(paths)
    if name == "parses":
        return split_texts(read_conllu(paths)[0])
    if name == "ranks":
        return load_ranks(paths)
    return read_table(paths)


def main(snakemake):
    configure_logging(snakemake.log[0])
    analysis = library_function(snakemake.params.function)
    inputs = {name: read(name, paths, snakemake.rule) for name, paths in snakemake.input.items()}
    arguments = snakemake.params.get("arguments", {})
    write_tables(analysis(**inputs, **arguments), snakemake.output)


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
