"""Training a small Stanza pipeline from a treebank, with Stanza's own training code.

Stanza's entry points take every path as an argument, so they are called in this process. PyTorch and Stanza are then
imported once, not once per model. The random states that Stanza changes are restored. Training uses one CPU thread, so
that a seed gives the same numbers. The models are too small to profit from more threads or a GPU, and threads that wait
for a busy core make training far slower.
"""

from __future__ import annotations

import gzip
import io
import json
import logging
import random
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

import numpy as np
import torch
from stanza.models import lemmatizer, mwt_expander, parser, tagger, tokenizer
from stanza.resources.common import get_md5
from stanza.utils.datasets.conllu_to_text import convert_text
from stanza.utils.datasets.contract_mwt import contract_mwt
from stanza.utils.datasets.prepare_tokenizer_data import main as write_tokenizer_labels

from bert_attention.corpora.conllu import write_conllu
from bert_attention.corpora.types import Sentence
from bert_attention.errors import InputError
from bert_attention.files import replacing_folder
from bert_attention.models.devices import torch_threads

_PACKAGE = "small"  # the name of the trained models
_TRAINERS = {"tokenize": tokenizer, "mwt": mwt_expander, "pos": tagger, "lemma": lemmatizer, "depparse": parser}

# Dropout is lower and learning rates are higher than Stanza's defaults, to learn a small treebank in few steps.
_WORD_MODEL = {
    "no_pretrain": True,
    "word_cutoff": 2,  # words that occur once are represented by their characters only
    "word_emb_dim": 32,
    "char_emb_dim": 16,
    "char_hidden_dim": 32,
    "tag_emb_dim": 16,
    "transformed_dim": 32,
    "num_layers": 1,
    "dropout": 0.2,
    "word_dropout": 0.1,
    "deep_biaff_hidden_dim": 64,
}
_OPTIONS = {
    # Stanza drops sentences that are longer than max_seqlen, and fails if this empties a paragraph.
    "tokenize": {"max_seqlen": 400, "batch_size": 8},
    "mwt": {"hidden_dim": 50, "num_epoch": 10},
    "pos": _WORD_MODEL
    | {
        "hidden_dim": 64,
        "composite_deep_biaff_hidden_dim": 32,
        "batch_size": 16,
        "lr": 0.01,
        "fix_eval_interval": True,
    },
    "lemma": {"hidden_dim": 50, "batch_size": 100, "num_epoch": 1},
    "depparse": _WORD_MODEL
    | {"hidden_dim": 96, "batch_size": 500, "optim": "adam", "lr": 0.003, "no_second_optim": True, "no_plateau": True}
    | {"no_checkpoint": True},
}
_SCORE_OR_FAILURE = re.compile(r"dev_score|dev score|Best dev|failed", re.IGNORECASE)
_EVALUATIONS = 2  # number of evaluations on development sentences during training; the best state is kept
_DEVELOPMENT = 250  # development sentences; with 1,000, scoring takes a third of the time

logging.getLogger("stanza").setLevel(logging.WARNING)  # importing Stanza's training code sets the level to DEBUG


# Training lengths for a treebank of a few thousand sentences; see :func:`train_pipeline`.
# The tagger gets most steps, because its tags identify nouns, verbs and pronouns. The lemmatizer gets few words,
# because short training adds nothing to its dictionary of known words.
TRAINING_LENGTHS = {"tokenizer_steps": 120, "tagger_steps": 300, "lemmatizer_words": 300, "parser_steps": 200}


def train_pipeline(
    train: Sequence[Sentence],
    development: Sequence[Sentence],
    folder: Path | str,
    *,
    seed: int,
    language: str = "en",
    tokenizer_steps: int,
    tagger_steps: int,
    lemmatizer_words: int,
    parser_steps: int,
    progress: Callable[[Iterable], Iterable] = iter,
) -> None:
    """Train tokenizer, tagger, lemmatizer and dependency parser, and an expander if there are multiword tokens.

    The folder is written completely or not at all. :func:`bert_attention.parsing.pipeline.load_pipeline` loads it. The
    models learn words and characters from these sentences only, without pretrained vectors or character language
    models.

    The sentences have tags, lemmas and trees. The tokenizer learns from running text, which is built from the words and
    ``SpaceAfter=No``. Comments ``# newdoc`` and ``# newpar`` begin a paragraph. The models that score best on the first
    250 sentences of ``development`` are kept. A seed gives the same files on the same kind of processor.

    Steps are training batches: 8 stretches of 400 characters for the tokenizer, 16 sentences for the tagger and 500
    words for the parser. The lemmatizer learns to lemmatize unknown words from ``lemmatizer_words`` random words. Known
    words are looked up. Raise InputError if there are no sentences, or a word has no part of speech or no relation.
    """
    development = development[:_DEVELOPMENT]
    for sentences, what in ((train, "training"), (development, "development")):
        check_sentences(sentences, what)
    lengths = {
        "tokenize": {"steps": tokenizer_steps, "eval_steps": _interval(tokenizer_steps)},
        "mwt": {} if _has_multiword_tokens(development) else {"dict_only": True},
        "pos": {"max_steps": tagger_steps, "eval_interval": _interval(tagger_steps)},
        "lemma": {"sample_train": min(1.0, lemmatizer_words / sum(len(sentence.words) for sentence in train))},
        "depparse": {"max_steps": parser_steps, "eval_interval": _interval(parser_steps)},
    }
    processors = [name for name in _TRAINERS if name != "mwt" or _has_multiword_tokens(train)]
    # The treebank is written within the new folder, so that the next run removes what a killed process leaves.
    with (
        replacing_folder(folder) as partial,
        _preserved_state(),
        torch_threads(1),
    ):
        treebank = partial / "treebank"  # a fixed name, because the models' settings record the path
        treebank.mkdir()
        files = _write_treebank(train, development, treebank)
        for name in progress(processors):
            saved = {"save_dir": partial / language / name, "save_name": f"{_PACKAGE}.pt", "seed": seed, "cpu": True}
            options = files[name] | _OPTIONS[name] | lengths[name] | saved
            options |= {"shorthand": f"{language}_{_PACKAGE}"} | ({} if name == "lemma" else {"lang": language})
            _TRAINERS[name].main(_arguments(options))
            _save_without_traces(partial / language / name / f"{_PACKAGE}.pt", f"{partial}/")
        shutil.rmtree(treebank)
        _write_resources(partial, language, processors)


def check_sentences(sentences: Sequence[Sentence], what: str) -> None:
    """Raise :class:`InputError` if there are no sentences, or a word has no part of speech or no relation."""
    if not sentences:
        raise InputError(f"{what} sentences", "there are none", "give at least one")
    for number, sentence in enumerate(sentences, start=1):
        for index, word in enumerate(sentence.words, start=1):
            if "_" in (word.upos, word.relation):
                where = f"{what} sentence {number} {sentence.id}".rstrip() + f", word {index}"
                raise InputError(
                    where, "has no part of speech or no relation", "use a treebank in which every word has both"
                )


def _has_multiword_tokens(sentences: Iterable[Sentence]) -> bool:
    return any("-" in line.split("\t", 1)[0] for sentence in sentences for _, line in sentence.other_lines)


def _interval(steps: int) -> int:
    return max(1, steps // _EVALUATIONS)


@contextmanager
def _preserved_state() -> Iterator[None]:
    """Restore Stanza's changes to random and logging states after the block, and hide its unimportant messages."""
    logger = logging.getLogger("stanza")
    states = random.getstate(), np.random.get_state(), torch.get_rng_state()
    level = logger.level
    logger.setLevel(logging.INFO)
    logger.addFilter(_is_important)
    try:
        yield
    finally:
        logger.removeFilter(_is_important)
        logger.setLevel(level)
        random.setstate(states[0])
        np.random.set_state(states[1])
        torch.set_rng_state(states[2])


def _is_important(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.ERROR or bool(_SCORE_OR_FAILURE.search(record.getMessage()))


def _write_treebank(train: Sequence[Sentence], development: Sequence[Sentence], folder: Path) -> dict[str, dict]:
    """Write the files that Stanza trains on, and return their paths by model and command-line option."""
    for sentences, name in ((train, "train"), (development, "dev")):
        conllu, text = folder / f"{name}.conllu", folder / f"{name}.txt"
        write_conllu(sentences, conllu)
        convert_text(conllu, text)
        contract_mwt(conllu, folder / f"{name}.tokens.conllu")
        with redirect_stdout(io.StringIO()):
            write_tokenizer_labels(
                [str(text), str(conllu), "-o", str(folder / f"{name}.labels"), "-m", str(folder / f"{name}.json")]
            )
    trees = {"train_file": folder / "train.conllu", "eval_file": folder / "dev.conllu"}
    tokens = {
        "txt_file": folder / "train.txt",
        "label_file": folder / "train.labels",
        "mwt_json_file": folder / "train.json",
        "dev_txt_file": folder / "dev.txt",
        "dev_label_file": folder / "dev.labels",
    }
    expansion = trees | {"eval_file": folder / "dev.tokens.conllu", "gold_file": folder / "dev.conllu"}
    return {"tokenize": tokens, "mwt": expansion, "pos": trees, "lemma": trees, "depparse": trees}


def _arguments(options: dict[str, object]) -> list[str]:
    """Return options as command-line arguments; True makes a flag."""
    return [
        part
        for name, value in options.items()
        for part in ([f"--{name}"] if value is True else [f"--{name}", str(value)])
    ]


def _save_without_traces(path: Path, folder: str) -> None:
    """Save a model again without the time, the path ``folder`` and the memory addresses that Stanza stores in it."""
    model = torch.load(path, map_location="cpu", weights_only=True)
    settings = model["config"]
    settings |= {name: value.replace(folder, "") for name, value in settings.items() if isinstance(value, str)}
    if "dicts" in model:  # gzip stores the time in the lemmatizer's dictionaries
        model["dicts"] = gzip.compress(gzip.decompress(model["dicts"]), mtime=0)
    torch.save(model, path)


def _write_resources(folder: Path, language: str, processors: Sequence[str]) -> None:
    """Write ``resources.json`` with a list of the models, as Stanza does."""
    entry = {name: {_PACKAGE: {"md5": get_md5(folder / language / name / f"{_PACKAGE}.pt")}} for name in processors}
    entry["packages"] = {"default": dict.fromkeys(processors, _PACKAGE)}
    (folder / "resources.json").write_text(json.dumps({language: entry}, indent=2) + "\n", encoding="utf-8")
