"""Turn an attention store into a table, by the analysis that the rule names."""

from bert_attention.jobs import configure_logging, library_function, progress
from bert_attention.store import AttentionStore
from bert_attention.tables import write_table


def main(snakemake):
    configure_logging(snakemake.log[0])
    analysis = library_function(snakemake.params.function)
    sequences = AttentionStore(snakemake.input.attention)
    write_table(analysis(progress(sequences, snakemake.rule)), snakemake.output[0])


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
