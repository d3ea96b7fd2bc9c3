import json
import re

import pytest

from bert_attention.corpora.jsonlines import (
    articles_of,
    lengths_of,
    read_articles,
    read_segments,
    read_task_inputs,
    write_records,
)
from bert_attention.corpora.types import Article, Segment, TaskInput
from bert_attention.errors import InputError

ARTICLES = [Article("Ä", (("One.", "Two."), ("Three — “four”.",))), Article("B", (("Five.",),))]
SEGMENTS = [
    Segment("Ä", ("a", "##b"), ("c",), (True, False), (True,)),
    Segment("B", ("ü",), ("日", "本"), (True,), (True, True)),
]
TASK_INPUTS = [
    TaskInput("1", ("a", "##b"), ("c",), (True, False), (True,), ((0, 1), (1, 2)), ((0, 1),), 1.0, "Ä"),
    TaskInput("2", ("d",), (), (True,), (), ((0, 3),), (), 2.5, "Ä"),
]


def test_a_reader_can_read_a_part_of_a_file(tmp_path):
    path = tmp_path / "c.jsonl"
    write_records(SEGMENTS, path)
    assert articles_of(path) == [segment.article for segment in SEGMENTS]
    assert lengths_of(path) == [3, 3]
    path.write_text("{\n" + path.read_text() + "[\n")
    assert read_segments(path, range(1, 3)) == SEGMENTS
    with pytest.raises(InputError, match="line 4: "):
        read_segments(path, range(2, 4))


@pytest.mark.parametrize(
    ("records", "texts"), [(SEGMENTS, ["Ä", "B"]), (TASK_INPUTS, ["Ä", "Ä"]), (TASK_INPUTS[::-1] * 2, ["Ä"] * 4)]
)
def test_the_texts_of_segments_are_articles_and_of_inputs_of_tasks_groups(tmp_path, records, texts):
    write_records(records, tmp_path / "c.jsonl")
    assert articles_of(tmp_path / "c.jsonl") == texts


@pytest.mark.parametrize(
    ("records", "read"), [(ARTICLES, read_articles), (SEGMENTS, read_segments), (TASK_INPUTS, read_task_inputs)]
)
def test_records_are_read_back_and_no_record_is_an_error(tmp_path, records, read):
    write_records(records, tmp_path / "c.jsonl")
    assert read(tmp_path / "c.jsonl") == records
    (tmp_path / "c.jsonl").write_text("")
    with pytest.raises(InputError, match=r"c.jsonl: the corpus is empty"):
        read(tmp_path / "c.jsonl")


GOOD = {"article": "x", "first": ["a"], "second": [], "first_begins": [True], "second_begins": []}
GOOD |= {"first_spans": [[0, 1]], "second_spans": [], "label": 1, "group": "g"}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "is not valid JSON (Expecting property name"),
        ("[]", "is not a JSON object"),
        ('{"article": "x", "first": ["a"], "first_begins": [true]}', "lacks the key 'second_begins'"),
        (json.dumps(GOOD | {"first_begins": [1]}), "expected a list of true and false"),
        (json.dumps(GOOD | {"first_begins": []}), "first has 1 wordpieces, but first_begins has 0 values"),
        (json.dumps(GOOD | {"first": [], "first_begins": []}), "the first part is empty"),
        (json.dumps(GOOD | {"first": "abc"}), "expected a list, found 'abc'"),
        (json.dumps(GOOD | {"first": [1]}), "expected text, found 1"),
        (json.dumps(GOOD | {"first_spans": []}), "expected a list of 1 spans"),
        (json.dumps(GOOD | {"label": float("nan")}), "the label nan is not a finite number"),
    ],
)
def test_the_error_on_a_bad_line_names_file_and_line(tmp_path, line, problem):
    path = tmp_path / "inputs.jsonl"
    path.write_text(f"{json.dumps(GOOD)}\n{line}\n")
    with pytest.raises(InputError, match=rf"inputs.jsonl, line 2: .*{re.escape(problem)}.*\n.*give one JSON object"):
        read_task_inputs(path)
