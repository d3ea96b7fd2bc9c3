from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
import yaml

from bert_attention.errors import InputError
from bert_attention.results import results
from bert_attention.running import robustness
from bert_attention.statistics.jackknife import Replicates
from bert_attention.statistics.measures import RELATIVE
from tests.judging.test_alternatives import board


def whole_board(effects):
    """A scoreboard with all columns."""
    return board(effects).reindex(columns=results().tables["scoreboard"].columns)


def own_board(effects):
    """The edition's scoreboard: a statement about trees, and one about running text."""
    named = {"id": ["gain_of_prep", "heads_on_previous"], "table": ["clark_dependency_heads", "clark_positions"]}
    return whole_board(effects).assign(**named)


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """The editions of the calls of Snakemake with their targets; the run of paragraphs fails once."""
    monkeypatch.chdir(tmp_path)
    settings = {"edition": "embedded", "papers": ["clark", "kovaleva"], "models": [{"name": "m"}]}
    Path("config.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    for table in ("m/tables/clark_dependency_heads", "m/tables/clark_positions", "m/tables/control/clark_positions"):
        path = Path("results", "embedded", f"{table}.csv")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    own_board([5, 5]).to_csv("results/embedded/scoreboard.csv", index=False)
    made = []

    def run(command, check):
        targets = command[command.index("--") + 1 :]
        if targets[-1].suffix != ".csv":
            made.append({"shown": [str(target) for target in targets]})
            return SimpleNamespace(returncode=0)
        edition = yaml.safe_load(Path(command[command.index("--") - 1]).read_text(encoding="utf-8"))
        failed = edition["edition"] == "embedded-paragraphs" and "embedded-paragraphs" not in [
            run["edition"] for run in made
        ]
        made.append({**edition, "targets": [str(target) for target in targets]})
        for target in () if failed else targets:
            target.parent.mkdir(parents=True)
            target.touch()
        return SimpleNamespace(returncode=int(failed))

    monkeypatch.setattr(robustness.subprocess, "run", run)
    monkeypatch.setattr(robustness, "scoreboard", lambda *_, choices: own_board([6, -4]))
    return made


def test_a_stopped_run_goes_on_and_leaves_only_scoreboards(runs, capsys):
    before = {path for path in Path().rglob("*") if path.is_file()}
    with pytest.raises(SystemExit, match="ERROR two paragraphs: Snakemake stopped"):
        robustness.main(["--only", "words_first", "paragraphs"])
    robustness.main(["--only", "words_first", "paragraphs"])
    names = [run["edition"].removeprefix("embedded-") for run in runs]
    assert names == ["words_first", "paragraphs", "paragraphs"]
    assert runs[0]["attention"] == {"words": "first"}
    assert {tuple(run["papers"]) for run in runs} == {("clark",)}
    assert "1 turns round under at least one" in capsys.readouterr().out
    page = Path("results/embedded/robustness.md").read_text(encoding="utf-8")
    assert "| Statement 1 | true | 0 of 2 | words by first piece: false, two paragraphs: false |" in page
    made = {str(path) for path in {path for path in Path().rglob("*") if path.is_file()} - before}
    kept = {f"results/embedded/alternatives/{name}.csv" for name in ("paragraphs", "words_first")}
    assert made == kept | {f"results/embedded/robustness.{ending}" for ending in ("csv", "md", "pdf", "png")}


def test_only_the_tables_that_a_choice_changes_are_made_anew(runs, monkeypatch):
    read = []

    def judge(papers, tables, settings, choices):
        found = {name: tables("m", name) for name in ("clark_dependency_heads", "clark_positions")}
        read.append({name: found[name].whole["value"].tolist() for name in found})
        assert tables("m", "control/clark_positions") is None
        return own_board([6, -4])

    monkeypatch.setattr(robustness, "scoreboard", judge)
    monkeypatch.setattr(
        robustness,
        "find_tables",
        lambda files, folder: (
            lambda _model, name: next(
                (Replicates(pd.DataFrame({"value": [folder.name]})) for file in files if file.stem == name), None
            )
        ),
    )
    robustness.main(["--only", "words_first"])
    assert runs[0]["targets"] == ["results/embedded-words_first/m/tables/clark_dependency_heads.csv"]
    assert read == [{"clark_dependency_heads": ["embedded-words_first"], "clark_positions": ["embedded"]}]


def test_the_page_and_the_papers_are_made_again(runs):
    shown = ["results/embedded/index.html", "results/embedded/m/paper.pdf"]
    for file in shown:
        Path(file).touch()
    robustness.main(["--only", "words_first", "--cores", "2"])
    assert runs[-1] == {"shown": shown}


def test_an_unknown_alternative_and_a_missing_scoreboard_are_errors(runs):
    Path("results/embedded/scoreboard.csv").rename("elsewhere.csv")
    with pytest.raises(InputError, match=r"results/embedded/scoreboard.csv: is missing\n  Remedy: make the results"):
        robustness.main([])
    Path("elsewhere.csv").rename("results/embedded/scoreboard.csv")
    with pytest.raises(InputError, match="alternative 'word_first': is not listed\n  Remedy: use 'words_first'"):
        robustness.main(["--only", "word_first"])
    assert not runs


def test_quick_alternatives_run_nothing_again(runs, monkeypatch):
    asked = []
    monkeypatch.setattr(robustness, "scoreboard", lambda *_, choices: asked.append(choices) or own_board([6, -4]))
    robustness.main(["--quick"])
    assert not runs
    assert {RELATIVE: "equal_numbers"} in [choices.get("layers") for choices in asked]
    page = Path("results/embedded/robustness.md").read_text(encoding="utf-8")
    assert "| Statement 1 | true | 0 of 8 | equal numbers of layers: false, first quarter as early: false," in page
