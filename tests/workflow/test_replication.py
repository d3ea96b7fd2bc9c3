"""Whole and partial runs of the reduced edition, as a user makes them."""

import subprocess

import pytest

from bert_attention.claims.scoreboard import summary
from bert_attention.corpora.jsonlines import articles_of
from bert_attention.results import results as all_results
from bert_attention.statistics.sums import blocks_of
from bert_attention.tables import read_table
from tests.workflow.conftest import ENCODER, SHOWN_OF_ONE_MODEL, shown_in, table_in

pytestmark = pytest.mark.workflow

NOT_OF_A_PAPER = {"parser_accuracy", "translation_accuracy", "comparison_headlines", "scoreboard"}


def edit(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def test_all_results_are_there(replicated):
    results = replicated.folder / "results" / "reduced"
    for name in all_results().tables.keys() - NOT_OF_A_PAPER:
        assert len(read_table(table_in(results, name))), name
    entropy = read_table(table_in(results, "clark_entropy"))
    assert (entropy["layer"].max(), entropy["head"].max(), set(entropy["n"])) == (6, 12, {12})
    assert shown_in(results) == SHOWN_OF_ONE_MODEL
    figures, printed = list(results.rglob("figures/*.pdf")), list(results.rglob("*_table_*.md"))
    paper = (results / ENCODER / "paper.pdf").read_bytes()
    assert paper.startswith(b"%PDF")
    assert len(paper) < 3e6
    board = read_table(results / "scoreboard.csv")
    page = (results / "scoreboard.md").read_text()
    assert all(line in page for line in summary(board))
    assert set(board["control"].dropna()) >= {"met", "not met", "inconclusive"}  # random weights were asked, too
    assert all(figure.read_bytes().startswith(b"%PDF") for figure in figures)
    assert all(figure.with_suffix(".png").read_bytes().startswith(b"\x89PNG") for figure in figures)
    assert all(r"\begin{tabular}" in table.with_suffix(".tex").read_text() for table in printed)
    page = (results / "index.html").read_text(encoding="utf-8")
    files = (*figures, *printed, *results.rglob("tables/*.csv"))
    assert all(f'href="{file.relative_to(results).as_posix()}"' in page for file in files)
    assert all(
        f"`{folder.relative_to(results)}/`" in (results / "README.md").read_text()
        for folder in results.rglob("figures")
    )


def test_the_last_lines_say_what_was_made(first_run):
    checkout, finished = first_run
    folder = checkout.folder
    ending = finished.text[finished.text.index("Made in this run:") :]
    figures = len(list((folder / "results" / "reduced").rglob("figures/*.pdf")))
    assert f"  {figures} figures, " in ending
    assert "results/reduced/index.html: all findings, figures and tables: open it in a browser" in ending
    assert "\n".join(summary(read_table(folder / "results" / "reduced" / "scoreboard.csv"))) in ending


def test_logs_tell_of_the_work(replicated):
    log = (replicated.folder / "logs" / "reduced" / ENCODER / "extract_attention.zeros.1-of-1.log").read_text()
    articles = articles_of(next(replicated.folder.glob("resources/reduced/*/corpora/segments.jsonl")))
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


def test_a_run_of_everything_rebuilds_what_was_deleted(replicated):
    results = replicated.folder / "results" / "reduced" / ENCODER
    for file in ("figures/clark_figure_4_entropy.png", "tables/clark_head_clusters.csv"):
        (results / file).unlink()
    made = {"clark_figure_4": 1, "clark_head_clusters": 1, "clark_table_clusters": 1}
    judged = {"scoreboard": 1, "scoreboard_figure": 1, "write_paper": 1, "results_guide": 1, "all": 1}
    assert replicated.snakemake("-n").jobs == {**made, **judged}


def test_an_edited_analysis_reruns_what_depends_on_it_alone(replicated):
    module = replicated.folder / "workflow" / "bert_attention" / "clark" / "entropy.py"
    edit(module, "return -(smoothed * np.log(smoothed)).sum(-1)", "return (-smoothed * np.log(smoothed)).sum(-1)")
    finished = replicated.snakemake("-n")
    of_maps = {"clark_pattern_examples", "clark_figure_1", "clark_head_map", "clark_figure_6"}
    judged = {"scoreboard", "scoreboard_figure", "make_explorer", "write_paper", "results_guide", "all"}
    control = {"sum_up_control_clark_entropy", "control_clark_entropy", "control_clark_head_map"}
    assert set(finished.jobs) == {
        "sum_up_clark_entropy",
        "clark_entropy",
        "clark_figure_4",
        *control,
        *of_maps,
        *judged,
    }


def test_edited_norms_extract_again_and_train_and_parse_nothing(replicated):
    module = replicated.folder / "workflow" / "bert_attention" / "attention" / "norms.py"
    edit(module, "_TOKENS_PER_PART = 2048", "_TOKENS_PER_PART = 1024")
    jobs = set(replicated.snakemake("-n").jobs)
    assert {"extract_attention", "extract_word_attention", "clark_entropy", "clark_figure_4"} <= jobs
    assert not jobs & {"fit_mlm_head", "random_model", "translation_model", "clark_importance", "segments"}
    assert not jobs & {"parse_wikipedia_with_spacy", "silver_treebank", "stanza_pipeline"}


def test_an_edited_figure_draws_figures_alone(replicated):
    module = replicated.folder / "workflow" / "bert_attention" / "figures" / "style.py"
    edit(module, "COLUMN_WIDTH = 3.3", "COLUMN_WIDTH = 3.25")
    jobs = set(replicated.snakemake("-n").jobs)
    assert {"clark_figure_2", "clark_figure_6", "kobayashi_figure_alignment", "results_guide"} <= jobs
    assert all("_figure" in job for job in jobs - {"write_paper", "results_guide", "all"})


def test_a_changed_seed_draws_other_segments(replicated):
    edit(replicated.folder / "config.yaml", "seed: 1906", "seed: 7")
    jobs = replicated.snakemake("-n").jobs
    assert {"segments", "extract_attention", "clark_entropy"} <= set(jobs)
    assert "wikipedia" not in jobs


def test_the_report_holds_figures_and_captions(replicated):
    finished = replicated.snakemake("--report", "report.html")
    assert finished.status == 0, finished.text
    report = (replicated.folder / "report.html").read_text()
    assert "What Does BERT Look At?" in report
    assert "clark_figure_4_entropy.png" in report
    assert "entropy of attention (a) averaged" in report.replace("\\n", " ").replace("\n", " ")


def test_published_curves_redraw_the_figures_alone(replicated):
    jobs = replicated.snakemake("-n", "clark", "--config", "published_curves=True").jobs
    assert jobs == {"clark_figure_2": 1, "clark_figure_4": 1, "clark": 1}


def test_a_second_run_has_nothing_to_do_even_after_a_commit(replicated):
    """The paper names the commit, but a new commit alone does not rebuild the paper."""
    folder = replicated.folder
    (folder / ".gitignore").write_text("/results/\n/resources/\n/logs/\n/.snakemake/\n")
    for command in (["init"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b.org", "commit", "-m", "a"]):
        subprocess.run(["git", "-C", folder, *command], check=True, capture_output=True)
    assert "Nothing to be done" in replicated.snakemake().text
