import errno
import logging
import os
import sys

import pytest

from bert_attention.running.jobs import configure_logging, log_counts


@pytest.fixture
def job(tmp_path, monkeypatch):
    """End a job by an error; gives its log."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level

    def end(error):
        configure_logging(tmp_path / "log")
        sys.excepthook(type(error), error, None)
        return (tmp_path / "log").read_text()

    yield end
    for handler in set(root.handlers) - set(handlers):
        handler.close()
    root.handlers[:], root.level = handlers, level
    logging.captureWarnings(False)


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (errno.EISDIR, "data: Is a directory\n  Remedy: name a file, not a folder\n"),
        (errno.EACCES, "data: Permission denied\n  Remedy: get the permission, or name another file or folder\n"),
        (errno.ENOSPC, "data: No space left on device\n  Remedy: make room on the disk, and run again\n"),
    ],
)
def test_what_the_system_refuses_is_said_without_a_traceback(job, number, message):
    assert job(OSError(number, os.strerror(number), "data")).endswith(f" ERROR {message}")


def test_other_errors_of_the_system_are_ours(job):
    assert "uncaught error" in job(FileNotFoundError(errno.ENOENT, "No such file", "data"))


def test_counts_read_well_whatever_the_number(caplog):
    with caplog.at_level(logging.INFO):
        log_counts("left out", {"cycles": 1, "several roots": 3})
    assert caplog.messages == ["left out: several roots (3)", "left out: cycles (1)"]
