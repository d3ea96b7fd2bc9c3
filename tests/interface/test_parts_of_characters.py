"""Half of a surrogate pair is no character: it comes from a text that was cut, or from bytes that are not UTF-8."""

import os
import subprocess
import sys

import numpy as np
import pytest

from bert_attention import InputError, Study, show
from bert_attention.corpora.types import Sentence, Word
from tests.conftest import ROOT

HALVES = ["a \ud83d cat", "caf\udce9"]  # the first half of an emoji, and a byte of Latin-1


@pytest.mark.parametrize("text", HALVES)
def test_texts_and_trees_with_halves_are_refused(small_model, text):
    tree = Sentence((Word(text.replace(" ", ""), "_", "NOUN", "NN", "_", 0, "root"),))
    for give in (
        lambda: small_model.run(text),
        lambda: small_model.run([("fine", text)]),
        lambda: Study(small_model, texts=["fine", text]),
        lambda: Study(small_model, trees=[tree]),
    ):
        with pytest.raises(InputError, match=r"holds U\+D[8C]\w\w at character \d, which is no character") as caught:
            give()
        str(caught.value).encode("utf-8")  # the message can be printed


@pytest.mark.parametrize("text", HALVES)
def test_nothing_with_halves_is_shown(tmp_path, text):
    ones = np.ones((1, 1, 1, 1))
    for given in ({"tokens": [text]}, {"tokens": ["a"], "model": text}, {"tokens": ["a"], "about": text}):
        with pytest.raises(InputError, match="which is no character"):
            show(ones, **given).save(tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("option", [b"--text", b"--name"])
def test_bytes_on_the_command_line_that_are_not_utf8(small_model, tmp_path, option):
    command = [sys.executable, "-m", "bert_attention.explorer", "--model", small_model.name, "--output", "x.html"]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "workflow"), "PYTHONUTF8": "1"}
    more = [b"--text", b"The cat."] if option != b"--text" else []
    run = subprocess.run(
        [*command, *more, option, b"caf\xe9"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert run.stderr.splitlines()[-2].startswith(f"ERROR {option.decode()}: 'caf\\udce9' is not UTF-8")
    assert not list(tmp_path.iterdir())
