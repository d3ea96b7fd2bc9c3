"""Make the table of all models' headline numbers from the tables of each."""

from bert_attention.comparison.headlines import headlines
from bert_attention.running.jobs import configure_logging
from bert_attention.tables import read_table, write_table


def main(snakemake):
    configure_logging(snakemake.log[0])
    models = snakemake.params.models
    by_model = {name: dict(zip(models, map(read_table, paths), strict=True)) for name, paths in snakemake.input.items()}
    write_table(headlines(**by_model), snakemake.output[0])


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
