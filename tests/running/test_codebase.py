import pytest

from bert_attention.errors import InputError
from bert_attention.running import codebase
from bert_attention.running.codebase import SOURCES, Codebase


@pytest.fixture
def library(tmp_path, monkeypatch):
    """A library of three modules, and a function that gives the digests of what a script reaches."""
    package = tmp_path / "lib"
    package.mkdir()
    files = {
        "a": '"""Doc."""\nfrom lib import b\n\ndef f():\n    """Doc."""\n    return b.g()\n',
        "b": "def g():\n    return 1\n",
        "c": "def h():\n    return 2\n",
    }
    for name, text in files.items():
        (package / f"{name}.py").write_text(text)
    script = tmp_path / "script.py"
    script.write_text("import numpy\nfrom lib.a import f\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(codebase, "SOURCES", tmp_path)
    monkeypatch.setattr(codebase, "PACKAGES", ("lib",))
    return package, lambda **memory: Codebase(**memory).digests(script)


def test_only_reached_modules_count(library):
    _, digests = library
    assert [name for name, entry in digests().items() if entry.startswith(f"{name} ")] == ["lib/a.py", "lib/b.py"]


def test_an_edit_of_a_reached_module_changes_its_digest_alone(library):
    package, digests = library
    before = digests()
    (package / "b.py").write_text("def g():\n    return 3\n")
    after = digests()
    assert before["lib/a.py"] == after["lib/a.py"]
    assert before["lib/b.py"] != after["lib/b.py"]


def test_data_beside_a_reached_module_counts(library):
    package, digests = library
    before = digests()
    (package / "b.data.yaml").write_text("words: one two")
    added = digests()
    assert added == {**before, "lib/b.data.yaml": added["lib/b.data.yaml"]}
    (package / "b.data.yaml").write_text("words: one three")
    assert digests()["lib/b.data.yaml"] != added["lib/b.data.yaml"]


def test_comments_docstrings_and_unreached_modules_change_nothing(library):
    package, digests = library
    before = digests()
    (package / "a.py").write_text(
        '"""Better."""\nfrom lib import b  # why\n\n\ndef f():\n    """Best."""\n    return b.g()\n'
    )
    (package / "c.py").write_text("def h():\n    return 4\n")
    assert digests() == before


WORDED = """
def g(x):
    if x < 0:
        problem = f"is {{x}}, {0}"
        raise InputError("x", problem, "{0}")
    if x > 9:
        raise {1}("x", "{0}", "give less")
    return {2}
"""


def test_what_an_error_says_changes_nothing_unless_a_result_holds_it(library):
    package, digests = library

    def digest(*parts):
        (package / "b.py").write_text(WORDED.format(*parts))
        return digests()["lib/b.py"]

    assert digest("too low", "InputError", 1) == digest("below zero", "InputError", 1)
    assert digest("too low", "InputError", 1) != digest("too low", "InputError", "'one'")
    assert digest("too low", "InputError", "'one'") != digest("too low", "InputError", "'two'")
    assert digest("too low", "NothingFoundError", 1) != digest("below zero", "NothingFoundError", 1)


def test_a_module_is_parsed_again_when_it_has_changed(library, monkeypatch):
    package, digests = library
    first = Codebase("memory.json")
    before = first.digests(package.parent / "script.py")
    first.remember()
    (package / "b.py").write_text("def g():\n    return 3\n")
    parsed = []
    parse = codebase.ast.parse
    monkeypatch.setattr(codebase.ast, "parse", lambda text: parsed.append(text) or parse(text))
    after = digests(memory="memory.json")
    assert parsed == ["def g():\n    return 3\n"]
    assert after == digests() != before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"x = 1\ndef g(:\n", r"lib/b\.py, line 2: is not valid Python"),
        (b"x = '\xe9'\n", r"lib/b\.py: is not valid Python.*utf-8"),
    ],
)
def test_a_module_that_is_not_python_is_named_with_its_line(library, text, message):
    package, digests = library
    (package / "b.py").write_bytes(text)
    with pytest.raises(InputError, match=message):
        digests()


def reached(*entry_points):
    return {name.removeprefix("bert_attention/") for name in Codebase().digests(*entry_points)}


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


def test_the_miniature_counts_too():
    miniature = reached(script("corpora/miniature.py"))
    assert "miniature/__init__.py" in miniature
    assert any(name.startswith("miniature/german/") for name in miniature)


def test_an_unknown_module_is_an_error():
    with pytest.raises(FileNotFoundError, match=r"clark\.nothing"):
        Codebase().digests("bert_attention.clark.nothing")
