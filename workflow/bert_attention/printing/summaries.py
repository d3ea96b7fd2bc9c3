"""Summaries of corpora in HTML, for the results page and for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from bert_attention.corpora.summaries import Summary


def summaries_html(summaries: Iterable[Summary]) -> str:
    """Return summaries in HTML: a block for each corpus, with what each encoder gets of it below.

    Without summaries, the HTML is empty.
    """
    by_corpus: dict[str, list[Summary]] = {}
    for summary in summaries:
        by_corpus.setdefault(summary.corpus, []).append(summary)
    blocks = (
        f'<div class="corpus"><h3>{_capitalized(corpus)}</h3>\n{"".join(map(_html, parts))}</div>\n'
        for corpus, parts in by_corpus.items()
    )
    return f'<div class="corpora">\n{"".join(blocks)}</div>\n' if by_corpus else ""


def _html(summary: Summary) -> str:
    encoder = f"<strong>For {escape(summary.encoder)}:</strong> " if summary.encoder else ""
    lines = "".join(f"<dt>{escape(label)}</dt><dd>{escape(text)}</dd>\n" for label, text in summary.lines)
    return f"<p>{encoder}{escape(summary.size)}</p>\n" + (f"<dl>\n{lines}</dl>\n" if lines else "")


def _capitalized(text: str) -> str:
    return escape(text[:1].upper() + text[1:])
