"""Draw a figure from its tables, with the function that the plan names."""

from bert_attention.figures.style import name_delimiters, save
from bert_attention.running.jobs import library_function
from bert_attention.running.scripts import run_script
from bert_attention.tables import read_published, read_table
from bert_attention.tokenization.delimiters import Delimiters


def main(snakemake):
    params, inputs = snakemake.params, snakemake.input
    published = {argument: read_published(inputs.get(argument)) for argument in params.published}
    tables = {name: read_table(inputs[name]) for name in params.tables}
    figure = library_function(params.function)(**tables, **published)
    if tokenizer := inputs.get("tokenizer"):
        name_delimiters(figure, Delimiters.read(tokenizer))
    for file in (snakemake.output.pdf, snakemake.output.png):
        save(figure, file, params.note)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
