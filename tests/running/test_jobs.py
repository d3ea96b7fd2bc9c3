import errno
import logging
import os
import sys

import pytest

from bert_attention.running.jobs import configure_logging, log_counts


@pytest.fixture
def job(tmp_path, monkeypatch):
    """A function that ends a job by an error, and returns its log."""
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
    ("number", "end"),
    [
        (errno.EISDIR, " ERROR data: Is a directory\n  Remedy: name a file, not a folder\n"),
        (errno.ENOSPC, " ERROR data: No space left on device\n  Remedy: free disk space, and run again\n"),
        (errno.ENOENT, "FileNotFoundError: [Errno 2] No such file or directory: 'data'\n"),  # a bug of ours
    ],
)
def test_system_errors_that_a_user_can_fix_have_a_remedy_and_no_traceback(job, number, end):
    assert job(OSError(number, os.strerror(number), "data")).endswith(end)


def test_the_most_frequent_reason_is_logged_first(caplog):
    with caplog.at_level(logging.INFO):
        log_counts("left out", {"cycles": 1, "several roots": 3})
    assert caplog.messages == ["left out: several roots (3)", "left out: cycles (1)"]
