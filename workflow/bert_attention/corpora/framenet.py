"""Sentences with frames, selected from FrameNet 1.7 as in Kovaleva et al. 2019, section 4.2.

The paper's text and its released code select differently (``selection``). What the code selects is published.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree.ElementTree import ParseError

import nltk.data
from nltk import word_tokenize
from nltk.corpus.reader import FramenetCorpusReader
from nltk.corpus.reader.framenet import FramenetError

from bert_attention.corpora.types import FramedSentence, FrameElement
from bert_attention.errors import InputError

_INDEXES = ("frRelation.xml", "frameIndex.xml", "luIndex.xml", "semTypes.xml")
_SENTENCE_TOKENS = 12
_ELEMENT_TOKENS = 3

Span = tuple[int, int]
NamedSpan = tuple[int, int, str]


class _LeftOut(Exception):  # noqa: N818 - not an error: it says why a sentence is not chosen
    """Why a sentence is not chosen."""


def select_framed(
    folder: Path | str, selection: str, progress: Callable[[Iterable], Iterable] = iter
) -> tuple[list[FramedSentence], Counter[str]]:
    """Exemplar sentences of FrameNet with a target and the core frame elements linked to it.

    Both selections take sentences of at most 12 tokens with a target in one piece. Tokens are those of NLTK's
    ``word_tokenize`` for a line that holds one sentence.

    Parameters
    ----------
    folder
        ``framenet_v17`` as NLTK downloads it.
    selection
        ``described``, as in the paper: links are the elements that their frame calls core, that have at most 3 tokens
        and are at least two tokens from the target; a sentence needs one. ``released``, as in the authors' code: links
        are the elements in an explicit core set; a sentence needs one. All elements of the sentence, core or not, have
        at most 3 tokens, and none of these tokens reads like the target or one of the two tokens on each side of it;
        the first token that reads like the target counts as the target.
    progress
        Wraps the lexical units.

    Returns
    -------
    sentences : list
        In the order of FrameNet's index of lexical units. A sentence annotated for two units occurs twice.
    left_out : Counter
        Numbers of sentences left out, by the first reason that applies.

    Raises
    ------
    InputError
        If the folder is not FrameNet's, one of its files cannot be read, or no sentence is chosen.
    """
    links = {"described": _described_links, "released": _released_links}[selection]
    sentences: list[FramedSentence] = []
    left_out: Counter[str] = Counter()
    for frame, exemplar in _exemplars(Path(folder), progress):
        try:
            sentences.append(_framed_sentence(exemplar, frame, links))
        except _LeftOut as reason:
            left_out[str(reason)] += 1
    if not sentences:
        raise InputError(folder, "no sentence is chosen", "give the whole of FrameNet 1.7")
    return sentences, left_out


def _exemplars(folder: Path, progress: Callable[[Iterable], Iterable]) -> Iterator[tuple[dict, dict]]:
    """Frame and sentence of each exemplar, as NLTK returns them."""
    for name in _INDEXES:
        if not (folder / name).is_file():
            remedy = "give the folder framenet_v17 of FrameNet 1.7, as `python -m nltk.downloader framenet_v17` gets it"
            raise InputError(folder / name, "is missing", remedy)
    where = folder
    with _readable_by_nltk(folder):
        reader = FramenetCorpusReader(str(folder), list(_INDEXES))
        try:
            for number, name in progress(reader.lu_ids_and_names().items()):
                where = f"{folder}, lexical unit {name} ({number})"
                unit = reader.lu(number)
                yield from ((unit.frame, exemplar) for exemplar in unit.exemplars)
                # The reader keeps all units that it has read: without this, all of FrameNet would stay in memory.
                unit["subCorpus"] = unit["exemplars"] = []
        except (FramenetError, ParseError, OSError, LookupError, ValueError, AssertionError) as error:
            raise InputError(where, f"cannot be read ({error!r})", "download FrameNet 1.7 again") from None


@contextmanager
def _readable_by_nltk(folder: Path) -> Iterator[None]:
    """Make a folder one of NLTK's data folders inside the block: NLTK reads nothing outside them."""
    nltk.data.path.append(str(folder))
    try:
        yield
    finally:
        nltk.data.path.remove(str(folder))


def _framed_sentence(exemplar: dict, frame: dict, links: Callable) -> FramedSentence:
    """The sentence with its links; raises _LeftOut if the sentence is not chosen."""
    text, targets = exemplar["text"], exemplar.get("Target", [])
    if len(_tokens(text)) > _SENTENCE_TOKENS:
        raise _LeftOut(f"sentences of more than {_SENTENCE_TOKENS} tokens")
    if len(targets) != 1:
        raise _LeftOut("sentences without a target in one piece")
    overt, _ = exemplar.get("FE", ((), {}))
    elements = tuple(FrameElement(str(name), start, end) for start, end, name in links(text, targets[0], overt, frame))
    if not elements:
        raise _LeftOut("sentences without a core frame element to link")
    return FramedSentence(text, frame["name"], tuple(targets[0]), elements)


def _described_links(text: str, target: Span, overt: list[NamedSpan], frame: dict) -> list[NamedSpan]:
    core = {name for name, element in frame["FE"].items() if element["coreType"] == "Core"}
    return [
        (start, end, name)
        for start, end, name in overt
        if name in core and len(_tokens(text[start:end])) <= _ELEMENT_TOKENS and _is_apart(text, target, (start, end))
    ]


def _is_apart(text: str, first: Span, second: Span) -> bool:
    """Whether there is a token between two spans, so that they are at least two tokens apart."""
    (_, end), (start, _) = sorted((first, second))
    return bool(_tokens(text[end:start]))


def _released_links(text: str, target: Span, overt: list[NamedSpan], frame: dict) -> list[NamedSpan]:
    parts = [_tokens(text[start:end]) for start, end, _ in overt]
    if any(len(tokens) > _ELEMENT_TOKENS for tokens in parts):
        raise _LeftOut(f"sentences with a frame element of more than {_ELEMENT_TOKENS} tokens")
    tokens = _tokens(text)
    word = text[slice(*target)]
    if word not in tokens:
        raise _LeftOut("sentences whose target is not one token")
    place = tokens.index(word)
    if not {token for part in parts for token in part}.isdisjoint(tokens[max(0, place - 2) : place + 3]):
        raise _LeftOut("sentences with a frame element near the target")
    core = {element["name"] for core_set in frame["FEcoreSets"] for element in core_set}
    return [element for element in overt if element[2] in core]


def _tokens(text: str) -> list[str]:
    # preserve_line: FrameNet's texts are single sentences, and splitting them would need a model that NLTK downloads.
    return word_tokenize(text, preserve_line=True)
