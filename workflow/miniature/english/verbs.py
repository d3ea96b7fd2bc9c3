"""The English verbs; ``verbs.data.yaml`` lists them by pattern, with what they take and the frames that they evoke."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

from miniature.english.inflection import verb_forms
from miniature.tokens import Token

_PATTERNS = yaml.safe_load(Path(__file__).with_suffix(".data.yaml").read_text(encoding="utf-8"))
_TAKES_KINDS = {"subject", "object", "oblique"}  # functions whose kinds a row gives; so is the addressee of "tell"
_STATIVE = "see hear love hate admire know understand believe_in depend_on want seem be"

_FEATS = {
    "base": ("VB", "VerbForm=Inf"),
    "present": ("VBP", "Mood=Ind|Tense=Pres|VerbForm=Fin"),
    "third": ("VBZ", "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"),
    "past": ("VBD", "Mood=Ind|Tense=Past|VerbForm=Fin"),
    "participle": ("VBN", "Tense=Past|VerbForm=Part"),
    "gerund": ("VBG", "Tense=Pres|VerbForm=Part"),
}


@dataclass(frozen=True, eq=False, slots=True)
class Verb:
    """A verb in one of its patterns.

    ``kinds`` gives the kinds, or single nouns, that fill a function; ``elements`` its core element in the frame.
    """

    lemma: str
    particle: str | None
    preposition: str | None
    pattern: str
    kinds: dict[str, tuple[str, ...]]
    frame: str | None
    elements: dict[str, str]
    forms: dict[str, Token]
    stative: bool

    @property
    def name(self) -> str:
        """The verb with its particle or its preposition: pick_up, wait_for."""
        second = self.particle or (self.preposition if self.pattern == "prepositional" else None)
        return f"{self.lemma}_{second}" if second else self.lemma


def _verb(row: str, pattern: str, functions: list[str]) -> Verb:
    name, *columns = row.split()
    lemma, _, second = name.partition("_")
    with_kinds = [function for function in functions if function in _TAKES_KINDS]
    if pattern == "addressed":
        with_kinds.append("recipient")
    kinds = {function: tuple(columns.pop(0).split(",")) for function in with_kinds}
    if pattern == "ditransitive":
        kinds["recipient"] = ("person", "relative")
    frame, *elements = columns
    return Verb(
        lemma=lemma,
        particle=second if pattern in ("phrasal", "particle") else None,
        preposition="to" if pattern == "ditransitive" else (second if pattern == "prepositional" else None),
        pattern=pattern,
        kinds=kinds,
        frame=None if frame == "-" else frame,
        elements={} if frame == "-" else dict(zip(functions, elements, strict=True)),
        forms=_forms(lemma),
        stative=name in _STATIVE.split(),
    )


def _forms(lemma: str) -> dict[str, Token]:
    spelled = verb_forms(lemma)._asdict() | {"present": lemma}
    return {form: Token(spelled[form], lemma, "VERB", *tags) for form, tags in _FEATS.items()}


VERBS_OF_PATTERN: dict[str, tuple[Verb, ...]] = {
    pattern: tuple(_verb(row, pattern, entry["functions"].split()) for row in entry["verbs"].splitlines())
    for pattern, entry in _PATTERNS.items()
}
VERBS: tuple[Verb, ...] = tuple(verb for verbs in VERBS_OF_PATTERN.values() for verb in verbs)
BE = VERBS_OF_PATTERN["copular"][0]
LINKING = VERBS_OF_PATTERN["copular"][1:]

# Verbs whose complement is true if the whole is (for entailment): "manage to", "know that".
FACTIVE = {"know", "notice", "remember", "admit", "manage", "force", "remind"}
