"""Which commit of the project made a result."""

from __future__ import annotations

import subprocess
from pathlib import Path

# What results depend on. A changed README or test makes no other paper.
_PARTS = ("Snakefile", "config.yaml", "workflow", "editions", "envs")


def commit_of(project: Path) -> str | None:
    """The commit that is checked out in a project's folder; None where there is no git or no repository.

    It is followed by ``(changed)`` if what results depend on is not as in the commit.
    """
    inside = _git(project, "rev-parse", "--show-prefix")
    commit = _git(project, "rev-parse", "HEAD")
    if inside != "" or not commit:  # a folder below the top is of another project's repository
        return None
    changed = _git(project, "status", "--porcelain", "--", *_PARTS)
    return f"{commit} (changed)" if changed else commit


def _git(project: Path, *arguments: str) -> str | None:
    """What a command of git prints; None if it fails."""
    try:
        run = subprocess.run(["git", "-C", str(project), *arguments], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return run.stdout.strip() if run.returncode == 0 else None
