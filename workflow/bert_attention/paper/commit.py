"""The commit of the project with which a result was made."""

from __future__ import annotations

import subprocess
from pathlib import Path

# Files that affect results, unlike a README or a test.
_SOURCES = ("Snakefile", "config.yaml", "workflow", "editions", "envs")


def commit_of(project: Path) -> str | None:
    """Return the commit that is checked out in a project's folder, or None without git or a repository.

    The text ends with ``(changed)`` if files that affect results differ from the commit.
    """
    prefix = _git(project, "rev-parse", "--show-prefix")
    commit = _git(project, "rev-parse", "HEAD")
    if prefix != "" or not commit:  # a folder below the top belongs to another project's repository
        return None
    changed = _git(project, "status", "--porcelain", "--", *_SOURCES)
    return f"{commit} (changed)" if changed else commit


def _git(project: Path, *arguments: str) -> str | None:
    """Return the output of a git command, or None if the command fails."""
    try:
        run = subprocess.run(["git", "-C", str(project), *arguments], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return run.stdout.strip() if run.returncode == 0 else None
