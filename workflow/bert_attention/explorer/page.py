"""The page: packed sequences and notes on heads, joined with its own style and scripts into one HTML file.

The page asks nobody for anything; a policy in it forbids that, too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from bert_attention.explorer.notes import Head, Note, most_telling

_FOLDER = Path(__file__).parent
# In the order in which they are joined.
SCRIPTS = ("data.js", "scene.js", "views.js", "page.js")
PARTS = ("page.html", "page.css", *SCRIPTS)


def page(
    model: str, layers: int, heads: int, sequences: Sequence[Mapping], notes: Mapping[Head, Note], about: str = ""
) -> str:
    """The HTML of a page on a model.

    Parameters
    ----------
    sequences
        :func:`bert_attention.explorer.data.packed`, one at least.
    notes
        What is known of heads; may be empty.
    about
        A sentence that says where the sequences come from.
    """
    content = {
        "model": model,
        "layers": layers,
        "heads": heads,
        "first": _place(most_telling(notes)),
        "about": about,
        "sequences": list(sequences),
        "notes": {f"{layer}-{head}": _note(note) for (layer, head), note in sorted(notes.items())},
    }
    parts = {
        "STYLE": _read("page.css"),
        "SCRIPT": "\n".join(map(_read, SCRIPTS)),
        "DATA": in_script(json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":"))),
    }
    text = _read("page.html")
    for name, part in parts.items():
        before, mark, after = text.partition(f"/*{name}*/")
        assert mark, f"page.html lacks /*{name}*/"
        text = before + part + after
    return text


def in_script(encoded: str) -> str:
    r"""JSON that can stand in a script element: ``<``, ``>``, ``&`` are only in strings, where ``\u`` writes them."""
    return encoded.translate({ord(character): f"\\u{ord(character):04x}" for character in "<>&"})


def _place(head: Head) -> tuple[int, int]:
    """Layer and head from 0, as the scripts count."""
    layer, number = head
    return layer - 1, number - 1


def _note(note: Note) -> dict:
    return {"brief": note.brief, "facts": [[fact.group, fact.label, fact.value, fact.share] for fact in note.facts]}


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8").rstrip("\n")
