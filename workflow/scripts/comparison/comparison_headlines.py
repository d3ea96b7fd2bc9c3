"""Make the table of all models' headline numbers from the tables of each."""

from bert_attention.comparison.headlines import side_by_side
from bert_attention.running.jobs import configure_logging
from bert_attention.statistics.tables import read_replicates, write_table


def main(snakemake):
    configure_logging(snakemake.log[0])
    paths = {name: files for name, files in snakemake.input.items() if name != "replicates"}
    models = {
        model: {name: read_replicates(files[place]) for name, files in paths.items()}
        for place, model in enumerate(snakemake.params.models)
    }
    write_table(side_by_side(models), snakemake.output[0])


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
