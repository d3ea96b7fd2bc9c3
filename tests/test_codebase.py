import pytest

from bert_attention import codebase
from bert_attention.codebase import code_digests


@pytest.fixture
def library(tmp_path, monkeypatch):
    """A library of three modules and a script; gives the digests of what the script reaches."""
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
    monkeypatch.setattr(codebase, "PACKAGE", package)

    def digests():
        for function in (codebase._imported_files, codebase._parsed, codebase._digest):
            function.cache_clear()
        return code_digests(script)

    return package, digests


def test_only_reached_modules_count(library):
    _, digests = library
    assert [entry.split()[0] for entry in digests()] == ["a.py", "b.py"]


def test_an_edit_of_a_reached_module_changes_its_digest_alone(library):
    package, digests = library
    before = digests()
    (package / "b.py").write_text("def g():\n    return 3\n")
    after = digests()
    assert before[0] == after[0]
    assert before[1] != after[1]


def test_comments_docstrings_and_unreached_modules_change_nothing(library):
    package, digests = library
    before = digests()
    (package / "a.py").write_text(
        '"""Better."""\nfrom lib import b  # why\n\n\ndef f():\n    """Best."""\n    return b.g()\n'
    )
    (package / "c.py").write_text("def h():\n    return 4\n")
    assert digests() == before


def test_the_entropy_table_depends_on_entropy_and_extraction_does_not():
    entropy = [entry.split()[0] for entry in code_digests("clark.entropy")]
    extraction = [entry.split()[0] for entry in code_digests("extraction")]
    assert "clark/entropy.py" in entropy
    assert "clark/positions.py" not in entropy
    assert not any(name.startswith(("clark/", "figures/")) for name in extraction)


def test_an_unknown_module_is_an_error():
    with pytest.raises(FileNotFoundError, match=r"clark\.nothing"):
        code_digests("clark.nothing")
