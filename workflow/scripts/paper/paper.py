"""Set the paper of a model from its tables, figures and printed tables."""

from pathlib import Path

from bert_attention.files import replacing
from bert_attention.paper.commit import commit_of
from bert_attention.paper.document import Files, document_data, package_versions, set_paper
from bert_attention.papers import paper
from bert_attention.results import results
from bert_attention.running.jobs import logger
from bert_attention.running.scripts import run_script


def main(snakemake):
    inputs, params = snakemake.input, snakemake.params
    files = Files(
        tables=[Path(file) for file in inputs.tables],
        shown=[Path(file) for file in inputs.shown],
        weights=Path(inputs.weights[0]),
        robustness=next(map(Path, inputs.robustness), None),
        tokenizer=Path(inputs.tokenizer),
        scoreboard=Path(inputs.scoreboard[0]),
        scoreboard_figure=Path(inputs.scoreboard_figure[0]),
    )
    template = [Path(file) for file in inputs.template]
    data = document_data(
        {**params.edition, "segment_ids": params.segment_ids},
        params.model,
        params.papers,
        results().shown,
        files,
        [paper(name) for name in params.papers],
        package_versions([Path(file) for file in inputs.environments]),
        commit_of(Path(params.project)),
    )
    pdf, warnings = set_paper(data, template, files, Path(snakemake.output[0]).parent)
    for warning in warnings:
        logger.warning("%s", warning)
    logger.info("%.1f MB", len(pdf) / 1e6)
    with replacing(snakemake.output[0]) as partial:
        partial.write_bytes(pdf)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
