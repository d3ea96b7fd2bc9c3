"""A pipeline trained in seconds on a grammar of three sentences of French, with a multiword token."""

from __future__ import annotations

import fcntl
import itertools
import json
from pathlib import Path

import pytest

from bert_attention.corpora.conllu import parse_sentence
from bert_attention.corpora.types import Sentence
from bert_attention.parsing.training import train_pipeline

LANGUAGE = "fr"
STEPS = {"tokenizer_steps": 60, "tagger_steps": 30, "lemmatizer_words": 100, "parser_steps": 40}
FEWEST_STEPS = {"tokenizer_steps": 2, "tagger_steps": 2, "lemmatizer_words": 20, "parser_steps": 2}

NOUNS = ("roi", "chat", "chien", "jardin", "voisin", "train")
VERBS = ("dort", "mange", "arrive", "parle")
TEMPLATES = (
    "Le/DET/2/det {a}/NOUN/6/nsubj de/ADP/5/case le/DET/5/det {b}/NOUN/2/nmod {v}/VERB/0/root ./PUNCT/6/punct",
    "Le/DET/2/det {a}/NOUN/3/nsubj {v}/VERB/0/root ./PUNCT/3/punct",
    "Paul/PROPN/2/nsubj {v}/VERB/0/root ,/PUNCT/7/punct et/CCONJ/7/cc le/DET/6/det {b}/NOUN/7/nsubj "
    "{w}/VERB/2/conj ./PUNCT/2/punct",
)


def sentence(template: str, **words: str) -> Sentence:
    """A sentence of ``form/tag/head/relation``, where *de le* is the multiword token *du*."""
    rows = [word.split("/") for word in template.format(**words).split()]
    forms = [row[0] for row in rows]
    lines = []
    for number, (form, tag, head, relation) in enumerate(rows, start=1):
        if form == "de":
            lines.append("\t".join((f"{number}-{number + 1}", "du", *["_"] * 8)))
        misc = "SpaceAfter=No" if forms[number : number + 1] in (["."], [","]) else "_"
        lines.append("\t".join((str(number), form, form.lower(), tag, tag, "_", head, relation, "_", misc)))
    return parse_sentence(enumerate(lines, start=1))


def treebank() -> list[Sentence]:
    """Sentences with every noun and verb in every template."""
    turns = itertools.cycle(NOUNS[2:] + NOUNS[:2]), itertools.cycle(VERBS[1:] + VERBS[:1])
    return [
        sentence(template, a=noun, b=next(turns[0]), v=verb, w=next(turns[1]))
        for noun, verb in itertools.product(NOUNS, VERBS)
        for template in TEMPLATES
    ]


def packages(folder: Path) -> dict:
    return json.loads((folder / "resources.json").read_text())[LANGUAGE]["packages"]["default"]


@pytest.fixture(scope="session")
def small_parser(tmp_path_factory, worker_id) -> Path:
    """The folder of the trained models, which all test processes share."""
    own = tmp_path_factory.getbasetemp()
    folder = (own if worker_id == "master" else own.parent) / "small-parser"
    with open(folder.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one process trains, and the others wait
        if not folder.exists():
            train_pipeline(treebank(), treebank()[:24], folder, seed=0, language=LANGUAGE, **STEPS)
    return folder
