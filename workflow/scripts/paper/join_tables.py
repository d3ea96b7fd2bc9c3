"""Join the tables of all tasks, for each table that their rule makes."""

from bert_attention.running.jobs import configure_logging
from bert_attention.tables import join_tables, read_table, write_tables


def main(snakemake):
    configure_logging(snakemake.log[0])
    joined = {name: join_tables([read_table(path) for path in paths]) for name, paths in snakemake.input.items()}
    write_tables(joined, snakemake.output)


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
