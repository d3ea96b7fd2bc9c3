"""Whole and partial runs of the reduced edition, as a user makes them."""

import subprocess

import pytest

from bert_attention.claims.scoreboard import summary
from bert_attention.corpora.jsonlines import articles_of
from bert_attention.results import results as all_results
from bert_attention.statistics.sums import blocks_of
from bert_attention.tables import read_table
from tests.workflow.conftest import ENCODER, SHOWN_OF_ONE_MODEL, copy_project, shown_in, table_in

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


def test_a_second_run_has_nothing_to_do(replicated):
    assert "Nothing to be done" in replicated.snakemake().text


def test_a_missing_figure_costs_one_job(replicated):
    figure = replicated.folder / "results" / "reduced" / ENCODER / "figures" / "clark_figure_4_entropy.pdf"
    before = figure.read_bytes()
    figure.unlink()
    finished = replicated.snakemake("clark_figure_4")
    assert finished.jobs == {"clark_figure_4": 1}
    assert figure.read_bytes() == before
    assert f"Made in this run:\n  results/reduced/{ENCODER}/figures/clark_figure_4_entropy.pdf" in finished.text


def test_what_is_missing_is_missed_by_a_run_of_everything(replicated):
    results = replicated.folder / "results" / "reduced" / ENCODER
    lost = [results / "figures" / "clark_figure_4_entropy.png", results / "tables" / "clark_head_clusters.csv"]
    before = [file.read_bytes() for file in lost]
    for file in lost:
        file.unlink()
    finished = replicated.snakemake()
    made = {"clark_figure_4": 1, "clark_head_clusters": 1, "clark_table_clusters": 1}
    judged = {"scoreboard": 1, "scoreboard_figure": 1, "write_paper": 1, "results_guide": 1, "all": 1}
    assert finished.jobs == {**made, **judged}
    assert [file.read_bytes() for file in lost] == before


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


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("attention/norms.py", "_TOKENS_AT_A_TIME = 2048", "_TOKENS_AT_A_TIME = 1024"),
        ("attention/store.py", "_ARRAYS_IN_PAGE_CACHE = 24", "_ARRAYS_IN_PAGE_CACHE = 12"),
    ],
)
def test_edited_norms_or_store_extract_anew_and_train_and_parse_nothing(replicated, module, old, new):
    edit(replicated.folder / "workflow" / "bert_attention" / module, old, new)
    jobs = set(replicated.snakemake("-n").jobs)
    assert {"extract_attention", "extract_word_attention", "clark_entropy", "clark_figure_4"} <= jobs
    assert not jobs & {"fit_mlm_head", "random_model", "translation_model", "clark_importance", "segments"}
    assert not jobs & {"parse_wikipedia_with_spacy", "silver_treebank", "stanza_pipeline"}


def test_an_edited_constant_of_tables_redraws_without_extraction(replicated):
    module = replicated.folder / "workflow" / "bert_attention" / "clark" / "column_values.py"
    edit(module, 'MENTION_TYPES = ("all",', 'MENTION_TYPES = ("al" + "l",')
    jobs = set(replicated.snakemake("-n").jobs)
    assert {"clark_coreference", "clark_figure_5", "clark_table_2"} <= jobs
    assert not {job for job in jobs if job.startswith("extract_")}


def test_an_edited_stand_in_is_made_again_and_parses_nothing(replicated):
    module = replicated.folder / "workflow" / "bert_attention" / "stand_ins" / "invented_language.py"
    module.write_text(module.read_text() + "\nUNUSED = 1\n")
    jobs = set(replicated.snakemake("-n").jobs)
    assert {"stand_in_translations", "translation_model", "kobayashi_alignment"} <= jobs
    assert not jobs & {
        "stand_in_coreference",
        "parse_wikipedia_with_spacy",
        "silver_treebank",
        "clark_dependency_heads",
    }


def test_an_edited_figure_draws_figures_alone(replicated):
    module = replicated.folder / "workflow" / "bert_attention" / "figures" / "style.py"
    edit(module, "COLUMN_WIDTH = 3.3", "COLUMN_WIDTH = 3.25")
    jobs = set(replicated.snakemake("-n").jobs)
    assert {"clark_figure_2", "clark_figure_6", "kobayashi_figure_alignment", "results_guide"} <= jobs
    assert all("_figure" in job for job in jobs - {"write_paper", "results_guide", "all"})


def test_a_new_contract_of_a_table_runs_nothing_again(replicated):
    """But everything asks for the new table, so that the message names it until it has a rule."""
    entries = replicated.folder / "workflow" / "bert_attention" / "results.yaml"
    edit(entries, "\ntables:\n", "\ntables:\n  new_table: {description: new, columns: [a]}\n")
    assert "Nothing to be done" in replicated.snakemake("clark", "kovaleva", "kobayashi", "-n").text
    assert f"results/reduced/{ENCODER}/tables/new_table.csv" in replicated.snakemake("-n").text


def test_more_shards_extract_anew_and_leave_the_corpora(replicated):
    jobs = replicated.snakemake("-n", "--set-scatter", "shards=3").jobs
    assert jobs["extract_attention"] == 6
    assert not {"wikipedia", "segments", "model"} & set(jobs)


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


def test_a_folder_elsewhere_serves_as_well(tmp_path):
    """--directory keeps a run's files apart from the project."""
    project = copy_project(tmp_path / "project")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    finished = project.snakemake(
        "resources/embedded/all-MiniLM-L6-v2/corpora/segments.jsonl", "-d", str(elsewhere), edition=None
    )
    assert finished.status == 0, finished.text
    assert (
        len((elsewhere / "resources/embedded/all-MiniLM-L6-v2/corpora/segments.jsonl").read_text().splitlines()) == 500
    )


def test_published_curves_redraw_the_figures_alone(replicated):
    finished = replicated.snakemake("clark", "--config", "published_curves=True")
    assert finished.status == 0, finished.text
    assert finished.jobs == {"clark_figure_2": 1, "clark_figure_4": 1, "clark": 1}


def test_a_commit_alone_makes_no_new_paper(replicated):
    """The paper names the commit, but is not made for it."""
    folder = replicated.folder
    (folder / ".gitignore").write_text("/results/\n/resources/\n/logs/\n/.snakemake/\n")
    for command in (["init"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b.org", "commit", "-m", "a"]):
        subprocess.run(["git", "-C", folder, *command], check=True, capture_output=True)
    assert "Nothing to be done" in replicated.snakemake("-n").text
