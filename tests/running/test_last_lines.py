"""The last lines of a run."""

import os

import pytest

from bert_attention.results import results
from bert_attention.running.encoders import PlannedEncoder
from bert_attention.running.last_lines import results_left, results_made, stray_results
from bert_attention.running.result_files import ResultFiles

BERT = PlannedEncoder("bert", 2)


def files_of(*models):
    return ResultFiles(results(), "small", list(results().papers), dict.fromkeys(models, BERT))


@pytest.fixture
def run_in(tmp_path, monkeypatch):
    """A function that makes files below the results of the edition small, in a folder that becomes the current one."""
    monkeypatch.chdir(tmp_path)

    def make(*names):
        for name in names:
            file = tmp_path / "results" / "small" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()

    return make


def test_few_files_are_named_and_older_ones_are_not(run_in, tmp_path):
    run_in("tables/clark_entropy.csv", "figures/clark_figure_4_entropy.pdf", "figures/clark_figure_4_entropy.png")
    os.utime(tmp_path / "results/small/tables/clark_entropy.csv", (10, 10))
    made = results_made(files_of("one"), started=1000)
    assert made == "\nMade in this run:\n  results/small/figures/clark_figure_4_entropy.pdf\n"
    assert results_made(files_of("one"), started=2e10) == ""


def test_many_files_are_counted_and_pages_named(run_in):
    run_in("paper.pdf", "README.md", *(f"figures/{i}.pdf" for i in range(9)), *(f"tables/{i}.csv" for i in range(5)))
    lines = results_made(files_of("one"), started=0).splitlines()
    assert "  9 figures, 5 tables in results/small/" in lines
    assert "  results/small/paper.pdf: all of it as a paper" in lines
    assert lines[-1] == "  results/small/README.md: which file shows what"
    assert not any("explorer" in line for line in lines)


def test_results_of_a_single_model_are_left_when_a_second_comes(run_in):
    run_in("tables/clark_entropy.csv", "tables/scoreboard.csv", "one/tables/clark_positions.csv", "my_notes.csv")
    run_in("tables/control/clark_entropy.csv")
    left = results_left(files_of("one", "two"))
    assert "  results/small/tables: 1 files\n" in left
    assert "now stand in results/small/one, results/small/two." in left
    assert results_left(files_of("one")).count("1 files") == 1  # those in the folder of one


def test_results_of_another_list_of_models_are_found_and_others_are_not(tmp_path):
    for file in (
        "tables/entropy.csv",
        "tables/both.csv",
        "one/tables/entropy.csv",
        "one/explorer.html",
        "explorer.html",
    ):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    (tmp_path / "tables" / "my_notes.csv").touch()
    several = {"entropy": [tmp_path / "one"], "explorer": [tmp_path / "one"], "both": [tmp_path]}
    assert stray_results(tmp_path, several) == {
        tmp_path: [tmp_path / "explorer.html"],
        tmp_path / "tables": [tmp_path / "tables" / "entropy.csv"],
    }
    single = {name: [tmp_path] for name in several}
    assert stray_results(tmp_path, single) == {
        tmp_path / "one" / "tables": [tmp_path / "one" / "tables" / "entropy.csv"],
    }
