import itertools
import random
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from bert_attention.errors import InputError
from bert_attention.files import unfinished
from bert_attention.parsing import parser_accuracy, training
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
    untagged,
    without_multiword_tokens,
)


def train(folder, sentences, **options):
    train_pipeline(sentences, sentences[:6], folder, **({"seed": 0, "language": LANGUAGE} | FEWEST_STEPS | options))


def weights(folder):
    models = {path.parent.name: torch.load(path, weights_only=True) for path in sorted(folder.rglob("*.pt"))}
    assert models
    return {(name, key): value for name, model in models.items() for key, value in model["model"].items()}


def equal(one, other):
    return one.keys() == other.keys() and all(torch.equal(one[key], other[key]) for key in one)


def test_a_trained_pipeline_parses_sentences_that_it_has_not_seen(small_parser):  # noqa: F811
    known = {one.forms for one in treebank()}
    drawn = [sentence(TEMPLATES[0], a=a, b=b, v=v) for a, b, v in itertools.product(NOUNS, NOUNS, VERBS)]
    new = [one for one in drawn if one.forms not in known]
    assert len(new) == 6 * 6 * 4 - 24
    scores = accuracy(load_pipeline(small_parser, LANGUAGE, device="cpu"), new).whole
    assert set(scores["n"]) == {120, 720, 840}  # sentences, tokens, words
    assert scores["value"].min() >= 0.85


def test_an_expander_is_trained_only_where_there_are_multiword_tokens(small_parser, tmp_path):  # noqa: F811
    assert list(packages(small_parser)) == ["tokenize", "mwt", "pos", "lemma", "depparse"]
    train(tmp_path / "models", without_multiword_tokens(treebank())[:12])
    assert list(packages(tmp_path / "models")) == ["tokenize", "pos", "lemma", "depparse"]
    load_pipeline(tmp_path / "models", LANGUAGE, device="cpu")


def test_a_seed_gives_the_same_files_and_the_global_state_is_put_back(tmp_path, monkeypatch):
    sentences = without_multiword_tokens(treebank())[:12]
    threads = torch.get_num_threads()
    before = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()
    found = []
    for name in ("one", "same"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        train(Path("models"), sentences)
        found.append({path: path.read_bytes() for path in sorted(Path("models").rglob("*.*")) if path.is_file()})
        if name == "one":
            assert (random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()) == before
            assert torch.get_num_threads() == threads
            random.seed(7)
            np.random.seed(7)
            torch.manual_seed(7)
    assert [str(path) for path, content in found[0].items() if found[1].get(path) != content] == []
    assert len(found[0]) == 5
    train(tmp_path / "other", sentences, seed=1)
    assert not equal(weights(tmp_path / "one"), weights(tmp_path / "other"))


def interrupted(names):
    for place, name in enumerate(names):
        if place == 1:
            raise KeyboardInterrupt
        yield name


@pytest.mark.parametrize("earlier", [True, False])
def test_an_interrupted_training_leaves_what_was_there(tmp_path, earlier):
    folder = tmp_path / "models"
    if earlier:
        folder.mkdir()
        (folder / "earlier").touch()
    with pytest.raises(KeyboardInterrupt):
        train(folder, treebank()[:12], progress=interrupted)
    assert [path.name for path in tmp_path.rglob("*")] == (["models", "earlier"] if earlier else [])


def test_sentences_that_nothing_can_be_learnt_from_are_refused(tmp_path):
    good = treebank()[:3]
    with pytest.raises(InputError, match="training sentences: there are none"):
        train_pipeline([], good, tmp_path / "models", seed=0, **FEWEST_STEPS)
    with pytest.raises(InputError, match="development sentence 4, word 1: has no part of speech"):
        train_pipeline(good, [*good, untagged()], tmp_path / "models", seed=0, **FEWEST_STEPS)
    with pytest.raises(InputError, match="gold sentence 1, word 1"):
        accuracy(None, [untagged()])
    assert not list(tmp_path.iterdir())


def test_scores_are_those_counted_by_hand(monkeypatch):
    """One of seven words has a wrong head, one a wrong relation, one a wrong tag."""
    gold = treebank()[0]
    words = list(gold.words)
    words[0] = replace(words[0], head=6)
    words[1] = replace(words[1], relation="obj")
    words[4] = replace(words[4], upos="VERB")
    words[5] = replace(words[5], relation="root:only")  # subtypes do not count
    wrong = replace(gold, words=tuple(words))

    def parse(_, texts, *, pretokenized=False, **_options):
        given = texts if pretokenized else [text.strip() for text in texts]
        assert given == ([gold.forms] if pretokenized else ["Le roi du chien dort."])
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


def test_a_killed_training_leaves_nothing_outside_the_new_folder(tmp_path, monkeypatch):
    elsewhere = tmp_path / "tmp"
    elsewhere.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(elsewhere))
    at_work = []

    def stop(_arguments):
        at_work.extend(path.relative_to(tmp_path).parts[0] for path in tmp_path.rglob("*") if path.is_file())
        raise KeyboardInterrupt

    monkeypatch.setattr(training.tokenizer, "main", stop)
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "models", treebank()[:12])
    assert set(at_work) == {f".models{unfinished()}"}
