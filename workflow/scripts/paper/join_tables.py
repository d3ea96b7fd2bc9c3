"""Join the tables of several tasks into one of the same name."""

import pandas as pd

from bert_attention.running.jobs import configure_logging
from bert_attention.tables import read_table, write_table


def main(snakemake):
    configure_logging(snakemake.log[0])
    write_table(pd.concat(map(read_table, snakemake.input), ignore_index=True), snakemake.output[0])


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
