"""Judge every claim of the papers on the tables of a run."""

from pathlib import Path

from bert_attention.files import replacing
from bert_attention.judging.scoreboard import find_tables, scoreboard
from bert_attention.judging.words import as_page, summary
from bert_attention.papers import paper
from bert_attention.running.jobs import logger
from bert_attention.running.scripts import run_script
from bert_attention.statistics.tables import write_table


def main(snakemake):
    page = Path(snakemake.output.page)
    papers = {name: paper(name) for name in snakemake.params.papers}
    edition = snakemake.params.edition
    board = scoreboard(papers, find_tables(snakemake.input.tables, page.parent), edition)
    logger.info("%s", " ".join(summary(board)))
    write_table(board, snakemake.output.table)
    with replacing(page) as partial:
        partial.write_text(as_page(board, edition["edition"]), encoding="utf-8")


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
