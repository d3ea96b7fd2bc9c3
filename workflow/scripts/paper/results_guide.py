"""Write the page and the guide of an edition's results."""

from pathlib import Path

from bert_attention.files import replacing
from bert_attention.paper.facts import facts, read_facts
from bert_attention.paper.guide import results_guide
from bert_attention.paper.page import results_page
from bert_attention.running.scripts import run_script
from bert_attention.statistics.jackknife import Replicates
from bert_attention.tables import read_table


def main(snakemake):
    folder = Path(snakemake.output.guide).parent
    files = [Path(file) for file in snakemake.input.results]
    scoreboard = read_table(snakemake.input.scoreboard)
    positions = {model: snakemake.input[f"positions_of_{model}"] for model in snakemake.params.models}
    asked = read_facts(snakemake.input.facts, snakemake.input.claims)
    resting_tokens = {
        model: facts(asked, {"clark_positions": Replicates(read_table(file))}) for model, file in positions.items()
    }
    for path, write in {snakemake.output.page: results_page, snakemake.output.guide: results_guide}.items():
        text = write(snakemake.params.edition, files, folder, scoreboard, resting_tokens)
        with replacing(path) as partial:
            partial.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
