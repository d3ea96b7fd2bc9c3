"""Whole and partial runs of the reduced edition, as a user makes them."""

import subprocess

from bert_attention.corpora.jsonlines import articles_of
from bert_attention.judging.words import summary
from bert_attention.results import results as all_results
from bert_attention.statistics.sums import blocks_of
from bert_attention.tables import read_table
from tests.workflow.conftest import ENCODER, table_in

NOT_OF_A_PAPER = {
    "parser_accuracy",
    "translation_accuracy",
    "comparison_differences",
    "comparison_headlines",
    "scoreboard",
}


def test_all_results_are_there(first_run):
    checkout, finished = first_run
    assert finished.status == 0, finished.text
    results = checkout.folder / "results" / "reduced"
    for name in all_results().tables.keys() - NOT_OF_A_PAPER:
        assert len(read_table(table_in(results, name))), name
    entropy = read_table(table_in(results, "clark_entropy"))
    assert (entropy["layer"].max(), entropy["head"].max(), set(entropy["n"])) == (6, 12, {12})
    shown = {name: entry for name, entry in all_results().shown.items() if not name.startswith(("comparison", "score"))}
    files = {file.name for kind in ("figure", "table") for file in results.rglob(f"*_{kind}_*")}
    assert files == {f"{name}.{form}" for name, entry in shown.items() for form in entry.formats}
    figures, printed = list(results.rglob("figures/*.pdf")), list(results.rglob("*_table_*.md"))
    paper = (results / ENCODER / "paper.pdf").read_bytes()
    assert all(content.startswith(b"%PDF") for content in (paper, *(figure.read_bytes() for figure in figures)))
    assert len(paper) < 3e6
    assert all(figure.with_suffix(".png").read_bytes().startswith(b"\x89PNG") for figure in figures)
    assert all(r"\begin{tabular}" in table.with_suffix(".tex").read_text() for table in printed)
    board = read_table(results / "scoreboard.csv")
    page = (results / "scoreboard.md").read_text()
    assert all(line in page for line in summary(board))
    assert set(board["control"].dropna()) >= {"met", "not met", "inconclusive"}  # verdicts on random encoders
    page, guide = (results / "index.html").read_text(encoding="utf-8"), (results / "README.md").read_text()
    files = (*figures, *printed, *results.rglob("tables/*.csv"))
    assert all(f'href="{file.relative_to(results).as_posix()}"' in page for file in files)
    assert all(f"`{folder.relative_to(results)}/`" in guide for folder in results.rglob("figures"))

    ending = finished.text[finished.text.index("Made in this run:") :]
    assert f"  {len(figures)} figures, " in ending
    assert "results/reduced/index.html: all findings, figures and tables: open it in a browser" in ending
    assert "\n".join(summary(board)) in ending
    warnings = ending.partition("Warnings of this run:\n")[2].splitlines()
    assert any("too few" in warning for warning in warnings)  # five articles are held out
    assert len(set(warnings)) == len(warnings)
    log = (checkout.folder / "logs" / "reduced" / ENCODER / "extract_attention.zeros.1-of-1.log").read_text()
    articles = articles_of(next(checkout.folder.glob("resources/reduced/*/corpora/segments.jsonl")))
    assert f"{len(articles)} sequences on" in log
    assert f"batches: {len(blocks_of(articles))} done" in log


def test_a_missing_figure_costs_one_job(replicated):
    figure = replicated.folder / "results" / "reduced" / ENCODER / "figures" / "clark_figure_4_entropy.pdf"
    before = figure.read_bytes()
    figure.unlink()
    finished = replicated.snakemake("clark_figure_4")
    assert finished.jobs == {"clark_figure_4": 1}
    assert figure.read_bytes() == before
    assert f"Made in this run:\n  results/reduced/{ENCODER}/figures/clark_figure_4_entropy.pdf" in finished.text


def test_a_run_of_everything_rebuilds_deleted_results(replicated):
    results = replicated.folder / "results" / "reduced" / ENCODER
    for file in ("figures/clark_figure_4_entropy.png", "tables/clark_head_clusters.csv"):
        (results / file).unlink()
    made = {"clark_figure_4": 1, "clark_head_clusters": 1, "clark_table_clusters": 1}
    judged = {"scoreboard": 1, "scoreboard_figure": 1, "write_paper": 1, "results_guide": 1, "all": 1}
    assert replicated.snakemake("-n").jobs == {**made, **judged}


def test_an_edited_analysis_reruns_only_jobs_that_depend_on_it(replicated):
    module = replicated.folder / "workflow" / "bert_attention" / "papers" / "clark" / "entropy.py"
    module.write_text(module.read_text() + "# edited\n")
    of_maps = {"clark_pattern_examples", "clark_figure_1", "clark_head_map", "clark_figure_6"}
    of_maps |= {"clark_head_clusters", "clark_table_clusters"}
    judged = {"scoreboard", "scoreboard_figure", "make_explorer", "write_paper", "results_guide", "all"}
    entropy = {"clark_entropy", "clark_figure_4"}
    # One pass of the random encoders over the segments is for all tables of a paper, so these are made again, too.
    finished = replicated.snakemake("-n")
    made = set(finished.jobs)
    control = {job for job in made if job.startswith("control_")} | {"sum_up_segments"}
    assert made - control == entropy | of_maps | judged
    assert "control_clark_entropy" in control
    assert finished.jobs["sum_up_segments"] == 1
    assert not [job for job in control if "kovaleva" in job or "kobayashi" in job or "words" in job]


def test_a_changed_seed_draws_other_segments(replicated):
    jobs = replicated.snakemake("-n", "clark_figure_4", "--config", "seed=7").jobs
    assert {"segments", "extract_attention", "clark_entropy"} <= set(jobs)
    assert "wikipedia" not in jobs


def test_published_curves_redraw_only_figures(replicated):
    jobs = replicated.snakemake("-n", "clark", "--config", "published_curves=False").jobs
    assert jobs == {"clark_figure_2": 1, "clark_figure_4": 1, "clark": 1}


def test_a_second_run_has_nothing_to_do_even_after_a_commit(replicated):
    """The paper names the commit, but a new commit alone does not rebuild the paper."""
    folder = replicated.folder
    (folder / ".gitignore").write_text("/results/\n/resources/\n/logs/\n/.snakemake/\n")
    for command in (["init"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b.org", "commit", "-m", "a"]):
        subprocess.run(["git", "-C", folder, *command], check=True, capture_output=True)
    assert "Nothing to be done" in replicated.snakemake().text
