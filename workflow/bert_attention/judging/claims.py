"""Claims: a paper's published numbers and statements, each with the function that finds ours.

``papers/<paper>/claims.py`` has the claims of a paper::

    clark = Paper(__file__, work="Clark et al. 2019", model="google-bert/bert-base-uncased", depth=12, weights={...})

    @clark.claim(
        "Some heads attend mostly to the previous token",
        at="section 3.1",
        published=4,
        margin=EXACT,
        true_if=above(0),
        needs=["wikipedia"],
    )
    def heads_on_previous(t):
        \"\"\"Four heads give more than half of their attention to the previous token.\"\"\"
        return count_above(t.clark_positions(target="previous").attention, 0.5)

The name of the function is the claim's id, and its docstring is the paper's statement. ``t`` are the result tables of
an encoder (:class:`bert_attention.statistics.measures.ResultTables`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from inspect import getdoc
from pathlib import Path
from string import Formatter

import numpy as np
import pandas as pd

from bert_attention.errors import InputError, nearest
from bert_attention.results import RANK_CORRELATION, SHARE
from bert_attention.statistics.forms import Text
from bert_attention.statistics.measures import Function
from bert_attention.tables import read_published

# How the published number or statement is known.
READ, OFFICIAL_CODE, TRANSCRIBED = "read in the paper", "official code", "transcribed"
DIGITIZED, RECALLED, OTHER = "digitized from a figure", "recalled", "other"
PROVENANCES = (READ, OFFICIAL_CODE, TRANSCRIBED, DIGITIZED, RECALLED, OTHER)

# What a claim needs, by the names of the edition's corpora, in the words of reasons.
CORPORA = {
    "wikipedia": "running text",
    "treebank": "treebank",
    "coreference": "documents with coreference",
    "tasks": "examples of the tasks",
    "frames": "sentences with frames",
    "alignment": "aligned sentences",
    "token_frequency": "token counts",
    "vectors": "word vectors",
    "labeled_maps": "labeled maps",
}
# The statement itself compares with random weights.
IN_STATEMENT = "in the statement"
# Longest label, in characters.
_LONGEST_LABEL = 90
# Lowest and highest numbers, by unit.
_LIMITS = {SHARE: (0.0, 1.0), RANK_CORRELATION: (-1.0, 1.0)}


def above(limit: float) -> dict:
    """Return the condition that a number, or each of several numbers, is above a limit."""
    return {"above": limit}


def below(limit: float) -> dict:
    """Return the condition that a number, or each of several numbers, is below a limit."""
    return {"below": limit}


def between(low: float, high: float) -> dict:
    """Return the condition that a number lies between two limits or at one of them."""
    return {"between": [low, high]}


def equals(wanted: float | Sequence[float]) -> dict:
    """Return the condition that a number, or a list, is equal to the stated one."""
    return {"equals": wanted}


def correlates(limit: float) -> dict:
    """Return the condition that the correlation with the published numbers is above a limit."""
    return {"correlation_above": limit}


@dataclass(frozen=True)
class Margin:
    """The largest accepted distance from the published number, with its reason."""

    size: float
    reason: str


@dataclass(frozen=True)
class Claim:
    """A published number or statement.

    Attributes
    ----------
    name
        The name, which is its id on the scoreboard.
    label
        A clause of at most 90 characters that says the finding or names the number.
    statement
        The paper's statement.
    at
        Where the work states it.
    measure
        Function that finds our number in the result tables; None if the claim is not measured.
    absent
        The reason why it is not measured.
    paper
        The paper whose encoder and weights the claim is about.
    work
        The authors and the year of the work that states it.
    provenance
        How it is known: one of :data:`PROVENANCES`.
    is_unsure
        True for a recalled claim that nobody is sure of. It is not judged.
    published
        The published number; a pair of the lowest and the highest number; a series of numbers by their keys, such as a
        curve by layer; or None.
    margin
        The margin of published numbers.
    true_if
        The condition on the number under which the statement is true; empty without a statement.
    needs
        The corpora that have to be the paper's for numbers to be compared.
    model
        The encoder or the translation model behind the number, or None if any encoder may give it.
    per
        What has the number: ``model``, ``translation_model`` or ``edition``.
    depth
        The number of layers of the encoder or the translation model behind the number.
    names_heads
        True if the statement names heads of the paper's encoder.
    restates
        The name of the claim that states the same fact; only that claim is counted.
    premise
        The name of the claim that has to hold for this statement to mean anything.
    control
        Function that finds the number of random weights, if it is in the table of the encoder itself;
        :data:`IN_STATEMENT` if the statement itself compares with random weights; or None for the same function of the
        tables of random weights.
    tasks
        The tasks whose numbers the claim is about; empty for all tasks of the edition. The claim is not measured on a
        part of them.
    other_tasks
        The tasks that a claim about all tasks leaves out.
    relations
        The syntactic relations that the claim is about.
    is_parsed
        True if the number depends on the parser's tags and relations of the examples of tasks.
    if_empty
        The reason why an empty cell is not measured; without it, an empty cell is an error.
    is_exact
        True for a number that does not vary with the texts.
    unit
        The unit of the number, such as ``%``, ``points``, ``nats`` or ``heads``. Empty if it has none.
    note
        A note for readers.
    """

    name: str
    label: str
    statement: str
    at: str
    measure: Function | None
    paper: Paper = field(repr=False)
    absent: str = ""
    work: str = ""
    provenance: str = TRANSCRIBED
    is_unsure: bool = False
    published: float | tuple[float, float] | pd.Series | None = None
    margin: Margin | None = None
    true_if: Mapping = field(default_factory=dict)
    needs: Sequence[str] = ()
    model: str | None = ""
    per: str = "model"
    depth: int = 0
    names_heads: bool = False
    restates: str = ""
    premise: str = ""
    control: Function | str | None = None
    tasks: Sequence[str] = ()
    other_tasks: Sequence[str] = ()
    relations: Sequence[str] = ()
    is_parsed: bool = False
    if_empty: str = ""
    is_exact: bool = False
    unit: str = ""
    note: str = ""

    @property
    def location(self) -> str:
        """The location of the claim, for messages."""
        return f"{self.paper.folder / 'claims.py'}, {self.name}"

    @property
    def range(self) -> tuple[float, float] | None:
        """The published range, or None."""
        return self.published if isinstance(self.published, tuple) else None

    @cached_property
    def numbers(self) -> pd.Series | None:
        """The published numbers with the index that our numbers have; None for a range, or without numbers."""
        if self.published is None or self.range:
            return None
        if not isinstance(self.published, pd.Series):
            return pd.Series({"value": float(self.published)})
        index = self.published.index
        if not isinstance(index, pd.MultiIndex):
            index = pd.MultiIndex.from_arrays([index], names=[index.name])
        return self.published.set_axis(index).astype(float)

    @property
    def limits(self) -> tuple[float, float]:
        """The lowest and the highest possible number."""
        return _LIMITS.get(self.unit.partition(" ")[0], (-math.inf, math.inf))

    @property
    def weights(self) -> Sequence[str]:
        """The digests of the weights behind the number."""
        return self.paper.weights.get(self.model or "", ())


@dataclass(frozen=True)
class Headline:
    """A sentence on a finding: its title, and its text with the names of numbers in braces."""

    title: str
    text: str

    @property
    def numbers(self) -> list[str]:
        """Names of the numbers in the sentence."""
        return [name for _, name, *_ in Formatter().parse(self.text) if name]


@dataclass
class Paper:
    """A paper: its claims and the numbers in prose about it, in the order of their definition.

    Attributes
    ----------
    file
        The file of the paper's claims. Published tables are in the folder ``published`` beside it.
    work
        The authors and the year of the work that has the claims.
    model
        The encoder behind the numbers, by its name on the Hugging Face hub.
    depth
        The encoder's number of layers.
    weights
        The SHA-256 digests of the weights of encoders, by the encoders' names. A digest identifies a model, its name
        does not. The list is empty if it is unknown.
    claims, numbers, headlines
        The claims, the numbers in prose by name, and the sentences for the top of the results page.
    """

    file: str
    work: str
    model: str
    depth: int
    weights: Mapping[str, Sequence[str]]
    claims: list[Claim] = field(default_factory=list)
    numbers: dict[str, Text] = field(default_factory=dict)
    headlines: list[Headline] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        """The paper's folder."""
        return Path(self.file).parent

    @property
    def name(self) -> str:
        """The short name of the paper."""
        return self.folder.name

    def published(self, table: str) -> pd.DataFrame:
        """Return a published table, such as ``table_1``: the rows of ``published/table_1.csv``."""
        return read_published(self.folder / "published" / f"{table}.csv")

    def curve(self, figure: str, series: str) -> pd.Series:
        """Return a published curve, by layer (from 1)."""
        rows = self.published(figure)
        return rows[rows["series"] == series].set_index("layer")["value"]

    def claim(
        self, label: str, *, name: str = "", statement: str = "", **about: object
    ) -> Callable[[Function], Function]:
        """Register a function as a claim, by the attributes of :class:`Claim`.

        Parameters
        ----------
        name, statement
            By default, the name of the function and its docstring.
        """

        def register(measure: Function) -> Function:
            self._add(name or measure.__name__, label, statement or _one_line(getdoc(measure)), measure, about)
            return measure

        return register

    def say(self, **numbers: Text) -> None:
        """Register numbers in prose: functions of result tables that return a text, by their names.

        The paper's name comes before the name of a number.
        """
        self.numbers.update({f"{self.name}_{name}": text for name, text in numbers.items()})

    def headline(self, title: str, text: str) -> None:
        """Register a sentence for the top of the results page, with the names of numbers in braces."""
        self.headlines.append(Headline(title, text))

    def not_measured(self, name: str, label: str, statement: str, **about: object) -> None:
        """Register a claim that is not measured. ``absent`` says why."""
        self._add(name, label, statement, None, about)

    def _add(self, name: str, label: str, statement: str, measure: Function | None, about: Mapping) -> None:
        defaults = {"work": self.work, "model": self.model, "depth": self.depth}
        if isinstance(about.get("published"), np.generic):  # a cell of a published table
            about = {**about, "published": about["published"].item()}
        claim = Claim(name, label, statement, measure=measure, paper=self, **defaults | about)
        if problem := _problem(claim):
            raise InputError(claim.location, problem, "correct the claim")
        self.claims.append(claim)


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split())


def _problem(claim: Claim) -> str:
    """Return what is wrong with a claim's description, or an empty text."""
    if not 0 < len(claim.label) <= _LONGEST_LABEL:
        return f"its label has {len(claim.label)} characters; expected: 1 to {_LONGEST_LABEL}"
    if claim.provenance not in PROVENANCES:
        return f"its provenance is {claim.provenance!r}; expected: one of {', '.join(PROVENANCES)}"
    if unknown := [name for name in claim.needs if name not in CORPORA]:
        return f"it needs {', '.join(unknown)}; expected: some of {', '.join(CORPORA)}"
    if not claim.statement:
        return "has no statement: write it as the docstring"
    if (claim.measure is None) != bool(claim.absent):
        return "needs either a function or the reason why it is not measured"
    if claim.measure and claim.published is None and not claim.true_if:
        return "has neither a published number nor a condition"
    return "has published numbers without a margin" if claim.numbers is not None and not claim.margin else ""


def check_references(papers: Iterable[Paper]) -> None:
    """Check that names of claims are unique, and that the claims exist which others name as a premise or restate.

    A named claim can be missing if its paper is not among the papers: it is one of ``others``.

    Raises
    ------
    InputError
        If a name is used twice, or if a named claim does not exist, restates another claim itself, or has no statement.
    """
    papers = list(papers)
    claims = {claim.name: claim for paper in papers for claim in paper.claims}
    times = Counter(claim.name for paper in papers for claim in paper.claims)
    if repeated := sorted(name for name, number in times.items() if number > 1):
        raise InputError("claims", f"several claims are called {', '.join(repeated)}", "give each a name of its own")
    for claim in claims.values():
        for key, name in {"restates": claim.restates, "premise": claim.premise}.items():
            paper, _, own = name.rpartition(".")
            if not name or (paper and paper not in [other.name for other in papers]):
                continue
            location = f"{claim.location}: {key}"
            if own not in claims:
                raise InputError(location, f"there is no claim {own}", f"did you mean {nearest(own, claims)}?")
            if key == "restates" and claims[own].restates:
                raise InputError(location, f"{own} itself restates {claims[own].restates}", "name that claim")
            if not claims[own].true_if:
                raise InputError(location, f"{own} has no statement", "name a claim with `true_if`")
