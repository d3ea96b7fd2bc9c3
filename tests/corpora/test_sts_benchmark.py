import pytest

from bert_attention.corpora.sts_benchmark import is_sts_benchmark, read_sts_benchmark
from bert_attention.errors import InputError

TRAIN = [
    "g\ts\t2012\t1\t5.000\tA dog runs.\tA dog is running. ",
    'g\ts\t2012\t2\t0.5\tHe said "No.\tIt rains.\tlicense\tother',
]
DEV = ["g\ts\t2016\t3\t4\tA cat sleeps.\tThe cat sleeps."]


@pytest.fixture
def folder(tmp_path):
    for name, lines in (("sts-train.csv", TRAIN), ("sts-dev.csv", DEV)):
        (tmp_path / name).write_text("\r\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def test_pairs_are_read_without_quotation_and_without_licenses(folder):
    task, left_out = read_sts_benchmark(folder, "stsb")
    assert [(example.first, example.second, example.label) for example in task.train] == [
        ("A dog runs.", "A dog is running. ", 5.0),
        ('He said "No.', "It rains.", 0.5),
    ]
    assert [example.label for example in task.validation] == [4.0]
    assert (task.name, task.classes, task.metrics, left_out) == ("stsb", (), ("pearson",), {})


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("g\ts\t2012\t1\t5\tA dog runs.", "expected at least 7 columns with tabs between them, found 6"),
        ("g\ts\t2012\t1\tfive\tA dog.\tA cat.", "the score 'five' is not a number from 0 to 5"),
        ("g\ts\t2012\t1\t5.2\tA dog.\tA cat.", "the score '5.2' is not a number from 0 to 5"),
        ("g\ts\t2012\t1\tnan\tA dog.\tA cat.", "the score 'nan' is not a number from 0 to 5"),
        ("g\ts\t2012\t1\t5\t\tA cat.", "a sentence is empty"),
    ],
)
def test_a_bad_line_is_an_error_that_names_it_or_is_skipped(folder, line, problem):
    (folder / "sts-train.csv").write_text("\n".join([TRAIN[0], line]) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"sts-train.csv, line 2: {problem}"):
        read_sts_benchmark(folder, "stsb")
    task, left_out = read_sts_benchmark(folder, "stsb", "skip")
    assert (len(task.train), left_out.total()) == (1, 1)


def test_another_task_and_a_missing_or_empty_part_are_errors(folder):
    with pytest.raises(InputError, match="is the STS Benchmark, not the task mrpc"):
        read_sts_benchmark(folder, "mrpc")
    (folder / "sts-dev.csv").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match=r"sts-dev.csv: (is empty|holds no pair)"):
        read_sts_benchmark(folder, "stsb")
    (folder / "sts-dev.csv").unlink()
    assert is_sts_benchmark(folder)
    with pytest.raises(InputError, match=r"sts-dev.csv: is missing"):
        read_sts_benchmark(folder, "stsb")
