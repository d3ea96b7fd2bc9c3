import pytest

from bert_attention.files import replacing, replacing_folder, visible_files


def files_in(folder):
    return sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())


def write(path, text):
    """Write a file, or a folder with one file."""
    if path.suffix:
        with replacing(path) as partial:
            partial.write_text(text)
            yield
    else:
        with replacing_folder(path) as partial:
            (partial / "part").mkdir()
            (partial / "part" / text).touch()
            yield


@pytest.mark.parametrize("name", ["new/table.csv", "new/model"])
def test_only_a_finished_write_replaces_a_file(tmp_path, name):
    list(write(tmp_path / name, "old"))
    before = files_in(tmp_path)
    writing = write(tmp_path / name, "interrupted")
    next(writing)
    with pytest.raises(KeyboardInterrupt):
        writing.throw(KeyboardInterrupt)
    assert files_in(tmp_path) == before
    list(write(tmp_path / name, "whole"))
    if name.endswith(".csv"):
        assert (tmp_path / name).read_text() == "whole"
        assert files_in(tmp_path) == [name]
    else:
        assert files_in(tmp_path) == [f"{name}/part/whole"]


def test_hidden_files_are_not_read(tmp_path):
    """Hidden files are not watched either: a change would go unnoticed (``bert_attention.running.source_contents``)."""
    for name in ("b.txt", "a.txt", "._a.txt", "c.md", "inner/d.txt", ".inner/e.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert visible_files(tmp_path, "*.txt") == [tmp_path / "a.txt", tmp_path / "b.txt"]
    assert visible_files(tmp_path, "**/*.txt") == [tmp_path / name for name in ("a.txt", "b.txt", "inner/d.txt")]
