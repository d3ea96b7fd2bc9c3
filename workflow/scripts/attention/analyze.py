"""Make all tables of an analysis from complete stores, corpora and other tables."""

from bert_attention.plan import by_group
from bert_attention.running.jobs import library_function, progress
from bert_attention.running.scripts import run_script
from bert_attention.statistics.jackknife import analyze_tables, control_rows, joined
from bert_attention.statistics.tables import write_tables


def main(snakemake):
    params = snakemake.params
    function = library_function(params.function)

    def opened(each):
        found = library_function(each.reader)(snakemake.input[each.key])
        if each.is_control:
            return control_rows(found, each.seed)
        return progress(found, params.function) if each.kind == "attention" else found

    made = {}
    for group, inputs in by_group(params.inputs).items():
        arguments = {each.argument: opened(each) for each in inputs}
        made[group] = analyze_tables(function, params.has_statistics, **arguments, **params.kwargs)
    write_tables(joined(made), snakemake.output)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
