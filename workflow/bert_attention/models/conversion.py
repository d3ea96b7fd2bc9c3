"""The Python that converts a published model into a folder of standard form, for messages."""

from __future__ import annotations

import json
from pathlib import Path

from bert_attention.downloads.sources import parse_source

# Classes of transformers that keep a published model's head, by the ending of the name of the model's own class.
_CLASSES = {
    "ForMaskedLM": "AutoModelForMaskedLM",
    "ForPreTraining": "AutoModelForMaskedLM",
    "ForSequenceClassification": "AutoModelForSequenceClassification",
    "ForConditionalGeneration": "AutoModelForSeq2SeqLM",
    "MTModel": "AutoModelForSeq2SeqLM",
}


def conversion(folder: Path | str, source: str = "") -> str:
    """Return a remedy: Python that writes a model with safetensors weights and a fast tokenizer into a new folder.

    A model whose ``source`` is the hub is loaded from the hub, because other formats of its weights are not downloaded.
    """
    origin, new = f"{str(folder)!r}", f"{str(folder).rstrip('/')}-converted"
    if source.startswith("hub:"):
        repository, revision, inside = parse_source(source).hub_parts
        subfolder = f", subfolder={inside!r}" if inside else ""
        origin, new = f"{repository!r}, revision={revision!r}{subfolder}", f"{repository.rpartition('/')[2]}-converted"
    name = _class_of(folder)
    lines = (
        "convert the model with this Python, and give the new folder:",
        f"from transformers import {name}, AutoTokenizer",
        f"{name}.from_pretrained({origin}).save_pretrained({new!r})",
        f"AutoTokenizer.from_pretrained({origin}).save_pretrained({new!r})",
    )
    return "\n      ".join(lines)


def _class_of(folder: Path | str) -> str:
    try:
        architectures = json.loads((Path(folder) / "config.json").read_text(encoding="utf-8-sig"))["architectures"]
        return next(name for end, name in _CLASSES.items() if str(architectures[0]).endswith(end))
    except (OSError, ValueError, TypeError, KeyError, IndexError, StopIteration):
        return "AutoModel"
