"""The commit with which a result was made."""

import shutil
import subprocess

import pytest

from bert_attention.paper.commit import commit_of


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_the_commit_and_changes_of_code(tmp_path):
    project = tmp_path / "project"
    (project / "workflow").mkdir(parents=True)
    assert commit_of(project) is None

    def git(*arguments):
        names = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        run = subprocess.run(["git", "-C", project, *names, *arguments], check=True, capture_output=True, text=True)
        return run.stdout.strip()

    git("init")
    (project / "workflow" / "a.py").write_text("a = 1\n")
    git("add", "-A")
    git("commit", "-m", "a")
    commit = git("rev-parse", "HEAD")
    (project / "README.md").write_text("not code\n")
    assert commit_of(project) == commit
    assert commit_of(project / "workflow") is None  # a project inside another project's repository
    (project / "workflow" / "new.py").write_text("b = 1\n")
    assert commit_of(project) == f"{commit} (changed)"
