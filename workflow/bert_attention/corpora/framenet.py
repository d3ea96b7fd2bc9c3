"""Sentences with frames from FrameNet 1.7."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from xml.etree.ElementTree import ParseError

import nltk.data
from nltk.corpus.reader import FramenetCorpusReader
from nltk.corpus.reader.framenet import FramenetError

from bert_attention.corpora.types import FramedSentence, FrameElement
from bert_attention.errors import InputError

_INDEXES = ("frRelation.xml", "frameIndex.xml", "luIndex.xml", "semTypes.xml")


def read_framenet(
    folder: Path | str, progress: Callable[[Iterable], Iterable] = iter
) -> tuple[list[FramedSentence], Counter[str]]:
    """Read the exemplar sentences of all lexical units, with the frame elements that are expressed.

    ``folder`` is ``framenet_v17`` as NLTK downloads it. Sentences are in the order of FrameNet's index of lexical
    units. A sentence annotated for two units occurs twice. Sentences whose target is not in one piece are skipped and
    counted. Raise InputError if the folder is not FrameNet's, one of its files cannot be read, or there is no sentence.
    """
    sentences: list[FramedSentence] = []
    left_out: Counter[str] = Counter()
    for frame, exemplar in _exemplars(Path(folder), progress):
        targets = exemplar.get("Target", [])
        if len(targets) == 1:
            sentences.append(_framed_sentence(exemplar, targets[0], frame))
        else:
            left_out["sentences without a target in one piece"] += 1
    if not sentences:
        raise InputError(folder, "has no sentence with a target", "give the complete FrameNet 1.7")
    return sentences, left_out


def _exemplars(folder: Path, progress: Callable[[Iterable], Iterable]) -> Iterator[tuple[dict, dict]]:
    """Yield the frame and the sentence of each exemplar, as NLTK returns them."""
    for name in _INDEXES:
        if not (folder / name).is_file():
            remedy = "give the folder framenet_v17 of FrameNet 1.7, from `python -m nltk.downloader framenet_v17`"
            raise InputError(folder / name, "is missing", remedy)
    where = folder
    nltk.data.path.append(str(folder))  # NLTK reads nothing outside its data folders
    try:
        reader = FramenetCorpusReader(str(folder), list(_INDEXES))
        for number, name in progress(reader.lu_ids_and_names().items()):
            where = f"{folder}, lexical unit {name} ({number})"
            unit = reader.lu(number)
            yield from ((unit.frame, exemplar) for exemplar in unit.exemplars)
            # Free the unit's sentences: the reader keeps every unit, so all of FrameNet would stay in memory.
            unit["subCorpus"] = unit["exemplars"] = []
    except (FramenetError, ParseError, OSError, LookupError, ValueError, AssertionError) as error:
        raise InputError(where, f"cannot be read ({error!r})", "download FrameNet 1.7 again") from None
    finally:
        nltk.data.path.remove(str(folder))


def _framed_sentence(exemplar: dict, target: tuple[int, int], frame: dict) -> FramedSentence:
    overt, _ = exemplar.get("FE", ((), {}))
    in_core_sets = {element["name"] for core_set in frame["FEcoreSets"] for element in core_set}
    elements = (
        FrameElement(str(name), start, end, frame["FE"][name]["coreType"] == "Core", name in in_core_sets)
        for start, end, name in overt
    )
    return FramedSentence(exemplar["text"], frame["name"], tuple(target), tuple(elements))
