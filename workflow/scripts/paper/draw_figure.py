"""Draw a figure from its tables, with the function that the plan names."""

from bert_attention.figures.style import name_delimiters, published_at_depth, save
from bert_attention.running.jobs import library_function
from bert_attention.running.scripts import run_script
from bert_attention.tables import read_published, read_table
from bert_attention.tokenization.delimiters import Delimiters


def main(snakemake):
    params, inputs = snakemake.params, snakemake.input
    tables = {name: read_table(inputs[name]) for name in params.tables}
    published = {
        argument: published_at_depth(read_published(inputs.get(argument)), tables.values())
        for argument in params.published
    }
    figure = library_function(params.function)(**tables, **published)
    if tokenizer := inputs.get("tokenizer"):
        name_delimiters(figure, Delimiters.read(tokenizer))
    for file in (snakemake.output.pdf, snakemake.output.png):
        save(figure, file, params.note)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
