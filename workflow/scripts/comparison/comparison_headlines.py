"""Make the table of all models' headline numbers from each model's tables."""

from bert_attention.papers.comparison.headlines import side_by_side
from bert_attention.running.scripts import run_script
from bert_attention.statistics.tables import read_replicates, write_table


def main(snakemake):
    models: dict = {model: {} for model in snakemake.params.models}
    for key, (model, name) in snakemake.params.tables.items():
        models[model][name] = read_replicates(snakemake.input[key])
    write_table(side_by_side(models), snakemake.output[0])


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
