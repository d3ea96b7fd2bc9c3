"""Every key of an edition with what it may hold; what each is for stands in config.yaml, and so do all defaults.

A key that is given a value here may be left out of an edition. All others are required.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, WrapValidator
from pydantic_core import PydanticCustomError

from bert_attention.downloads.sources import parse_source
from bert_attention.errors import nearest
from bert_attention.statistics.sums import BLOCKS

# Braces, in which Snakemake looks for wildcards, and what breaks the line of a message.
_UNUSABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029{}]")

_LONGEST = 1000
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 200
_NUMBER = re.compile(r"[-+]?[0-9.]+(e[-+]?[0-9]+)?", re.IGNORECASE)


def _expected(what: str, kind: Any, *checks: Any, **limits: Any) -> Any:
    """A type of which a message says what was expected."""

    def check(value: object, validate: Any) -> object:
        try:
            return validate(value)
        except ValidationError as error:
            if any(problem["loc"] for problem in error.errors()):
                raise  # a part of the value is wrong
            raise PydanticCustomError("expected", "{what}", {"what": what}) from None

    return Annotated[kind, Field(**limits), *checks, WrapValidator(check)]


def _one_of(*names: str) -> Any:
    return _expected(_listed(names, "or"), Literal[names])


def _listed(names: Sequence[str], last: str) -> str:
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


def _text(what: str, *checks: Any, **limits: Any) -> Any:
    return Annotated[_expected(what, str, **limits), AfterValidator(_usable), *checks]


def _usable(text: str) -> str:
    if _UNUSABLE.search(text):
        raise PydanticCustomError("expected", "no braces, line breaks or other control characters in it")
    if len(text) > _LONGEST:
        raise PydanticCustomError("expected", "at most {longest} characters", {"longest": _LONGEST})
    return text


def _source(what: str, pattern: str) -> Any:
    return _text(what, AfterValidator(parse_source), pattern=pattern)


def _each_once(values: list) -> list:
    if len(set(values)) < len(values):
        raise ValueError
    return values


def _encoding(name: str) -> str:
    try:
        "".encode(name)  # unlike codecs.lookup, only takes encodings of text
    except LookupError:
        raise ValueError from None
    return name


_FORMS = "; the top of config.yaml lists their forms"

_Name = _expected(
    "a name of letters, digits, . _ and -, of at most 60 characters",
    str,
    pattern="^[A-Za-z0-9][A-Za-z0-9._-]*$",
    max_length=60,
)
_Sha256 = _expected("64 hexadecimal digits, or null", Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None)
_Flag = _expected("true or false", bool)
_Size = _expected("a whole number of at least 1", int, ge=1)
_Length = _expected("a whole number of at least 8", int, ge=8)
_Sample = _expected("a whole number of at least 1, or null for all", Annotated[int, Field(ge=1)] | None)
# NumPy and scikit-learn take seeds below 2^32, and some jobs add a small number to the edition's.
_Seed = _expected("a whole number from 0 to 4,000,000,000", int, ge=0, le=4_000_000_000)
_Seeds = _expected(
    "a list of at least one seed, each of them once", list[_Seed], AfterValidator(_each_once), min_length=1
)

_AnySource = _source(
    f"a source such as path:<file or folder>{_FORMS}",
    "^((package|path|miniature|hub|gensim|nltk|stanza):.|https?://.)",
)
_PipelineSource = _source(
    f"trained:miniature, or a source such as path:<folder>{_FORMS}",
    "^((package|path|https?|hub|stanza):.|trained:miniature$)",
)
_VectorsSource = _source(
    "trained:wikipedia, gensim:<name>, or a file as package:, path: or https:",
    "^((package|path|https?|gensim):.|trained:wikipedia$)",
)
_CountsSource = _source(
    "counted:wikipedia, or a file as package:, path: or https:", "^((package|path|https?):.|counted:wikipedia$)"
)


class _Keys(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, protected_namespaces=())


class _File(_Keys):
    source: _AnySource
    sha256: _Sha256


class _Model(_File):
    name: _Name
    mlm_head: _one_of("own", "fit")
    segment_types: _expected("1 or 2", int, ge=1, le=2) = 2
    model_type: _text("the model_type of its config.json") = "bert"


class _MlmHead(_Keys):
    segments: _Size
    epochs: _Size


class _FineTuningSeeds(_Keys):
    pretrained: _Seeds
    random: _Seeds


class _ReadyModel(_File):
    model: _Name
    task: _Name


class _FineTuning(_Keys):
    seeds: _FineTuningSeeds
    epochs: _Size
    examples_seen: _expected("a whole number of at least 1, or null", Annotated[int, Field(ge=1)] | None)
    batch_size: _Size
    learning_rate: _expected("a number above 0, at most 1", float, gt=0, le=1)
    ready: _expected("a list of fine-tuned models, each with model, task, source and sha256", list[_ReadyModel])


class _PatternAnnotation(_Keys):
    maps: _text("the path of a Parquet file of maps")
    labels: _expected("a list of at least one CSV file", list[_text("the path of a CSV file")], min_length=1)


class _Wikipedia(_File):
    format: _one_of("auto", "plain", "wikitext", "mediawiki")
    articles: _Sample
    spans: _one_of("sentences", "paragraphs")
    segments: _Size
    max_wordpieces: _Length


class _TokenFrequency(_Keys):
    source: _CountsSource
    sha256: _Sha256
    vocabulary: _Sha256


class _TrainAndDev(_Keys):
    train: _Size
    dev: _Size


class _TrainAndTest(_Keys):
    train: _Size
    test: _Size


class _Miniature(_Keys):
    sentences: _TrainAndDev
    task_examples: _TrainAndDev
    translations: _TrainAndTest


class _Samples(_Keys):
    train: _Sample
    dev: _Sample


class _Treebank(_Keys):
    train: _File
    dev: _File
    trees: _one_of("gold", "stanza")
    relations: _one_of("full", "base")
    max_wordpieces: _Length
    ptb_escapes: _Flag
    sentences: _Samples


class _Coreference(_File):
    format: _one_of("corefud", "conll2012")
    max_wordpieces: _expected(
        "a whole number of at least 8, or null for what the model takes", Annotated[int, Field(ge=8)] | None
    )
    documents: _Sample


_FileOrNull = _expected("source and sha256 of a file or folder, or null to leave it out", _File | None)


class _Tasks(_Keys):
    mrpc: _FileOrNull = None
    rte: _FileOrNull = None
    stsb: _FileOrNull = None
    sst2: _FileOrNull = None
    qnli: _FileOrNull = None
    mnli: _FileOrNull = None
    qqp: _FileOrNull = None


class _TaskExamples(_Samples):
    analysed: _Sample
    disabled: _Sample
    max_wordpieces: _Length
    padded: _Sample


class _Frames(_File):
    format: _one_of("jsonl", "framenet")
    selection: _one_of("described", "released")
    sentences: _Sample


class _Vectors(_Keys):
    source: _VectorsSource
    sha256: _Sha256
    dimensions: _Size


class _Alignment(_Keys):
    source_text: _File
    target_text: _File
    links: _File
    notation: _one_of("auto", "pharaoh", "rwth")
    base: _expected("0 or 1", int, ge=0, le=1)
    encoding: _expected("the name of an encoding, such as utf-8 or latin-1", str, AfterValidator(_encoding))
    pairs: _Sample


class _Corpora(_Keys):
    wikipedia: _Wikipedia
    token_frequency: _TokenFrequency
    miniature: _Miniature
    treebank: _Treebank
    coreference: _Coreference
    tasks: _Tasks
    task_examples: _TaskExamples
    frames: _Frames
    vectors: _Vectors
    alignment: _Alignment


class _Stanza(_Keys):
    source: _PipelineSource
    sha256: _Sha256


class _TranslationModel(_Stanza):
    name: _Name
    languages: _expected(
        "the codes of source and target language, or null",
        Annotated[list[_text("a code")], Field(min_length=2, max_length=2)] | None,
    )
    seeds: _Seeds = ()


class _SegmentIds(_Keys):
    clark: _one_of("zeros", "pair")
    kovaleva: _one_of("zeros", "pair")
    kobayashi: _one_of("zeros", "pair")
    vig: _one_of("zeros", "pair")


class _Attention(_Keys):
    shards: _expected("a whole number from 1 to 20", int, ge=1, le=BLOCKS)
    batch_size: _Size
    words: _one_of("mean", "first", "max")


_Paper = _one_of("clark", "kovaleva", "kobayashi", "coenen", "vig")
_PapersCorpus = _one_of(
    "wikipedia", "treebank", "coreference", "tasks", "frames", "alignment", "token_frequency", "vectors"
)


class _Edition(_Keys):
    edition: _expected(
        "a name of lower-case letters, digits, - and _, of at most 60 characters",
        str,
        pattern="^[a-z0-9][a-z0-9_-]*$",
        max_length=60,
    )
    papers: _expected(
        "a list of at least one paper, each of them once", list[_Paper], AfterValidator(_each_once), min_length=1
    )
    seed: _Seed
    control_seeds: _Size
    device: _one_of("auto", "cpu", "cuda")
    on_bad_input: _one_of("error", "skip")
    models: _expected(
        "a list of at least one model, each with name, source, sha256 and mlm_head", list[_Model], min_length=1
    )
    mlm_head: _MlmHead
    fine_tuning: _FineTuning
    pattern_annotation: _PatternAnnotation
    corpora: _Corpora
    stanza: _Stanza
    translation_models: _expected(
        "a list of at least one model, each with name, source, sha256 and languages",
        list[_TranslationModel],
        min_length=1,
    )
    training_effort: _expected("a number from 0.001 to 1000", float, ge=0.001, le=1000)
    segment_ids: _SegmentIds
    attention: _Attention
    keep_attention: _Flag
    published_curves: _Flag
    papers_corpora: _expected("a list of corpora, each of them once", list[_PapersCorpus], AfterValidator(_each_once))


def wrong_keys(config: Mapping) -> Iterator[str]:
    """What is wrong with the keys of an edition, each named with what was expected."""
    try:
        _Edition.model_validate(config)
    except ValidationError as error:
        for problem in error.errors():
            yield _described(problem)


def _described(problem: Mapping) -> str:
    path = problem["loc"]
    place = ".".join(map(str, path))
    match problem["type"]:
        case "missing":
            return f"missing key {place}"
        case "invalid_key":
            return f"unknown key {'.'.join(map(str, [*path[:-1], problem['input']]))}: expected a word"
        case "extra_forbidden":
            known = sorted(_keys_under(path[:-1]))
            guess = nearest(path[-1], known)
            return f"unknown key {place}: " + (f"did you mean {guess}?" if guess else f"known here: {', '.join(known)}")
        case "expected":
            said = f"expected {problem['msg']}"
            if "number" in said and isinstance(problem["input"], str) and _NUMBER.fullmatch(problem["input"]):
                said += "; write it without quotes"
        case "value_error":  # of a source
            error = problem["ctx"]["error"]
            said = f"{error.problem}; {error.remedy}"
        case _:  # something else in the place of a mapping
            said = f"expected the keys {_listed(_keys_under(path), 'and')}"
    return f"{place or 'the configuration'} = {_SHORT.repr(problem['input'])}: {said}"


def _keys_under(path: tuple[str | int, ...]) -> list[str]:
    """The keys that an edition can have under a path of keys."""
    part = _Edition
    for key in path:
        if isinstance(key, str):
            kind = part.model_fields[key].annotation
            (part,) = (one for one in (kind, *get_args(kind)) if isinstance(one, type) and issubclass(one, _Keys))
    return list(part.model_fields)
