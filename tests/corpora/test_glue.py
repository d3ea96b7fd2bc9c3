from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bert_attention.corpora.glue import read_labeled_lines, read_task, subsample, write_task
from bert_attention.corpora.types import LAYOUTS, PairTask, TaskExample
from bert_attention.errors import InputError
from bert_attention.files import sha256
from bert_attention.statistics.metrics import METRICS, sums_of

MRPC = {"sentence1": ["A b.", "C", "D é"], "sentence2": ["E.", "F", "G"], "label": [1, 0, 1], "idx": [0, 1, 2]}
EXAMPLES = (TaskExample("A b.", "E.", 1), TaskExample("C", "F", 0), TaskExample("D é", "G", 1))
TASK = PairTask("mrpc", ("not_equivalent", "equivalent"), ("accuracy", "f1"), EXAMPLES, EXAMPLES[:2])


def parquet(folder, name, columns):
    folder.mkdir(exist_ok=True)
    pq.write_table(pa.table(columns), folder / name)


@pytest.fixture
def hub(tmp_path):
    """Function that writes a task as on the hub, with the same columns for validation and for training."""

    def write(columns, validation="validation"):
        for split in ("train", validation):
            parquet(tmp_path / "task", f"{split}-00000-of-00001.parquet", columns)
        return tmp_path / "task"

    return write


PAIR = {"sentence1": ["a"], "sentence2": ["b"]}


@pytest.mark.parametrize(
    ("name", "columns", "example", "label"),
    [
        ("mrpc", {**PAIR, "label": [1], "idx": [0]}, ("a", "b"), "equivalent"),
        ("sst2", {"sentence": ["good "], "label": [0], "idx": [0]}, ("good ", None), "negative"),
        ("stsb", {**PAIR, "label": pa.array([4.75], pa.float32())}, ("a", "b"), 4.75),
        ("mnli", {"premise": ["a"], "hypothesis": ["b"], "label": [2]}, ("a", "b"), "contradiction"),
        ("qnli", {"sentence": ["It is."], "question": ["Is it?"], "label": [0]}, ("Is it?", "It is."), "entailment"),
    ],
)
def test_tasks_of_every_layout(hub, name, columns, example, label):
    task, left_out = read_task(hub(columns, LAYOUTS[name].validation), name)
    (found,) = task.validation
    assert (found.first, found.second) == example
    assert (task.classes[int(found.label)] if task.classes else found.label) == label
    assert (task.train, task.metrics, left_out) == (task.validation, LAYOUTS[name].metrics, {})


def test_shards_are_joined_in_order(hub):
    folder = hub(MRPC)
    (folder / "train-00000-of-00001.parquet").unlink()
    for place in range(3):
        row = {name: values[place : place + 1] for name, values in MRPC.items()}
        parquet(folder, f"train-0000{place}-of-00003.parquet", row)
    assert read_task(folder, "mrpc")[0].train == EXAMPLES
    (folder / "train-00001-of-00003.parquet").unlink()
    with pytest.raises(
        InputError, match=r"some shards of the split train are missing; found only train-00000-of-00003"
    ):
        read_task(folder, "mrpc")


@pytest.mark.parametrize(
    ("column", "value", "problem", "reason"),
    [
        ("label", -1, r"the label -1 is not a class from 0 to 1: the row of a test split", "unknown labels"),
        ("label", 2, r"the label 2 is not a class from 0 to 1\n", "unknown labels"),
        ("label", None, r"the label None is not a class", "unknown labels"),
        ("score", 5.5, r"the label 5.5 is not a score from 0 to 5\n", "unknown labels"),
        ("score", -1.0, r"the label -1.0 is not a score from 0 to 5\n", "unknown labels"),
        ("score", float("nan"), r"the label nan is not a score from 0 to 5\n", "unknown labels"),
        ("sentence1", " ", r"a sentence is empty: ' '", "empty sentences"),
        ("sentence2", None, r"a sentence is empty: None", "empty sentences"),
        (
            "sentence2",
            "a" * 60_000,
            "60000 characters; the maximum is 50000",
            "sentences of more than 50000 characters",
        ),
    ],
)
def test_a_bad_row_is_named_or_left_out(hub, column, value, problem, reason):
    name, column = ("stsb", "label") if column == "score" else ("mrpc", column)
    folder = hub(MRPC)
    bad = {column: [value, MRPC[column][1], value]}
    parquet(folder, "validation-00000-of-00001.parquet", MRPC | bad)
    with pytest.raises(InputError, match=rf"validation-00000-of-00001.parquet, row 1: .*{problem}"):
        read_task(folder, name)
    task, left_out = read_task(folder, name, on_bad_input="skip")
    assert (task.validation, left_out) == (EXAMPLES[1:2], {reason: 2})


@pytest.mark.parametrize(
    ("name", "lacking", "problem"),
    [
        ("mrpc", "train", r"task/train-00000-of-00001.parquet: is missing"),
        ("mrpc", "validation", r"task/validation-00000-of-00001.parquet: is missing"),
        ("sst-2", "", r"task 'sst-2': is not a known task\n.*use 'sst2'"),
        ("zzz", "", r"use one of mrpc, rte, stsb, sst2, qnli, mnli, qqp"),
    ],
)
def test_a_missing_file_and_an_unknown_task_are_named(hub, name, lacking, problem):
    folder = hub(MRPC)
    (folder / f"{lacking}-00000-of-00001.parquet").unlink(missing_ok=True)
    with pytest.raises(InputError, match=problem):
        read_task(folder, name)
    with pytest.raises(InputError, match="task 'mprc': is not a known task"):
        write_task(PairTask("mprc", (), (), EXAMPLES, EXAMPLES), folder)
    with pytest.raises(InputError, match=r"task: the split train holds no example"):
        read_task(hub(MRPC | {"label": [-1, 2, 3]}), "mrpc", on_bad_input="skip")


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_task_is_read_back(tmp_path, name):
    layout = LAYOUTS[name]
    second = ("b", "ß 日本") if len(layout.sentences) > 1 else (None, None)
    labels = (0, len(layout.classes) - 1) if layout.classes else layout.scores
    examples = tuple(TaskExample(f"a{label}", part, label) for part, label in zip(second, labels, strict=True))
    of_texts = tuple(replace(example, group=group) for example, group in zip(examples, ("One", ""), strict=True))
    task = PairTask(name, layout.classes, layout.metrics, of_texts, examples[::-1])
    write_task(task, tmp_path)
    assert read_task(tmp_path, name) == (task, {})


def test_the_layout_on_disk_is_the_hubs(tmp_path):
    for folder in (tmp_path, tmp_path / "again"):
        write_task(TASK, folder)
    for path in (tmp_path / "again").iterdir():
        assert sha256(path) == sha256(tmp_path / path.name)  # the same bytes
    assert sorted(path.name for path in tmp_path.glob("*.parquet")) == [
        f"{split}-00000-of-00001.parquet" for split in ("train", "validation")
    ]
    table = pq.read_table(tmp_path / "train-00000-of-00001.parquet")
    assert {field.name: str(field.type) for field in table.schema} == {
        **dict.fromkeys(("sentence1", "sentence2"), "string"),
        **{"label": "int64", "idx": "int32"},
    }
    assert table["idx"].to_pylist() == [0, 1, 2]


def numbered(size):
    return tuple(TaskExample(str(number), None, number % 2) for number in range(size))


def test_the_seed_decides_the_sample_alone():
    task = PairTask("sst2", LAYOUTS["sst2"].classes, ("accuracy",), numbered(100), numbered(100))
    assert subsample(task, 10, 1) == subsample(task, 10, 1)
    assert subsample(task, 10, 1).validation != subsample(task, 10, 2).validation
    both = subsample(task, 10, 1, train=5)
    assert both.validation == subsample(task, 10, 1).validation
    assert subsample(task, None, 1) == task
    assert len(both.train) == 5


@pytest.mark.parametrize("name", [name for name in LAYOUTS if name not in ("tweets", "nsp")])
def test_the_real_tasks_load_whole_and_are_read_back(real_data, tmp_path, name):
    folder = real_data(f"glue/{name}")
    task, left_out = read_task(folder, name)
    assert not left_out
    for split, examples in (("train", task.train), (LAYOUTS[name].validation, task.validation)):
        assert len(examples) == sum(pq.read_metadata(file).num_rows for file in folder.glob(f"{split}-*.parquet"))
    write_task(task, tmp_path)
    assert read_task(tmp_path, name)[0] == task


# Kovaleva et al. 2019, table 1: MRPC from random weights, SST-2 without training, RTE, QNLI from random weights are
# the scores of predicting one class only.
@pytest.mark.parametrize(
    ("name", "constant", "published"),
    [
        ("mrpc", 1, {"f1": 0.812, "accuracy": 0.683}),
        ("mrpc", 0, {"f1": 0.0, "accuracy": 0.316}),
        ("sst2", 0, {"accuracy": 0.491}),
        ("rte", 0, {"accuracy": 0.527}),
        ("qnli", 0, {"accuracy": 0.495}),
    ],
)
def test_class_numbers_are_those_of_the_papers_constant_predictions(real_data, name, constant, published):
    labels = np.array([example.label for example in read_task(real_data(f"glue/{name}"), name)[0].validation])
    sums = sums_of(np.full((1, len(labels)), constant), labels, LAYOUTS[name].metrics)
    found = {metric: METRICS[metric].score(sums[metric]).item() for metric in LAYOUTS[name].metrics}
    assert found == pytest.approx(published, abs=1.1e-3)


LABELED = [f"__label__{'pos' if number % 2 else 'neg'} film {number} ." for number in range(40)]


def test_labeled_lines_become_a_task(tmp_path):
    path = tmp_path / "films.cor"
    path.write_text("\n".join(LABELED))
    task, left_out = read_labeled_lines(path, "sst2", seed=5)
    assert (len(task.train), len(task.validation), left_out) == (20, 20, {})
    examples = sorted((*task.train, *task.validation), key=lambda example: int(example.first.split()[1]))
    assert [example.first for example in examples] == [f"film {number} ." for number in range(40)]
    assert [example.label for example in examples] == [number % 2 for number in range(40)]
    assert read_labeled_lines(path, "sst2", seed=6)[0].validation != task.validation
    with pytest.raises(InputError, match="holds single sentences, but mrpc is a task of pairs"):
        read_labeled_lines(path, "mrpc", seed=5)


@pytest.mark.parametrize(
    ("sentence", "encoding", "line_end"),
    [
        ("caf\u00e9 \u2014 good", "cp1252", "\n"),
        ("caf\u00e9 \u2014 good", "utf-8-sig", "\n"),
        ("one\u2028two", "utf-8", "\r\n"),  # a separator of lines inside a sentence
    ],
)
def test_labeled_lines_of_other_encodings_and_line_ends(tmp_path, sentence, encoding, line_end):
    path = tmp_path / "films.cor"
    path.write_bytes(line_end.join([*LABELED, f"__label__pos {sentence}"]).encode(encoding))
    task, left_out = read_labeled_lines(path, "sst2", seed=5)
    found = {example.first for example in (*task.train, *task.validation)}
    assert {sentence, "film 0 .", "film 3 ."} <= found
    assert (len(found), left_out) == (len(LABELED) + 1, {})


@pytest.mark.parametrize("line", ["__label__maybe so so", "good film", "__label__pos ", "__label__ fine"])
def test_a_line_without_label_or_sentence_is_named_or_skipped(tmp_path, line):
    path = tmp_path / "films.cor"
    path.write_text("\n".join([*LABELED[:8], line]))
    with pytest.raises(
        InputError, match=r"films.cor, line 9: expected __label__ with one of negative, positive and a sentence, found"
    ):
        read_labeled_lines(path, "sst2", seed=5)
    assert read_labeled_lines(path, "sst2", seed=5, on_bad_input="skip")[1].total() == 1
