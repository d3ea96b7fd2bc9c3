"""The papers: a folder for each, with its claims, its numbers in prose, and what it published."""

from __future__ import annotations

from importlib import import_module

from bert_attention.judging.claims import Paper


def paper(name: str) -> Paper:
    """Return a paper with its claims and its numbers in prose, by its short name."""
    import_module(f"{__name__}.{name}.numbers")
    return getattr(import_module(f"{__name__}.{name}.claims"), name)
