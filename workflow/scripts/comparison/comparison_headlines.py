"""Make the table of all models' headline numbers from the tables of each."""

from bert_attention.comparison.headlines import side_by_side
from bert_attention.running.scripts import run_script
from bert_attention.statistics.tables import read_replicates, write_table


def main(snakemake):
    paths = {name: files for name, files in snakemake.input.items() if name != "replicates"}
    models = {
        model: {name: read_replicates(files[place]) for name, files in paths.items()}
        for place, model in enumerate(snakemake.params.models)
    }
    write_table(side_by_side(models), snakemake.output[0])


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
