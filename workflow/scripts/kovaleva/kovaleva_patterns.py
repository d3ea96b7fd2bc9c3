"""Count patterns of attention on one task."""

from safetensors.torch import load_file

from bert_attention.attention.store import open_store
from bert_attention.kovaleva.pattern_classifier import with_weights
from bert_attention.kovaleva.patterns import patterns
from bert_attention.running.jobs import configure_logging
from bert_attention.tables import read_table, write_tables


def main(snakemake):
    configure_logging(snakemake.log[0])
    paths, params = snakemake.input, snakemake.params
    stores = {name: open_store(paths[name], **made_with) for name, made_with in params.stores_made_with.items()}
    tables = patterns(
        **stores,
        classifier=with_weights(load_file(paths.classifier)),
        kovaleva_pattern_predictions=read_table(paths.predictions),
        task=snakemake.wildcards.task,
        examples=params.examples,
        seed=params.seed,
    )
    write_tables(tables, snakemake.output)


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
