"""Classification tasks of one's own, from tables of texts and labels."""

import csv
from math import nan

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bert_attention.corpora.glue import read_task, write_task
from bert_attention.corpora.labeled_tables import Columns, check_labeled_table, read_labeled_table
from bert_attention.corpora.types import TaskExample
from bert_attention.errors import InputError

NEWS = Columns("headline", "topic")
PAIRS = Columns("claim", "verdict", "evidence")
TOPICS = ("sport", "politics", "weather")
HEADLINES = [(f'It said "{number}",\nthen rain\tfell', TOPICS[number % 3]) for number in range(12)]


def write_text(path, header, rows, **options):
    """Write a CSV or TSV file, as spreadsheets do: with a byte-order mark."""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, delimiter="\t" if path.suffix == ".tsv" else ",", **options)
        writer.writerows([header, *rows])
    return path


def write_parquet(path, **columns):
    pq.write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
def test_one_table_is_halved_and_its_labels_are_classes(tmp_path, suffix):
    texts, labels = zip(*HEADLINES, strict=True)
    path = tmp_path / f"news{suffix}"
    if suffix == ".parquet":
        write_parquet(path, id=list(range(12)), headline=texts, topic=labels)
    else:
        write_text(path, ["id", "headline", "topic"], [[index, *row] for index, row in enumerate(HEADLINES)])
    check_labeled_table(path, NEWS)
    task, left_out = read_labeled_table(path, "news", NEWS, seed=4)
    assert (task.name, task.classes, task.metrics, left_out) == ("news", tuple(sorted(TOPICS)), ("accuracy",), {})
    assert (len(task.train), len(task.validation)) == (6, 6)
    found = {(example.first, task.classes[int(example.label)]) for example in (*task.train, *task.validation)}
    assert found == set(HEADLINES)
    assert read_labeled_table(path, "news", NEWS, seed=5)[0].train != task.train


def test_line_breaks_of_other_systems_are_the_same_text(tmp_path):
    """Line breaks inside quoted cells are meant, too: Python's csv module returns them as they are in the file."""
    path = write_text(tmp_path / "news.csv", ["headline", "topic"], HEADLINES, lineterminator="\n")
    expected = read_labeled_table(path, "news", NEWS, seed=4)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert read_labeled_table(path, "news", NEWS, seed=4) == expected


@pytest.mark.parametrize("labels", [[10, 9, 10, 9], [10.0, 9.0, 10.0, 9.0], ["10", "9", "10", "9"]])
def test_a_folder_of_two_tables_gives_both_parts_and_numbers_are_ordered(tmp_path, labels):
    claims, evidence = ["A b.", "C d.", "E f.", "G h."], ["One.", "Two.", "Three.", "Four."]
    write_parquet(tmp_path / "train.parquet", claim=claims, evidence=evidence, verdict=labels)
    rows = [("I", "Five.", "9"), ("J", "Six.", "10")]
    write_text(tmp_path / "dev.csv", ["verdict", "claim", "evidence"], [(label, *pair) for *pair, label in rows])
    task, _ = read_labeled_table(tmp_path, "facts", PAIRS, seed=1)
    assert task.classes == ("9", "10")
    assert task.train[0] == TaskExample("A b.", "One.", 1.0)
    assert task.validation == (TaskExample("I", "Five.", 0.0), TaskExample("J", "Six.", 1.0))


@pytest.mark.parametrize("second", [None, "And more."])
def test_a_task_of_ones_own_is_read_back(tmp_path, second):
    rows = [[f"Text {number}", second or "", "yes" if number % 2 else "no"] for number in range(8)]
    path = write_text(tmp_path / "own.csv", ["text", "more", "label"], rows)
    task, _ = read_labeled_table(path, "own", Columns(second="more" if second else ""), seed=1)
    write_task(task, tmp_path / "task")
    assert read_task(tmp_path / "task", "own") == (task, {})
    with pytest.raises(InputError, match="task 'own': is not a known task"):
        read_task(tmp_path, "own")


def table(tmp_path, rows, name="own.csv"):
    return write_text(tmp_path / name, ["text", "label"], rows)


GOOD = [[f"Text {number}", "a" if number % 2 else "b"] for number in range(8)]


@pytest.mark.parametrize(
    ("row", "problem", "reason"),
    [
        (["  ", "a"], "line 10: a sentence is empty", "empty sentences"),
        (["Text", " "], r"line 10: the label \(column label\) is empty", "empty labels"),
        (["It is long", " and dull", "a"], "line 10: has more cells than the header", "rows with too many cells"),
        (["Text"], r"line 10: the label \(column label\) is empty", "empty labels"),
        (["a" * 60_000, "a"], "line 10: a sentence has 60000 characters", "sentences of more than 50000 characters"),
    ],
)
def test_a_bad_line_is_an_error_that_names_it_or_is_skipped(tmp_path, row, problem, reason):
    path = table(tmp_path, [*GOOD, row])
    with pytest.raises(InputError, match=rf"own.csv, {problem}"):
        read_labeled_table(path, "own", Columns(), 1)
    task, left_out = read_labeled_table(path, "own", Columns(), 1, on_bad_input="skip")
    assert (len(task.train) + len(task.validation), left_out) == (8, {reason: 1})


def test_a_missing_number_is_a_missing_label(tmp_path):
    path = write_parquet(
        tmp_path / "own.parquet", text=[row[0] for row in GOOD] + ["New"], label=[0.0, 1.0] * 4 + [nan]
    )
    with pytest.raises(InputError, match=r"own.parquet, row 9: the label \(column label\) is empty"):
        read_labeled_table(path, "own", Columns(), 1)
    task, left_out = read_labeled_table(path, "own", Columns(), 1, on_bad_input="skip")
    assert (task.classes, left_out) == (("0", "1"), {"empty labels": 1})


@pytest.mark.parametrize("end", ["", "too few cells\n"])
def test_quotes_of_a_tsv_file_without_quoted_cells_are_letters(tmp_path, end):
    """In GLUE's own files, a quotation can begin in one row and end in another, or in the middle of a cell."""
    rows = [*GOOD, ['"It is a bad film.', "a"], ['And it works."', "b"], ['"Yes," he said.', "a"]]
    path = tmp_path / "own.tsv"
    path.write_text("".join(f"{text}\t{label}\n" for text, label in [("text", "label"), *rows]) + end)
    task, left_out = read_labeled_table(path, "own", Columns(), 1, on_bad_input="skip")
    found = [[example.first, task.classes[int(example.label)]] for example in (*task.train, *task.validation)]
    assert sorted(found) == sorted(rows)
    assert left_out.total() == bool(end)


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([*GOOD, ["Text 9", "A"]], r"own.csv, line 10: no other row has the label 'A'\n.*correct the label"),
        ([[text, "a"] for text, _ in GOOD], "own.csv: its column label has only the label 'a'"),
        ([], "own.csv: its column label has no label"),
        ([[f"Text {n}", str(n // 2)] for n in range(240)], "has 120 different labels; a task has at most 100"),
        ([["1", "a"], ["2", "b"], ["3", "a"], ["3", "b"]], "own.csv: holds 3 different texts, too few"),
    ],
)
def test_labels_that_are_no_classes_are_errors(tmp_path, rows, problem):
    with pytest.raises(InputError, match=problem):
        read_labeled_table(table(tmp_path, rows), "own", Columns(), 1)


def test_a_class_without_training_example_is_an_error(tmp_path):
    table(tmp_path, GOOD, "train.tsv")
    table(tmp_path, [["New", "c"], ["Newer", "c"]], "validation.csv")
    with pytest.raises(InputError, match="no training example has the label 'c'"):
        read_labeled_table(tmp_path, "own", Columns(), 1)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_missing_column_is_an_error_that_lists_columns_and_says_what_to_do(tmp_path, suffix):
    path = tmp_path / f"own{suffix}"
    if suffix == ".csv":
        write_text(path, ["id", "sentence", "label"], [[1, "A.", "x"]])
    else:
        write_parquet(path, id=[1], sentence=["A."], label=["x"])
    for read in (check_labeled_table, lambda path, columns: read_labeled_table(path, "own", columns, 1)):
        with pytest.raises(InputError, match=r"has no column text; its columns are id, sentence, label\n") as error:
            read(path, Columns())
        assert "name the columns in the edition, beside source (text: text, label: label)" in str(error.value)
    check_labeled_table(path, Columns("sentence"))


def test_other_files_are_errors(tmp_path):
    (tmp_path / "a.xlsx").write_bytes(b"PK")
    with pytest.raises(InputError, match=r"a.xlsx: is no table: its name ends in '.xlsx', not in .parquet, .csv, .tsv"):
        check_labeled_table(tmp_path / "a.xlsx", Columns())
    with pytest.raises(InputError, match=r"holds no table train\n.*give one table train, which ends in"):
        check_labeled_table(tmp_path, Columns())
    table(tmp_path, GOOD, "train.csv")
    table(tmp_path, GOOD, "dev.csv")
    table(tmp_path, GOOD, "validation.tsv")
    with pytest.raises(InputError, match=r"holds dev\.csv, validation\.tsv"):
        check_labeled_table(tmp_path, Columns())
    (tmp_path / "latin.csv").write_bytes("text,label\ncafé,a\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin.csv, after line \d: is not a table of CSV in UTF-8"):
        check_labeled_table(tmp_path / "latin.csv", Columns())
    (tmp_path / "twice.csv").write_text("text,text,label\na,b,c\n")
    with pytest.raises(InputError, match=r"twice.csv, line 1: has more than one column text"):
        check_labeled_table(tmp_path / "twice.csv", Columns())
