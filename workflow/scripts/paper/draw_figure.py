"""Draw a figure from its tables, for every model of the edition, by the function that the rule names."""

from pathlib import Path

from bert_attention.claims.publications import published_curves
from bert_attention.figures.style import save
from bert_attention.running.jobs import configure_logging, library_function
from bert_attention.tables import read_table


def main(snakemake):
    configure_logging(snakemake.log[0])
    draw = library_function(snakemake.params.function)
    tables = {name: list(paths) for name, paths in snakemake.input.items() if name != "claims"}
    claims = next(iter(snakemake.input.get("claims", [])), None)
    published = published_curves(claims, Path(snakemake.output.pdf[0]).stem)
    for model, files in enumerate(zip(snakemake.output.pdf, snakemake.output.png, strict=True)):
        figure = draw(**{name: read_table(paths[model]) for name, paths in tables.items()}, published=published)
        for file in files:
            save(figure, file)


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
