"""Digests of the code that each rule uses."""

import pytest

from bert_attention.results import INPUT_KINDS
from bert_attention.running import codebase
from bert_attention.running.codebase import SOURCES, code_digest, modules_reached


@pytest.fixture
def library(tmp_path, monkeypatch):
    """A library of four modules that a script reaches in part, and a function that gives the digest of the script."""
    package = tmp_path / "lib"
    (package / "part").mkdir(parents=True)
    files = {
        "a": "from lib import (\n    b,  # why\n    part,\n)\n",
        "b": "def g():\n    return 1\n",
        "c": "def h():\n    return 2\n",
        "part/__init__": "def f():\n    import lib.d\n",
        "d": "from other.c import x\n",
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
    assert reached == [package / name for name in ("a.py", "b.py", "d.py", "part/__init__.py")]


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
    assert len(set(digests)) == 4


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
        *((f"models/{name}.py", "attention/") for name in ("model", "random_model", "mlm_head")),
        *((f"models/translation_{name}.py", ("attention/", "models/masking.py")) for name in ("model", "accuracy")),
        *((f"attention/{name}.py", "parsing/") for name in ("extract_attention", "extract_word_attention")),
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
    assert reached("bert_attention.corpora.types") == {"corpora/types.py"}
