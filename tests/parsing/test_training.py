"""Training a pipeline, and scoring it."""

import itertools
import random
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from bert_attention.corpora.types import Sentence, Word
from bert_attention.errors import InputError
from bert_attention.files import unfinished
from bert_attention.parsing import parser_accuracy
from bert_attention.parsing.parser_accuracy import accuracy
from bert_attention.parsing.pipeline import load_pipeline
from bert_attention.parsing.training import train_pipeline
from tests.parsing.small_parser import (
    FEWEST_STEPS,
    LANGUAGE,
    NOUNS,
    TEMPLATES,
    VERBS,
    packages,
    sentence,
    small_parser,  # noqa: F401 (a fixture)
    treebank,
)


def train(folder, sentences, **options):
    train_pipeline(sentences, sentences[:6], folder, **({"seed": 0, "language": LANGUAGE} | FEWEST_STEPS | options))


def test_a_trained_pipeline_parses_sentences_that_it_has_not_seen(small_parser):  # noqa: F811
    known = {one.forms for one in treebank()}
    drawn = [sentence(TEMPLATES[0], a=a, b=b, v=v) for a, b, v in itertools.product(NOUNS, NOUNS, VERBS)]
    new = [one for one in drawn if one.forms not in known]
    assert len(new) == 6 * 6 * 4 - 24
    scores = accuracy(load_pipeline(small_parser, LANGUAGE, device="cpu"), new).whole
    assert set(scores["n"]) == {120, 720, 840}  # sentences, tokens, words
    assert scores["value"].min() >= 0.85
    assert list(packages(small_parser)) == ["tokenize", "mwt", "pos", "lemma", "depparse"]


def test_only_the_seed_decides_and_the_global_state_is_restored(tmp_path, monkeypatch):
    """The sentences have no multiword tokens, so no expander is trained."""
    sentences = [one for one in treebank() if not one.other_lines][:12]
    found = []
    for name, seed in (("one", 0), ("same", 0), ("other", 1)):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        states = global_state()
        train(Path("models"), sentences, seed=seed)
        assert global_state() == states
        found.append({path: path.read_bytes() for path in sorted(Path("models").rglob("*.*")) if path.is_file()})
        for generator in (random.seed, np.random.seed, torch.manual_seed):
            generator(7)
    one, same, other = found
    assert [str(path) for path in one if same.get(path) != one[path]] == []
    assert len(one) == 5
    assert one != other
    assert list(packages(Path("models"))) == ["tokenize", "pos", "lemma", "depparse"]
    load_pipeline("models", LANGUAGE, device="cpu")


def global_state():
    states = np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()
    return random.getstate(), *states, torch.get_num_threads()


def test_an_interrupted_training_keeps_the_earlier_models(tmp_path, monkeypatch):
    """Training writes only into the unfinished folder, which the next run removes."""
    folder, elsewhere = tmp_path / "models", tmp_path / "tmp"
    for path in (folder, elsewhere):
        path.mkdir()
    (folder / "earlier").touch()
    monkeypatch.setattr(tempfile, "tempdir", str(elsewhere))
    written = set()

    def interrupted(names):
        yield from itertools.islice(names, 1)
        written.update(path.relative_to(tmp_path).parts[0] for path in tmp_path.rglob("*") if path.is_file())
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(folder, treebank()[:12], progress=interrupted)
    assert written == {f".models{unfinished()}", "models"}
    left = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*"))
    assert left == ["models", "models/earlier", "tmp"]


def test_missing_sentences_and_untagged_words_are_errors(tmp_path):
    good, untagged = treebank()[:3], Sentence((Word("Oui", "oui", "_", "_", "_", 0, "root"),))
    with pytest.raises(InputError, match="training sentences: there are none"):
        train_pipeline([], good, tmp_path / "models", seed=0, **FEWEST_STEPS)
    with pytest.raises(InputError, match="development sentence 4, word 1: has no part of speech"):
        train_pipeline(good, [*good, untagged], tmp_path / "models", seed=0, **FEWEST_STEPS)
    with pytest.raises(InputError, match="gold sentence 1, word 1"):
        accuracy(None, [untagged])
    assert not list(tmp_path.iterdir())


def test_scores_equal_those_counted_by_hand(monkeypatch):
    """One of seven words has a wrong head, one a wrong relation, one a wrong tag."""
    gold = treebank()[0]
    words = list(gold.words)
    words[0] = replace(words[0], head=6)
    words[1] = replace(words[1], relation="obj")
    words[4] = replace(words[4], upos="VERB")
    words[5] = replace(words[5], relation="root:only")  # subtypes do not count
    wrong = replace(gold, words=tuple(words))

    def parse(_, texts, *, pretokenized=False, **_options):
        received = texts if pretokenized else [text.strip() for text in texts]
        assert received == ([gold.forms] if pretokenized else ["Le roi du chien dort."])
        return [[replace(wrong, other_lines=()) if pretokenized else wrong]]

    monkeypatch.setattr(parser_accuracy, "parse_texts", parse)
    scores = accuracy(None, [gold]).whole
    expected = [
        *(("words", measure, value, 7) for measure, value in (("upos", 6 / 7), ("uas", 6 / 7), ("las", 5 / 7))),
        ("text", "tokens", 1.0, 6),
        ("text", "sentences", 1.0, 1),
        *(("text", measure, value, 7) for measure, value in (("upos", 6 / 7), ("uas", 6 / 7), ("las", 5 / 7))),
    ]
    pd.testing.assert_frame_equal(scores, pd.DataFrame(expected, columns=["input", "measure", "value", "n"]))
