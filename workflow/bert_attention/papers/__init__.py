"""The papers: a folder for each, with its claims, its numbers in prose, and what it published."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # every module of a paper runs this one
    from bert_attention.judging.claims import Paper


def paper(name: str) -> Paper:
    """Return a paper with its claims and its numbers in prose, by its short name.

    A paper without ``numbers.py`` has no numbers in prose, and one without ``claims.py`` has no claims either.
    """
    from bert_attention.judging.claims import Paper  # noqa: PLC0415 (see above)

    if find_spec(f"{__name__}.{name}.claims") is None:
        return Paper(str(import_module(f"{__name__}.{name}").__path__[0]) + "/claims.py", work=name)
    if find_spec(f"{__name__}.{name}.numbers") is not None:
        import_module(f"{__name__}.{name}.numbers")
    return getattr(import_module(f"{__name__}.{name}.claims"), name)


def readings(names: Iterable[str]) -> list:
    """Return the explorer's readings (:class:`.Reading`) of papers' tables. A paper without ``notes.py`` has none."""
    modules = [f"{__name__}.{name}.notes" for name in names]
    return [reading for module in modules if find_spec(module) for reading in import_module(module).READINGS]
