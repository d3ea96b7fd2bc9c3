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
from bert_attention.results import POINTS, RANK_CORRELATION, SHARE
from bert_attention.statistics.forms import Text
from bert_attention.statistics.measures import Function, ResultTables
from bert_attention.tables import read_published

# A published number or statement is known in one of these ways.
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
# What a statement can be about instead of an encoder.
TEXT, RANDOM_WEIGHTS = "the text", "random weights"
# A label has at most this many characters.
_LONGEST_LABEL = 90
# Numbers of these units have a lowest and a highest value.
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


# The smallest effects worth stating, by the unit of the number, and of two forms of statements.
SMALLEST_EFFECTS = {
    SHARE: Margin(0.01, "a smaller share is less than one in a hundred"),
    POINTS: Margin(0.01, "a smaller difference is less than one in a hundred"),
    RANK_CORRELATION: Margin(0.1, "a weaker correlation explains less than a hundredth of the variance of ranks"),
    "nats": Margin(0.1, "by less, attention spreads over less than a tenth more tokens"),
    "heads": Margin(1, "it takes a head"),
    "": Margin(0.01, "a smaller difference of scores or cosines is less than a hundredth of their range"),
}
SMALLEST_OF_RATIO = Margin(0.05, "the two quantities differ by less than a twentieth")
SMALLEST_OF_CURVE = Margin(0.05, "a correlation that is so near to the threshold could be on either side")
_SIZE_OF_ITS_OWN = Margin(0, "the statement has a size of its own")


@dataclass(frozen=True)
class Claim:
    """A published number or statement. The fields are what :meth:`Paper.claim` can say about it."""

    name: str  # the id on the scoreboard
    label: str  # a clause of at most 90 characters that says the finding or names the number
    statement: str  # the paper's statement
    at: str  # where the work states it
    measure: Function | None  # finds our number in the result tables; None if the claim is not measured
    paper: Paper = field(repr=False)  # the paper whose encoder and weights the claim is about
    absent: str = ""  # the reason why the claim is not measured
    work: str = ""  # the authors and the year of the work that states it
    provenance: str = TRANSCRIBED  # how the claim is known: one of PROVENANCES
    is_unsure: bool = False  # True for a recalled claim that nobody is sure of, and that is not judged
    # A number, a pair of the lowest and the highest number, a series of numbers by their keys, such as a curve by
    # layer, or None.
    published: float | tuple[float, float] | pd.Series | None = None
    margin: Margin | None = None  # the margin of published numbers
    true_if: Mapping = field(default_factory=dict)  # the statement's condition on the number; empty without a statement
    needs: Sequence[str] = ()  # the corpora that have to be the paper's for numbers to be compared
    model: str | None = ""  # the encoder or translation model behind the number; None if any encoder may give it
    per: str = "model"  # what has the number: "model", "translation_model" or "edition"
    depth: int = 0  # the number of layers of the encoder or translation model behind the number
    names_heads: bool = False  # True if the statement names heads of the paper's encoder
    restates: str = ""  # the name of the claim that states the same fact; only that claim is counted
    premise: str = ""  # the name of the claim that has to hold for this statement to mean anything
    # A function that finds the number of random weights, if it is in the table of the encoder itself. IN_STATEMENT if
    # the statement itself compares with random weights. None for the same function of the tables of random weights.
    control: Function | str | None = None
    tasks: Sequence[str] = ()  # the tasks that the claim is about, all of which it needs; empty for all of the edition
    other_tasks: Sequence[str] = ()  # the tasks that a claim about all tasks leaves out
    relations: Sequence[str] = ()  # the syntactic relations that the claim is about
    is_parsed: bool = False  # True if the number depends on the parser's tags and relations of the examples of tasks
    if_empty: str = ""  # the reason why an empty cell is not measured; without it, an empty cell is an error
    says_absence: bool = False  # True if something hardly happens, so that random weights say nothing about it
    # Returns the reason why the statement says nothing about an encoder, or an empty text.
    lack: Callable[[ResultTables], str] | None = None
    is_about: str = ""  # what the statement is about if that is not the encoder: TEXT or RANDOM_WEIGHTS
    least: Margin | None = None  # the smallest effect worth stating; None for the one of the unit and the statement
    is_exact: bool = False  # True for a number that does not vary with the texts
    subject: Callable[[ResultTables], str] | None = (
        None  # returns what the statement is about on an encoder, such as its resting token
    )
    unit: str = ""  # the number's unit, such as %, points, nats or heads; empty if it has none
    note: str = ""  # a note for readers

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
    def smallest(self) -> Margin:
        """The smallest effect worth stating: how far beyond its threshold a number has to be, and why so far."""
        if self.least:
            return self.least
        match self.true_if:
            case {"correlation_above": _}:
                return SMALLEST_OF_CURVE
            case {"above": 1} | {"below": 1} if not self.unit:
                return SMALLEST_OF_RATIO
            case {"above": _} | {"below": _}:
                return SMALLEST_EFFECTS[self.unit.partition(" ")[0]]
        return _SIZE_OF_ITS_OWN

    @property
    def weights(self) -> Sequence[str]:
        """The digests of the weights behind the number."""
        return self.paper.weights.get(self.model or "", ())


@dataclass(frozen=True)
class Headline:
    """A sentence on a finding: its title, and its text with the names of numbers in braces."""

    title: str
    text: str


def numbers_in(text: str) -> list[str]:
    """Return the names of numbers in a text, which stand in braces."""
    return [name for _, name, *_ in Formatter().parse(text) if name]


@dataclass
class Paper:
    """A paper: its claims and the numbers in prose about it, in the order of their definition.

    The digests of ``weights`` identify encoders, which their names do not.
    """

    file: str  # the file of the paper's claims; published tables are in the folder "published" beside it
    work: str  # the authors and the year of the work that has the claims
    model: str = ""  # the encoder behind the numbers, by its name on the Hugging Face hub; empty if there are none
    depth: int = 12  # the encoder's number of layers
    weights: Mapping[str, Sequence[str]] = field(default_factory=dict)  # SHA-256 by name, if known
    claims: list[Claim] = field(default_factory=list)
    numbers: dict[str, Text] = field(default_factory=dict)  # the numbers in prose, by name
    headlines: list[Headline] = field(default_factory=list)  # sentences for the top of the results page
    remarks: list[str] = field(default_factory=list)  # what to say after the name of each encoder

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

    def number(self, claim: str) -> Function:
        """Return the function that finds the number of a claim, so that the prose says what the scoreboard has.

        Raise KeyError if no claim with a number has this name.
        """
        return {known.name: known.measure for known in self.claims if known.measure}[claim]

    def say(self, **numbers: Text) -> None:
        """Register numbers in prose: functions of result tables that return a text, by their names.

        The paper's name comes before the name of a number.
        """
        self.numbers.update({f"{self.name}_{name}": text for name, text in numbers.items()})

    def headline(self, title: str, text: str) -> None:
        """Register a sentence for the top of the results page, with the names of numbers in braces."""
        self.headlines.append(Headline(title, text))

    def remark(self, text: str) -> None:
        """Register what to say about each encoder after its name, with the names of numbers in braces."""
        self.remarks.append(text)

    def not_measured(self, name: str, label: str, statement: str, **about: object) -> None:
        """Register a claim that is not measured. ``absent`` says why."""
        self._add(name, label, statement, None, about)

    def _add(self, name: str, label: str, statement: str, measure: Function | None, about: Mapping) -> None:
        defaults = {"work": self.work, "model": self.model, "depth": self.depth}
        if isinstance(about.get("published"), np.generic):  # it is a cell of a published table
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

    A named claim can be missing if its paper is not among the papers: it is one of ``others``. Raise InputError if a
    name is used twice, or if a named claim does not exist, restates another claim itself, or has no statement.
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
