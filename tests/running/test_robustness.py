from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from bert_attention.errors import InputError
from bert_attention.results import results
from bert_attention.running import robustness
from bert_attention.statistics.measures import RELATIVE
from tests.judging.test_alternatives import board


def whole_board(effects):
    """A scoreboard with all columns."""
    return board(effects).reindex(columns=results().tables["scoreboard"].columns)


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """The editions of the calls of Snakemake, each of which makes a scoreboard; the run of paragraphs fails once."""
    monkeypatch.chdir(tmp_path)
    Path("config.yaml").write_text("edition: embedded\npapers: [clark, kovaleva]\n", encoding="utf-8")
    Path("results", "embedded").mkdir(parents=True)
    made = []

    def run(command, check):
        *_, file, _, target = command
        if target.suffix == ".pdf":
            made.append({"shown": [str(part) for part in command[command.index("--") + 1 :]]})
            return SimpleNamespace(returncode=0)
        edition = yaml.safe_load(Path(file).read_text(encoding="utf-8"))
        failed = edition["edition"] == "embedded-paragraphs" and edition not in made
        made.append(edition)
        if not failed:
            target.parent.mkdir(parents=True)
            (target.parent / "other.csv").touch()
            whole_board([5, -4]).to_csv(target, index=False)
        return SimpleNamespace(returncode=int(failed))

    monkeypatch.setattr(robustness.subprocess, "run", run)
    return made


def test_a_stopped_run_goes_on_and_leaves_only_scoreboards(runs, capsys):
    whole_board([5, 5]).to_csv("results/embedded/scoreboard.csv", index=False)
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
    left = sorted(str(path) for path in Path().rglob("*") if path.is_file())
    kept = [f"results/embedded/alternatives/{name}.csv" for name in ("paragraphs", "words_first")]
    kept += [f"results/embedded/robustness.{ending}" for ending in ("csv", "md", "pdf", "png")]
    assert left == ["config.yaml", *kept, "results/embedded/scoreboard.csv"]


def test_the_page_and_the_papers_are_made_again(runs):
    whole_board([5, 5]).to_csv("results/embedded/scoreboard.csv", index=False)
    Path("results/embedded/m").mkdir()
    shown = ["results/embedded/index.html", "results/embedded/m/paper.pdf"]
    for file in shown:
        Path(file).touch()
    robustness.main(["--only", "words_first", "--cores", "2"])
    assert runs[-1] == {"shown": shown}


def test_an_unknown_alternative_and_a_missing_scoreboard_are_errors(runs):
    with pytest.raises(InputError, match=r"results/embedded/scoreboard.csv: is missing\n  Remedy: make the results"):
        robustness.main([])
    whole_board([5, 5]).to_csv("results/embedded/scoreboard.csv", index=False)
    with pytest.raises(InputError, match="alternative 'word_first': is not listed\n  Remedy: use 'words_first'"):
        robustness.main(["--only", "word_first"])
    assert not runs


def test_quick_alternatives_run_nothing_again(runs, monkeypatch):
    whole_board([5, 5]).to_csv("results/embedded/scoreboard.csv", index=False)
    asked = []
    monkeypatch.setattr(robustness, "scoreboard", lambda *_, choices: asked.append(choices) or whole_board([6, -4]))
    robustness.main(["--quick"])
    assert not runs
    assert {RELATIVE: "equal_numbers"} in [choices.get("layers") for choices in asked]
    page = Path("results/embedded/robustness.md").read_text(encoding="utf-8")
    assert "| Statement 1 | true | 0 of 6 | equal numbers of layers: false, heads from other sentences: false," in page
