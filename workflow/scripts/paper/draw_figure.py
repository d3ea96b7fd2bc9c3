"""Draw a figure from its tables, for every model of the edition, by the function that its rule names."""

from pathlib import Path

from bert_attention.figures.style import save
from bert_attention.running.jobs import library_function
from bert_attention.running.scripts import run_script
from bert_attention.tables import read_table


def main(snakemake):
    params, outputs = snakemake.params, snakemake.output
    draw = library_function(params.function)
    name, claims = Path(outputs.pdf[0]).stem, snakemake.input.get("claims")
    published = {argument: library_function(reader)(claims, name) for argument, reader in params.published.items()}
    tables = {name: list(paths) for name, paths in snakemake.input.items() if name != "claims"}
    for model, files in enumerate(zip(outputs.pdf, outputs.png, strict=True)):
        figure = draw(**{name: read_table(paths[model]) for name, paths in tables.items()}, **published)
        for file in files:
            save(figure, file)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
