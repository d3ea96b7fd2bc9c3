"""Write the guide to an edition's results."""

from pathlib import Path

from bert_attention.files import replacing
from bert_attention.paper.facts import resting_token
from bert_attention.paper.guide import results_guide
from bert_attention.running.scripts import run_script
from bert_attention.tables import read_table


def main(snakemake):
    path = Path(snakemake.output[0])
    files = [Path(file) for file in snakemake.input.results]
    scoreboard = read_table(snakemake.input.scoreboard)
    positions = zip(snakemake.params.models, snakemake.input.positions, strict=True)
    resting = {model: resting_token(read_table(file)) for model, file in positions}
    text = results_guide(snakemake.params.edition, files, path.parent, scoreboard, resting)
    with replacing(path) as partial:
        partial.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
