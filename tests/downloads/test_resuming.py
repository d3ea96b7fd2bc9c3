"""What arrives from servers that break off, compress, change their files, or contradict themselves."""

import json
import random

import pytest
import requests

from bert_attention.downloads.resuming import resuming_download
from tests.downloads.loopback import loopback

# Compresses to about a half; no two stretches of it are alike.
CONTENT = "".join(random.Random(1).choices("0123456789abcdef", k=1_500_000)).encode()
OTHER = CONTENT[::-1]
PATH = "/data/text.txt"


@pytest.fixture
def server():
    with loopback() as running:
        running.files[PATH] = CONTENT
        yield running


def download(server, folder):
    resuming_download(f"{server.url}{PATH}", folder / "text.txt", None)
    return (folder / "text.txt").read_bytes()


def break_off(server, folder, breaks=(1_000_000, 0, 0, 0)):
    """A first run that gets no further than a million bytes."""
    server.breaks[PATH] = list(breaks)
    with pytest.raises(requests.RequestException):
        download(server, folder)
    assert (folder / "text.txt.part").stat().st_size > 900_000
    server.sent.clear()


@pytest.mark.parametrize("habit", ["compresses", "always compresses"])
@pytest.mark.parametrize("breaks", [[500_000], [700_000, 200_000, 30_000]])
def test_what_a_server_compresses_arrives_whole(server, tmp_path, habit, breaks):
    server.habits[PATH] = {habit}
    server.breaks[PATH] = breaks
    assert download(server, tmp_path) == CONTENT


def test_a_server_that_keeps_breaking_off_is_an_error(server, tmp_path):
    server.habits[PATH] = {"always compresses"}
    server.breaks[PATH] = [500_000, 500_000, 500_000, 500_000]
    with pytest.raises(requests.RequestException):
        download(server, tmp_path)
    assert not (tmp_path / "text.txt").exists()


def test_the_next_run_goes_on_where_one_stopped(server, tmp_path):
    break_off(server, tmp_path)
    assert download(server, tmp_path) == CONTENT
    assert server.sent[PATH] < 600_000
    assert [file.name for file in tmp_path.iterdir()] == ["text.txt"]


@pytest.mark.parametrize("other", [OTHER, OTHER[:900_000], OTHER + CONTENT])
def test_a_file_that_has_changed_is_fetched_anew(server, tmp_path, other):
    break_off(server, tmp_path)
    server.files[PATH] = other
    assert download(server, tmp_path) == other


@pytest.mark.parametrize("habit", ["weak versions", "no versions"])
def test_without_a_version_a_changed_file_is_not_taken_for_the_same(server, tmp_path, habit):
    server.habits[PATH] = {habit}
    break_off(server, tmp_path, [1_000_000] * 4)
    server.files[PATH] = OTHER
    assert download(server, tmp_path) == OTHER


@pytest.mark.parametrize("habit", ["ignores ranges", "other range"])
def test_a_server_that_sends_another_part_than_asked_for_does_no_harm(server, tmp_path, habit):
    server.habits[PATH] = {habit}
    server.breaks[PATH] = [1_000_000]
    assert download(server, tmp_path) == CONTENT


def test_a_file_that_had_arrived_whole_is_not_sent_again(server, tmp_path):
    break_off(server, tmp_path)
    (tmp_path / "text.txt.part").write_bytes(CONTENT)
    assert download(server, tmp_path) == CONTENT
    assert server.sent[PATH] == 0


def test_a_server_that_only_says_it_has_no_more_is_not_believed(server, tmp_path):
    break_off(server, tmp_path)
    server.habits[PATH] = {"no end"}
    note = tmp_path / "text.txt.part.json"
    note.write_text(json.dumps(json.loads(note.read_text()) | {"whole": 2_000_000}))
    (tmp_path / "text.txt.part").write_bytes(CONTENT[:-1] + b"xyz")  # longer than the file
    assert download(server, tmp_path) == CONTENT


@pytest.mark.parametrize("note", [None, "", "[1]", '{"version": 3}', '{"version": "x", "whole": "y"}'])
def test_a_part_of_unknown_origin_is_dropped(server, tmp_path, note):
    (tmp_path / "text.txt.part").write_bytes(OTHER[:1000])
    if note is not None:
        (tmp_path / "text.txt.part.json").write_text(note)
    assert download(server, tmp_path) == CONTENT


def test_a_part_that_is_too_long_is_dropped(server, tmp_path):
    break_off(server, tmp_path)
    with open(tmp_path / "text.txt.part", "ab") as part:
        part.write(CONTENT)
    assert download(server, tmp_path) == CONTENT


def test_a_server_that_does_not_say_where_the_file_ends_is_refused(server, tmp_path):
    server.habits[PATH] = {"no length"}
    server.breaks[PATH] = [1_000_000]
    with pytest.raises(OSError, match="does not say how long the file is"):
        download(server, tmp_path)
    assert not (tmp_path / "text.txt").exists()
