"""The last lines of a run."""

import os

import pytest

from bert_attention.results import results
from bert_attention.running.encoders import PlannedEncoder
from bert_attention.running.last_lines import results_left, results_made
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


def test_results_of_another_list_of_models_are_told_and_others_are_not(run_in):
    run_in("tables/clark_entropy.csv", "tables/control/clark_entropy.csv", "explorer.html")
    run_in("tables/kobayashi_alignment.csv", "tables/scoreboard.csv", "my_notes.csv")  # of all models, and no result
    run_in("one/tables/clark_positions.csv")

    def told(left):
        return [line.strip() for line in left.splitlines() if line.endswith("1 files")]

    of_two, of_one = (results_left(files_of(*models)) for models in (("one", "two"), ("one",)))
    assert told(of_two) == [f"results/small{folder}: 1 files" for folder in ("", "/tables", "/tables/control")]
    assert "now stand in results/small/one, results/small/two." in of_two
    assert told(of_one) == ["results/small/one/tables: 1 files"]
