"""Print a table of a paper in Markdown, LaTeX and Typst, for every model, by the function that the rule names."""

from pathlib import Path

from bert_attention.files import replacing
from bert_attention.paper.layout import as_latex, as_markdown, as_typst
from bert_attention.running.jobs import library_function
from bert_attention.running.scripts import run_script
from bert_attention.tables import read_table


def main(snakemake):
    lay_out = library_function(snakemake.params.function)
    tables = {name: list(paths) for name, paths in snakemake.input.items() if name != "claims"}
    published = {
        argument: library_function(reader)(snakemake.input.claims, what)
        for reader, asked in snakemake.params.published.items()
        for argument, what in asked.items()
    }
    outputs = snakemake.output
    for model, files in enumerate(zip(outputs.md, outputs.tex, outputs.typ, strict=True)):
        # Of a table of the whole edition there is one path, for all models.
        table = lay_out(**{name: read_table(paths[model % len(paths)]) for name, paths in tables.items()}, **published)
        for file, form in zip(files, (as_markdown, as_latex, as_typst), strict=True):
            with replacing(file) as partial:
                Path(partial).write_text(form(table), encoding="utf-8")


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
