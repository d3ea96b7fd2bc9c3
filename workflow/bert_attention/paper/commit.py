"""The commit of the project that made a result."""

from __future__ import annotations

import subprocess
from pathlib import Path

# Files that change results. A changed README or test makes no other paper.
_PARTS = ("Snakefile", "config.yaml", "workflow", "editions", "envs")


def commit_of(project: Path) -> str | None:
    """Return the commit that is checked out in a project's folder, or None without git or a repository.

    It ends with ``(changed)`` if files that change results differ from the commit.
    """
    inside = _git(project, "rev-parse", "--show-prefix")
    commit = _git(project, "rev-parse", "HEAD")
    if inside != "" or not commit:  # a folder below the top belongs to another project's repository
        return None
    changed = _git(project, "status", "--porcelain", "--", *_PARTS)
    return f"{commit} (changed)" if changed else commit


def _git(project: Path, *arguments: str) -> str | None:
    """Return the output of a git command, or None if the command fails."""
    try:
        run = subprocess.run(["git", "-C", str(project), *arguments], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return run.stdout.strip() if run.returncode == 0 else None
