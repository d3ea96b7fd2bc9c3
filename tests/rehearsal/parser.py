"""A Stanza pipeline in the official layout: the packages of English, their names, and what each depends on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from stanza.models.common.pretrain import Pretrain

from bert_attention.corpora.types import Sentence
from bert_attention.parsing.training import train_pipeline

STEPS = {"tokenizer_steps": 60, "tagger_steps": 40, "lemmatizer_words": 300, "parser_steps": 40}
# The default packages of release 1.15.0, and what some of them need.
PACKAGES = {
    "tokenize": "combined_nocharlm",
    "mwt": "combined",
    "lemma": "combined_nocharlm",
    "pos": "combined_charlm",
    "depparse": "combined_charlm",
}
_NEEDED = {"pretrain": "conll17", "forward_charlm": "1billion", "backward_charlm": "1billion"}
# Packages of the official list that must not be downloaded.
_OTHERS = {"ner": "ontonotes-ww-multi_charlm", "sentiment": "sstplus_charlm", "constituency": "ptb3-revised_charlm"}
URL = "https://huggingface.co/stanfordnlp/stanza-{lang}/resolve/v{resources_version}/models/{filename}"


def english_packages(train: Sequence[Sentence], development: Sequence[Sentence]) -> tuple[bytes, dict[str, bytes]]:
    """The list of resources, and the files by their names below ``models/``."""
    with TemporaryDirectory() as temporary:
        folder = Path(temporary) / "trained"
        train_pipeline(train, development, folder, seed=1, **STEPS)
        files = {
            f"{processor}/{package}.pt": next((folder / "en" / processor).glob("*.pt")).read_bytes()
            for processor, package in PACKAGES.items()
        }
    files |= {f"{kind}/{package}.pt": _vectors() for kind, package in _NEEDED.items()}
    english: dict = {}
    for name, content in files.items():
        kind, package = Path(name).parts[0], Path(name).stem
        entry: dict = {"md5": hashlib.md5(content).hexdigest()}
        if package.endswith("_charlm"):
            entry["dependencies"] = [{"model": model, "package": needed} for model, needed in _NEEDED.items()]
        english.setdefault(kind, {})[package] = entry
    for kind, package in _OTHERS.items():
        english[kind] = {package: {"md5": "0" * 32, "dependencies": [{"model": "pretrain", "package": "glove"}]}}
    default = {**PACKAGES, **_OTHERS, "optional": {"coref": "udcoref_xlm-roberta-lora"}}
    english |= {"default_processors": default, "packages": {"default": default, "combined": PACKAGES}}
    english |= {"default_md5": "0" * 32, "lang_name": "English"}
    resources = {"de": {"lang_name": "German"}, "en": english, "english": {"alias": "en"}, "url": URL}
    return json.dumps(resources, indent=2).encode(), files


def _vectors() -> bytes:
    """Word vectors as Stanza saves them."""
    with TemporaryDirectory() as folder:
        text = Path(folder) / "vectors.txt"
        text.write_text("2 4\nthe 0.1 0.2 0.3 0.4\nof 0.4 0.3 0.2 0.1\n")
        Pretrain(filename=f"{folder}/vectors.pt", vec_filename=str(text)).load()
        return (Path(folder) / "vectors.pt").read_bytes()
