"""The page: packed sequences and findings on heads, joined with its own style and scripts into one HTML file.

The page asks nobody for anything; a policy in it forbids that, too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from bert_attention.errors import InputError
from bert_attention.explorer.notes import Fact, Finding, briefs, most_telling
from bert_attention.heads import head_name

_FOLDER = Path(__file__).parent
# In the order in which they are joined.
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
    """The HTML of a page on a model.

    Parameters
    ----------
    sequences
        :func:`bert_attention.explorer.data.packed`, one at least.
    found
        :func:`packed_findings`, or what :func:`findings_in` read from another page.
    about
        A sentence that says where the sequences come from.
    lacks
        Why there are no queries and keys, where the model has none.
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
    return text.replace("/*DATA*/", in_script(data))  # last: texts may look like a mark


def packed_findings(found: list[Finding], weights: str = "", evidence: Mapping[str, list] | None = None) -> dict:
    """Findings as the page reads them, with the digest of the weights that they are of, and sentences by relation."""
    return {
        "weights": weights,
        "evidence": evidence or {},
        "first": [number - 1 for number in most_telling(found)],
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
    """What a page calls its model, and its findings; none of a page that has none.

    Raises
    ------
    InputError
        If the file is not such a page.
    """
    data = file.read_text(encoding="utf-8").partition(_DATA_BEGINS)[2].partition(_DATA_ENDS)[0]
    try:
        content = json.loads(data)
        return content["model"], content["found"]
    except (ValueError, KeyError):
        raise InputError(file, "is no page of this explorer", "remove it, or make it anew") from None


def in_script(encoded: str) -> str:
    r"""JSON that can stand in a script element: ``<``, ``>``, ``&`` are only in strings, where ``\u`` writes them."""
    return encoded.translate({ord(character): f"\\u{ord(character):04x}" for character in "<>&"})


def _packed_fact(fact: Fact) -> list:
    value, low, high, control = (
        None if number is None else float(f"{number:.4g}") for number in (fact.value, fact.low, fact.high, fact.control)
    )
    return [value, low, high, fact.n, control, fact.remark]


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8").rstrip("\n")
