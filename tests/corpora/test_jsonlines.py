import pytest

from bert_attention.corpora.jsonlines import (
    articles_of,
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
    TaskInput("1", ("a", "##b"), ("c",), (True, False), (True,), ((0, 1), (1, 2)), ((0, 1),), 1.0),
    TaskInput("2", ("d",), (), (True,), (), ((0, 3),), (), 2.5),
]


@pytest.mark.parametrize(
    ("records", "read"), [(ARTICLES, read_articles), (SEGMENTS, read_segments), (TASK_INPUTS, read_task_inputs)]
)
def test_records_are_read_back(tmp_path, records, read):
    write_records(records, tmp_path / "c.jsonl")
    assert read(tmp_path / "c.jsonl") == records


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "is not valid JSON (Expecting property name"),
        ("[]", "is not a JSON object"),
        ('{"article": "x", "first": ["a"], "first_begins": [true]}', "lacks the key 'second_begins'"),
        ('{"article": "x", "first": ["a"], "second": [], "first_begins": [1], "second_begins": []}', "true and false"),
        ('{"article": "x", "first": ["a"], "second": [], "first_begins": [], "second_begins": []}', "has 0 values"),
        (
            '{"article": "x", "first": [], "second": ["a"], "first_begins": [], "second_begins": [true]}',
            "the first part is empty",
        ),
        (
            '{"article": "x", "first": "abc", "second": ["d"], "first_begins": [true], "second_begins": [true]}',
            "expected a list, found 'abc'",
        ),
        (
            '{"article": "x", "first": [1], "second": ["d"], "first_begins": [true], "second_begins": [true]}',
            "expected text, found 1",
        ),
    ],
)
def test_a_bad_segment_is_named_by_file_and_line(tmp_path, line, problem):
    path = tmp_path / "segments.jsonl"
    write_records(SEGMENTS[:1], path)
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(InputError, match=r"segments.jsonl, line 2: ") as caught:
        read_segments(path)
    assert problem in str(caught.value)
    assert "Remedy: delete the file and run again; if you made it yourself, give one JSON object per line" in str(
        caught.value
    )


def test_a_part_is_read_without_the_rest(tmp_path):
    path = tmp_path / "c.jsonl"
    write_records(SEGMENTS * 2, path)
    assert articles_of(path) == [segment.article for segment in SEGMENTS * 2]
    lines = path.read_text().splitlines()
    path.write_text("\n".join(["{", *lines[1:3], "["]) + "\n")
    assert read_segments(path, range(1, 3)) == [SEGMENTS[1], SEGMENTS[0]]
    assert read_segments(path, range(2, 2)) == []
    with pytest.raises(InputError, match="line 4: "):
        read_segments(path, range(2, 4))


@pytest.mark.parametrize("read", [read_articles, read_segments, articles_of])
def test_an_empty_corpus_is_an_error(tmp_path, read):
    (tmp_path / "c.jsonl").write_text("")
    with pytest.raises(InputError, match=r"c.jsonl: the corpus is empty"):
        read(tmp_path / "c.jsonl")


def test_a_task_input_has_a_span_for_each_wordpiece(tmp_path):
    path = tmp_path / "mrpc.jsonl"
    segment = '"article": "1", "first": ["a"], "second": [], "first_begins": [true], "second_begins": []'
    path.write_text(f'{{{segment}, "first_spans": [], "second_spans": [], "label": 1}}')
    with pytest.raises(InputError, match="line 1: expected a list of 1 spans"):
        read_task_inputs(path)


@pytest.mark.parametrize(
    "line",
    [
        "[" * 100_000,
        '{"article": ' * 100_000,
        '{"article": "x", "first": ["a"], "second": ["b"], "label": %s}' % ("1" * 5000),
        '{"article": "x", "first": ["a"], "second": [], "first_spans": [[1e999, 2]], "second_spans": [], "label": 1}',
    ],
)
def test_deep_json_and_long_numbers_are_bad_lines(tmp_path, line):
    (tmp_path / "c.jsonl").write_text(line + "\n")
    with pytest.raises(InputError, match="line 1: "):
        read_task_inputs(tmp_path / "c.jsonl")
