"""Print a table of a paper in Markdown, LaTeX and Typst, with the function that the plan names."""

from pathlib import Path

from bert_attention.files import replacing
from bert_attention.printing.layout import as_latex, as_markdown, as_typst
from bert_attention.running.jobs import library_function
from bert_attention.running.scripts import run_script
from bert_attention.tables import read_published, read_table


def main(snakemake):
    params, inputs, output = snakemake.params, snakemake.input, snakemake.output
    published = {argument: read_published(inputs.get(argument)) for argument in params.published}
    tables = {name: read_table(inputs[name]) for name in params.tables}
    table = library_function(params.function)(**tables, **published)
    for file, form in ((output.md, as_markdown), (output.tex, as_latex), (output.typ, as_typst)):
        with replacing(file) as partial:
            Path(partial).write_text(form(table), encoding="utf-8")


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
