"""The commit that made a result."""

import shutil
import subprocess

import pytest

from bert_attention.paper.commit import commit_of

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


@pytest.fixture
def repository(tmp_path):
    def git(*arguments):
        names = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        return subprocess.run(
            ["git", "-C", tmp_path, *names, *arguments], check=True, capture_output=True, text=True
        ).stdout.strip()

    git("init")
    (tmp_path / "workflow").mkdir()
    (tmp_path / "workflow" / "a.py").write_text("a = 1\n")
    (tmp_path / "README.md").write_text("a\n")
    git("add", "-A")
    git("commit", "-m", "a")
    return tmp_path, git("rev-parse", "HEAD")


def test_the_commit_that_is_checked_out(repository):
    folder, commit = repository
    assert commit_of(folder) == commit
    (folder / "README.md").write_text("b\n")
    assert commit_of(folder) == commit


def test_changed_code_is_said(repository):
    folder, commit = repository
    (folder / "workflow" / "new.py").write_text("b = 1\n")
    assert commit_of(folder) == f"{commit} (changed)"


def test_elsewhere_there_is_none(repository, tmp_path_factory):
    folder, _ = repository
    assert commit_of(folder / "workflow") is None  # a project that lies in a repository of something else
    assert commit_of(tmp_path_factory.mktemp("outside")) is None
