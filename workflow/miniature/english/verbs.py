"""The English verbs; ``verbs.data.yaml`` lists them by pattern, with what they take and the frames that they evoke."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

from miniature.english.inflection import form_tokens, verb_forms
from miniature.tokens import Token

_PATTERNS = yaml.safe_load(Path(__file__).with_suffix(".data.yaml").read_text(encoding="utf-8"))
_STATIVE = "see hear love hate admire know understand believe_in depend_on want seem be"


@dataclass(frozen=True, eq=False, slots=True)
class Verb:
    """A verb in one of its patterns; its ``name`` adds the particle or preposition: pick_up, wait_for.

    ``kinds`` gives the kinds, or single nouns, that fill a function; ``elements`` its core element in the frame.
    """

    name: str
    lemma: str
    particle: str | None
    preposition: str | None
    pattern: str
    kinds: dict[str, tuple[str, ...]]
    frame: str | None
    elements: dict[str, str]
    forms: dict[str, Token]
    stative: bool


def _verb(row: str, pattern: str, functions: list[str]) -> Verb:
    name, *columns = row.split()
    lemma, _, second = name.partition("_")
    kinds = {function: tuple(columns.pop(0).split(",")) for function in functions if function != "complement"}
    frame, *elements = columns
    return Verb(
        name=name,
        lemma=lemma,
        particle=second if pattern in ("phrasal", "particle") else None,
        preposition="to" if pattern == "ditransitive" else (second if pattern == "prepositional" else None),
        pattern=pattern,
        kinds=kinds,
        frame=None if frame == "-" else frame,
        elements={} if frame == "-" else dict(zip(functions, elements, strict=True)),
        forms=form_tokens(lemma, "VERB", verb_forms(lemma)),
        stative=name in _STATIVE.split(),
    )


VERBS_OF_PATTERN: dict[str, tuple[Verb, ...]] = {
    pattern: tuple(_verb(row, pattern, entry["functions"].split()) for row in entry["verbs"].splitlines())
    for pattern, entry in _PATTERNS.items()
}
VERBS: tuple[Verb, ...] = tuple(verb for verbs in VERBS_OF_PATTERN.values() for verb in verbs)
BE = VERBS_OF_PATTERN["copular"][0]
LINKING = VERBS_OF_PATTERN["copular"][1:]

# Verbs whose complement is true if the whole is (for entailment): "manage to", "know that".
FACTIVE = {"know", "notice", "remember", "admit", "manage", "force", "remind"}
