"""Find the corpora of which all encoders of an edition read the same texts, in the same order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from bert_attention.corpora.jsonlines import articles_of


def read_alike(files: Mapping[str, Iterable[Path | str]]) -> set[str]:
    """Return the corpora of which all encoders get the same texts.

    ``files`` are those of all encoders, by corpus: segments and inputs of tasks (``.jsonl``), or sentences and
    documents (``.conllu``). Files of equal names are compared. Sentences that do not fit into an encoder are missing
    in its file, and then blocks of texts can begin elsewhere.
    """
    return {corpus for corpus, of_corpus in files.items() if _are_alike(map(Path, of_corpus))}


def _are_alike(files: Iterable[Path]) -> bool:
    texts: dict[str, list] = {}
    return all(texts.setdefault(file.name, found) == found for file in files for found in [_texts(file)])


def _texts(file: Path) -> list:
    """Return the article of each segment, the group of each input of a task, or the lines of a treebank."""
    return articles_of(file) if file.suffix == ".jsonl" else file.read_text(encoding="utf-8").splitlines()
