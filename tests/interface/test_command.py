"""The command `bert-attention`."""

import inspect
import subprocess
import sys
import tomllib

import pandas as pd
import pytest

from bert_attention import Study, read_table
from bert_attention.corpora.conllu import write_conllu
from bert_attention.interface.command import main, parser
from bert_attention.interface.requirements import OPTIONS
from bert_attention.statistics.tables import write_table
from tests.conftest import ROOT
from tests.models.random_models import save_bert
from tests.written import written_trees

TEXTS = ["The cat sat on the mat.", "A dog lay there, and it slept."]


@pytest.fixture(scope="module")
def model(embedded_model, tmp_path_factory):
    """The folder of a small encoder."""
    return save_bert(tmp_path_factory.mktemp("bert"), embedded_model, max_position_embeddings=128)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A function that runs the command in an empty folder, on the CPU."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        main([*map(str, arguments), "--device", "cpu"])

    return run


def test_a_table_is_the_workflows_to_the_byte(run, model, small_model, tmp_path, capsys):
    trees = written_trees(40)
    write_conllu(trees, tmp_path / "dev.conllu")
    write_table(
        Study(small_model, trees=trees).replicates("clark_special_tokens"), tmp_path / "clark_special_tokens.csv"
    )
    expected = (tmp_path / "clark_special_tokens.csv").read_text(encoding="utf-8")
    command = ("table", "clark_special_tokens", "--model", model, "--trees", "dev.conllu")
    run(*command)
    assert capsys.readouterr().out == expected
    run(*command, "--out", "tables/mine.csv")
    assert (tmp_path / "tables" / "mine.csv").read_text(encoding="utf-8") == expected
    assert capsys.readouterr().out == "The table is in tables/mine.csv.\n"


@pytest.mark.parametrize("name", ["heads.parquet", "heads.csv"])
def test_a_table_is_written_in_the_format_of_its_name_and_read_back(run, model, small_model, tmp_path, name):
    trees = written_trees(40)
    write_conllu(trees, tmp_path / "dev.conllu")
    expected = Study(small_model, trees=trees).table("clark_special_tokens")
    run("table", "clark_special_tokens", "--model", model, "--trees", "dev.conllu", "--output", name)
    pd.testing.assert_frame_equal(read_table(tmp_path / name), expected, rtol=1e-4, check_dtype=False)


@pytest.mark.parametrize("name", ["heads.xlsx", "heads.json"])
def test_a_table_in_an_unknown_format_is_an_error(run, model, tmp_path, name):
    write_conllu(written_trees(10), tmp_path / "dev.conllu")
    with pytest.raises(SystemExit, match=rf"--output {name}: has an unknown format\n.*\.csv, \.parquet"):
        run("table", "clark_special_tokens", "--model", model, "--trees", "dev.conllu", "--output", name)
    assert not (tmp_path / name).exists()


def test_the_options_of_a_study_arrive(run, model, small_model, capsys):
    with pytest.warns(UserWarning, match="too few"):
        expected = Study(small_model, texts=TEXTS, seed=7, control_seeds=2).table("control/clark_positions")
    arguments = [part for text in TEXTS for part in ("--text", text)]
    run("table", "control/clark_positions", "--model", model, *arguments, "--seed", 7, "--control-seeds", 2)
    printed = capsys.readouterr()
    assert len(printed.out.splitlines()) == len(expected) + 1
    assert printed.err.startswith("WARNING clark_positions: too few independent texts for intervals")
    defaults = {name: value.default for name, value in inspect.signature(Study).parameters.items()}
    options = vars(parser().parse_args(["table", "clark_positions", "--model", "x"]))
    shared = options.keys() & defaults.keys() - {"model", *OPTIONS}
    assert {name: options[name] for name in shared} == {name: defaults[name] for name in shared}
    assert defaults.keys() - shared == {"model", *OPTIONS}


@pytest.mark.parametrize("command", ["figure", "table"])
def test_the_help_names_the_inputs_of_the_maximum_length(command, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "an input from a file (default: 128); texts on the command line have no such limit --words" in text


@pytest.mark.parametrize("output", [[], ["--output", "new/mine.png"]])
def test_a_figure_is_drawn_into_a_file(run, model, tmp_path, output):
    (tmp_path / "text.txt").write_text("\n\n".join(f"{TEXTS[0]} {TEXTS[1]} It rained on day {n}." for n in range(60)))
    run("figure", "clark_figure_2", "--model", model, "--text", "text.txt", *output)
    assert (tmp_path / (output[-1] if output else "clark_figure_2.pdf")).stat().st_size > 10_000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["table", "clark_entropie"], "did you mean clark_entropy"),
        (["table", "clark_figure_2"], "is a figure\n.*bert-attention figure clark_figure_2"),
        (
            ["table", "clark_table_1"],
            "is a printed table.*\n.*snakemake --cores 2 clark_table_1.*clark_dependency_heads",
        ),
        (["figure", "clark_entropy"], "is a table\n.*bert-attention table clark_entropy"),
        (["figure", "clark_figure_3"], "cannot be made in memory.*\n.*snakemake --cores 2 clark_figure_3"),
        (["figure", "clark_figure_5"], "needs --trees and --documents\n.*add --trees FILE --documents FILE"),
        (["figure", "clark_figure_2", "--text", "a b", "--out", "a.gif"], "unknown format\n.*pdf, .png, .svg"),
        (["figure", "clark_figure_2", "--text", "nowhere.txt"], "--text nowhere.txt: there is no such file"),
        (["figure", "clark_figure_2", "--text", "a b", "--text", "no/where"], "is a file, given beside other texts"),
        (
            ["table", "clark_no_op", "--trees", "nowhere"],
            "--trees nowhere: there is no such file\n  Remedy: correct the path$",
        ),
        (["table", "clark_entropy", "--text", "a b", "--out", "."], "is a folder"),
        (
            ["table", "clark_entropy", "--text", "a b", "--words", "last"],
            "words='last': is not one of mean, first, max",
        ),
        (["table", "clark_entropy", "--text", "a b", "--model", "nowhere"], "model nowhere: the folder does not exist"),
        (["table", "clark_entropy", "--text", "caf\udce9"], "--text: 'caf.udce9' is not UTF-8"),
    ],
)
def test_a_mistake_ends_with_one_message(run, model, tmp_path, arguments, message):
    with pytest.raises(SystemExit, match=message) as ended:
        run(*arguments[:2], "--model", model, *arguments[2:])
    assert str(ended.value).startswith("ERROR ")
    assert not list(tmp_path.iterdir())


def test_help_imports_nothing_heavy_and_lists_the_results():
    code = "import sys; from bert_attention.interface.command import parser; parser().parse_args(sys.argv[1:])"
    for kind, listed in (("figure", "--text --trees --documents: clark_figure_6"), ("table", "clark_dependency_heads")):
        command = [sys.executable, "-X", "importtime", "-c", code, kind, "--help"]
        environment = {"PYTHONPATH": str(ROOT / "workflow"), "COLUMNS": "100"}
        helped = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert f"usage: bert-attention {kind}" in helped.stdout
        assert listed in helped.stdout
        imported = {line.rpartition("|")[2].strip() for line in helped.stderr.splitlines()}
        assert not {"torch", "matplotlib", "pandas"} & imported


def test_pip_installs_the_command():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, function = project["scripts"]["bert-attention"].partition(":")
    assert (module, function) == (main.__module__, main.__name__)
