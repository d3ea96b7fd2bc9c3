"""A small budget of ``make fuzz``, and inputs on which the program itself must fail."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks import fuzz
from bert_attention.errors import InputError

LINES = [b"a line\n" * 9]


@pytest.mark.parametrize("name", fuzz.READERS)
@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 1 << 32))
def test_every_mutated_file_is_read_right_or_refused(name, seed):
    assert fuzz.run([name], seed, 20)[name].failures == []


@pytest.mark.parametrize("name", fuzz.READERS)
def test_every_reader_reads_its_valid_files(tmp_path, name):
    for content in fuzz.READERS[name].seeds:
        (tmp_path / "file").write_bytes(content)
        assert fuzz.attempt(fuzz.READERS[name], tmp_path / "file")[0] is not InputError


def crash(path):
    raise KeyError(path.name)


def loop(path):
    while True:
        path.exists()


def quadratic(path):
    return sum(1 for _ in range(len(path.read_bytes()) ** 2 // 700))


@pytest.mark.parametrize(
    ("read", "plain", "problem"),
    [
        (crash, None, "KeyError"),
        (loop, None, "takes more than"),
        (Path.read_text, lambda text: text.strip(), "instead of"),
        (Path.read_bytes, None, "changes what is read"),
    ],
)
def test_the_program_finds_readers_that_fail(monkeypatch, read, plain, problem):
    monkeypatch.setattr(fuzz, "LONGEST", 0.01)
    monkeypatch.setitem(fuzz.READERS, "bad", fuzz.Reader(read, LINES, plain))
    outcome = fuzz.run(["bad"], 1, 30)["bad"]
    assert any(problem in failure for failure in outcome.failures)
    assert outcome.inputs == 30


def test_the_program_finds_quadratic_time(monkeypatch, tmp_path):
    monkeypatch.setattr(fuzz, "LONGEST", 0.5)
    with pytest.raises(fuzz.FailureError, match=r"takes more than|240 kB take"):
        fuzz._check_time(fuzz.Reader(quadratic, LINES), LINES[0], tmp_path / "file", 0.5)
