import pytest

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


def test_an_edit_of_a_reached_module_changes_the_digest(library):
    package, digest = library
    before = digest()
    (package / "c.py").write_text("def h():\n    return 4\n")
    assert digest() == before
    (package / "b.py").write_text("def g():\n    return 1  # a comment counts, too\n")
    assert digest() != before


def test_data_beside_a_reached_module_counts(library):
    package, digest = library
    digests = [digest()]
    for words in ("one two", "one three"):
        (package / "b.data.yaml").write_text(f"words: {words}")
        digests.append(digest())
    assert len(set(digests)) == 3


def test_an_unknown_module_is_named():
    with pytest.raises(FileNotFoundError, match=r"the project has no module bert_attention\.clark\.entrpy"):
        code_digest("bert_attention.clark.entrpy")


def reached(*entry_points):
    library = SOURCES / "bert_attention"
    return {file.relative_to(library).as_posix() for file in modules_reached(*entry_points)}


def script(name):
    return SOURCES / "scripts" / name


def test_the_entropy_table_depends_on_entropy_and_extraction_does_not():
    entropy = reached("bert_attention.clark.entropy")
    assert "clark/entropy.py" in entropy
    assert "clark/positions.py" not in entropy
    assert not any(name.startswith(("clark/", "figures/")) for name in reached("bert_attention.attention.extraction"))


TRANSLATION = ("models/translation_model.py", "models/translation_accuracy.py")


@pytest.mark.parametrize(
    ("name", "others"),
    [
        *((f"parsing/{name}.py", "attention/") for name in ("stanza_pipeline", "parse_text", "parser_accuracy")),
        *((f"models/{name}.py", "attention/") for name in ("model", "random_model", "mlm_head")),
        *((name, ("attention/", "models/masking.py")) for name in TRANSLATION),
        *((f"attention/{name}.py", "parsing/") for name in ("extract_attention", "extract_word_attention")),
    ],
)
def test_what_trains_parses_and_extracts_knows_nothing_of_each_other(name, others):
    assert not [module for module in reached(script(name)) if module.startswith(others)]


@pytest.mark.parametrize("package", ["figures", "paper"])
def test_figures_and_printed_tables_know_nothing_of_attention_and_models(package):
    modules = [
        ".".join(path.relative_to(SOURCES).with_suffix("").parts)
        for path in (SOURCES / "bert_attention" / package).rglob("*.py")
    ]
    assert not [module for module in reached(*modules) if module.startswith(("attention/", "models/", "parsing/"))]
