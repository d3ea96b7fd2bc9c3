"""The page: packed sequences and findings on heads, joined with style and scripts into one HTML file.

The page makes no network requests, and its content security policy forbids them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from bert_attention.errors import InputError
from bert_attention.explorer.notes import Fact, Finding, briefs, head_best_for_most
from bert_attention.heads import head_name

_FOLDER = Path(__file__).parent
# The scripts are joined in this order.
SCRIPTS = ("data.js", "scene.js", "views.js", "page.js")
PARTS = ("page.html", "page.css", *SCRIPTS)
_DATA_BEGINS, _DATA_ENDS = '<script type="application/json" class="data">', "</script>"


def page(
    model: str,
    layers: int,
    heads: int,
    sequences: Sequence[Mapping],
    found: Mapping | None = None,
    about: str = "",
    lacks: str = "",
) -> str:
    """Return the HTML of a page on a model.

    ``sequences`` are at least one, from :func:`bert_attention.explorer.data.packed`. ``found`` comes from
    :func:`packed_findings`, or from another page by :func:`findings_in`. ``about`` says in a sentence where the
    sequences come from. ``lacks`` is the reason why the model has no queries and keys, if it has none. A sequence of
    another model can have its own reason ``lacks``.
    """
    content = {
        "model": model,
        "layers": layers,
        "heads": heads,
        "about": about,
        "lacks": lacks,
        "sequences": list(sequences),
        "found": found or packed_findings([]),
    }
    text = _read("page.html").replace("/*STYLE*/", _read("page.css"))
    text = text.replace("/*SCRIPT*/", "\n".join(map(_read, SCRIPTS)))
    data = json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("/*DATA*/", in_script(data))  # last, because texts can contain a placeholder


def packed_findings(found: list[Finding], weights: str = "", evidence: Mapping[str, list] | None = None) -> dict:
    """Return findings as the page reads them, with the digest of the measured weights, and sentences by relation."""
    return {
        "weights": weights,
        "evidence": evidence or {},
        "first": [number - 1 for number in head_best_for_most(found)],
        "briefs": {head_name(*head): brief for head, brief in sorted(briefs(found).items())},
        "findings": [
            {
                "group": finding.group,
                "label": finding.label,
                "corpus": finding.corpus,
                "unit": finding.unit,
                "facts": {head_name(*head): _packed_fact(fact) for head, fact in sorted(finding.facts.items())},
            }
            for finding in found
        ],
    }


def findings_in(file: Path) -> tuple[str, dict]:
    """Return the name of the model of a page, and the findings on the page, which may be empty.

    Raise InputError if the file is not a page of this explorer.
    """
    data = file.read_text(encoding="utf-8").partition(_DATA_BEGINS)[2].partition(_DATA_ENDS)[0]
    try:
        content = json.loads(data)
        return content["model"], content["found"]
    except (ValueError, KeyError):
        raise InputError(file, "is not a page of this explorer", "delete it, or make it again") from None


def in_script(encoded: str) -> str:
    r"""Escape JSON for a script element: ``<``, ``>`` and ``&`` are only in strings, where ``\u`` can encode them."""
    return encoded.translate({ord(character): f"\\u{ord(character):04x}" for character in "<>&"})


def _packed_fact(fact: Fact) -> list:
    value, low, high, control = (
        None if number is None else float(f"{number:.4g}") for number in (fact.value, fact.low, fact.high, fact.control)
    )
    return [value, low, high, fact.n, control, fact.remark]


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8").rstrip("\n")
