"""Digests of the code that each rule uses."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bert_attention.plan import Plan
from bert_attention.results import INPUT_KINDS, results
from bert_attention.running import codebase
from bert_attention.running.codebase import SOURCES, code_digest, modules_reached

REACHED = ("a.py", "b.py", "d.py", "deep/__init__.py", "deep/e.py", "f.py", "part/__init__.py")


@pytest.fixture
def library(tmp_path, monkeypatch):
    """A library that a script reaches in part, and a function that gives the digest of the script."""
    package = tmp_path / "lib"
    for folder in ("part", "deep"):
        (package / folder).mkdir(parents=True)
    files = {
        "a": "from lib import (\n    b,  # why\n    part,\n)\n",
        "b": "def g():\n    return 1\n",
        "c": "def h():\n    return 2\n",
        "part/__init__": "def f():\n    import lib.d\n",
        "d": "from other.c import x\nif TYPE_CHECKING:\n    from lib.c import h\n\nimport lib.deep.e\n",
        "deep/__init__": "from lib.f import x\n",
        "deep/e": "",
        "f": "x = 1\n",
    }
    for name, text in files.items():
        (package / f"{name}.py").write_text(text)
    script = tmp_path / "script.py"
    script.write_text("import numpy\nfrom lib.a import f\n")
    monkeypatch.setattr(codebase, "SOURCES", tmp_path)
    monkeypatch.setattr(codebase, "PACKAGES", ("lib",))

    def digest():
        codebase._read.cache_clear()  # each process reads a file once
        codebase._files_used.cache_clear()
        return code_digest(script)

    return package, digest


def test_modules_are_reached_by_every_form_of_import(library):
    package, _ = library
    reached = modules_reached(package.parent / "script.py")
    assert reached == [package / name for name in REACHED]


def test_an_edit_of_a_reached_module_or_of_its_data_changes_the_digest(library):
    package, digest = library
    before = digest()
    (package / "c.py").write_text("def h():\n    return 4\n")
    assert digest() == before  # the script does not reach this module
    (package / "b.py").write_text("def g():\n    return 1  # comments count, too\n")
    digests = [before, digest()]
    for words in ("one two", "one three"):
        (package / "b.data.yaml").write_text(f"words: {words}")
        digests.append(digest())
    script = package.parent / "script.py"
    script.write_text(f"{script.read_text()}# Snakemake would look at the time of this edit alone.\n")
    assert len({*digests, digest()}) == 5


def test_an_unknown_module_is_named():
    with pytest.raises(FileNotFoundError, match=r"the project has no module bert_attention\.papers\.clark\.entrpy"):
        code_digest("bert_attention.papers.clark.entrpy")


LIBRARY, SCRIPTS = SOURCES / "bert_attention", SOURCES / "scripts"


def reached(*entries):
    return {file.relative_to(LIBRARY).as_posix() for file in modules_reached(*entries)}


@pytest.mark.parametrize(
    ("entry", "others"),
    [
        ("bert_attention.papers.clark.entropy", ("clark/positions.py", "figures/")),
        ("bert_attention.attention.extraction", ("clark/", "figures/")),
        *((f"parsing/{name}.py", "attention/") for name in ("stanza_pipeline", "parse_text", "parser_accuracy")),
        *((f"models/{name}.py", "attention/") for name in ("model", "mlm_head")),
        *((f"models/translation_{name}.py", ("attention/", "models/masking.py")) for name in ("model", "accuracy")),
        ("attention/extract_attention.py", "parsing/"),
        ("figures", ("attention/", "models/", "parsing/")),
        ("paper", ("attention/", "models/", "parsing/")),
    ],
)
def test_extraction_training_parsing_and_figures_do_not_reach_each_other(entry, others):
    """So an edit of one kind of module does not rerun the other jobs."""
    if "." not in entry:
        found = reached(*(LIBRARY / entry).rglob("*.py"))
    else:
        found = reached(SCRIPTS / entry if entry.endswith(".py") else entry)
    assert found
    assert not [module for module in found if module.startswith(others)]


def test_scripts_of_results_reach_only_the_reader_of_tables():
    """A rule adds the code of the readers that its entry of results.yaml names."""
    names = {kind.reader.removeprefix("bert_attention.").rpartition(".")[0] for kind in INPUT_KINDS.values()}
    readers = {f"{name.replace('.', '/')}.py" for name in names}
    for script in ("sum_up", "tabulate", "analyze", "draw_figure", "print_table"):
        assert reached(*SCRIPTS.glob(f"*/{script}.py")) & readers <= {"statistics/tables.py"}, script
    packages = {"__init__.py", "corpora/__init__.py"}
    assert reached("bert_attention.corpora.types") == {"corpora/types.py"} | packages


# Prints the files of the library that each script, with the functions that rules tell it to call, runs when it is
# imported. The library is imported anew each time, other packages only once.
RUNNING = """
import importlib, json, runpy, sys

def run(entry):
    for name in [name for name in sys.modules if name.partition(".")[0] == "bert_attention"]:
        del sys.modules[name]
    runpy.run_path(entry, run_name="imported") if entry.endswith(".py") else importlib.import_module(entry)
    return [module.__file__ for name, module in sys.modules.items() if name.partition(".")[0] == "bert_attention"]

print(json.dumps({entry: run(entry) for entry in sys.argv[1:]}))
"""


def test_digests_cover_every_module_that_runs():
    plan = Plan(results())
    functions = [plan.function(name) for name, entry in results().tables.items() if entry.analysis]
    functions += [plan.showing_function(name) for name in results().shown]
    functions += [kind.reader for kind in INPUT_KINDS.values()]
    entries = {function.rpartition(".")[0].removesuffix(".table") for function in functions}
    entries |= set(map(str, SCRIPTS.rglob("*.py")))
    command = [sys.executable, "-c", RUNNING, *sorted(entries)]
    ran = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
    assert len(ran) > 100
    missed = {
        entry: set(files) - set(map(str, modules_reached(Path(entry) if entry.endswith(".py") else entry)))
        for entry, files in ran.items()
    }
    assert not {entry: files for entry, files in missed.items() if files}
