import json
import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bert_attention.corpora.glue import check_folder, read_labeled_lines, read_task, subsample, write_task
from bert_attention.corpora.types import LAYOUTS, PairTask, TaskExample
from bert_attention.errors import InputError
from bert_attention.files import sha256
from bert_attention.statistics.metrics import METRICS, sums_of

MRPC = {"sentence1": ["A b.", "C", "D é"], "sentence2": ["E.", "F", "G"], "label": [1, 0, 1], "idx": [0, 1, 2]}
EXAMPLES = (TaskExample("A b.", "E.", 1), TaskExample("C", "F", 0), TaskExample("D é", "G", 1))


def write_hub(folder, columns, files=("train-00000-of-00001", "validation-00000-of-00001")):
    """Write files of a task as on the hub, all with the same columns."""
    for name in files:
        pq.write_table(pa.table(columns), folder / f"{name}.parquet")


def test_shards_are_joined_in_order(tmp_path):
    write_hub(tmp_path, MRPC, ["validation-00000-of-00001"])
    for shard in range(3):
        row = {name: values[shard : shard + 1] for name, values in MRPC.items()}
        write_hub(tmp_path, row, [f"train-0000{shard}-of-00003"])
    assert read_task(tmp_path, "mrpc")[0].train == EXAMPLES
    (tmp_path / "train-00001-of-00003.parquet").unlink()
    with pytest.raises(InputError, match="some shards of the split train are missing; found only train-00000-of-00003"):
        read_task(tmp_path, "mrpc")


@pytest.mark.parametrize(
    ("column", "value", "problem", "reason"),
    [
        ("label", -1, r"the label -1 is not a class from 0 to 1: the row of a test split", "unknown labels"),
        ("label", None, r"the label None is not a class", "unknown labels"),
        ("score", 5.5, r"the label 5.5 is not a score from 0 to 5\n", "unknown labels"),
        ("score", float("nan"), r"the label nan is not a score from 0 to 5\n", "unknown labels"),
        ("sentence2", None, r"a sentence is empty: None", "empty sentences"),
        ("sentence2", "a" * 60_000, "the maximum is 50000", "sentences of more than 50000 characters"),
    ],
)
def test_a_bad_row_is_an_error_that_names_it_or_is_skipped(tmp_path, column, value, problem, reason):
    name, column = ("stsb", "label") if column == "score" else ("mrpc", column)
    write_hub(tmp_path, MRPC)
    write_hub(tmp_path, MRPC | {column: [value, MRPC[column][1], value]}, ["validation-00000-of-00001"])
    with pytest.raises(InputError, match=rf"validation-00000-of-00001.parquet, row 1: .*{problem}"):
        read_task(tmp_path, name)
    task, left_out = read_task(tmp_path, name, on_bad_input="skip")
    assert (task.validation, left_out) == (EXAMPLES[1:2], {reason: 2})


def test_classes_in_another_order_are_an_error(tmp_path):
    """The library datasets stores the names of classes, and can number them by the alphabet."""
    names = ["entailment", "neutral", "contradiction"]
    columns = {"premise": ["A b.", "C"], "hypothesis": ["E.", "F"], "label": [0, 2]}
    for order, is_right in ((names, True), (sorted(names), False), (["a", "b", "c"], True)):
        info = {"info": {"features": {"label": {"names": order, "_type": "ClassLabel"}}}}
        table = pa.table(columns).replace_schema_metadata({"huggingface": json.dumps(info)})
        for split in ("train", "validation_matched"):
            pq.write_table(table, tmp_path / f"{split}-00000-of-00001.parquet")
        if is_right:
            assert [example.label for example in read_task(tmp_path, "mnli")[0].train] == [0, 2]
            check_folder(tmp_path, "mnli")
            continue
        for read in (read_task, check_folder):
            with pytest.raises(InputError, match="in the order contradiction, entailment, neutral, not entailment"):
                read(tmp_path, "mnli")


def test_the_error_names_missing_files_and_unknown_tasks(tmp_path):
    with pytest.raises(InputError, match=r"train-00000-of-00001.parquet: is missing"):
        read_task(tmp_path, "mrpc")
    write_hub(tmp_path, MRPC | {"label": [-1, 2, 3]})
    with pytest.raises(InputError, match=r"the split train holds no example"):
        read_task(tmp_path, "mrpc", on_bad_input="skip")
    for name, remedy in (("sst-2", "use 'sst2'"), ("zzz", "use one of mrpc, rte, stsb")):
        with pytest.raises(InputError, match=rf"task '{name}': is not a known task\n.*{remedy}"):
            read_task(tmp_path, name)


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_task_is_read_back(tmp_path, name):
    layout = LAYOUTS[name]
    second = ("b", "ß 日本") if len(layout.sentences) > 1 else (None, None)
    labels = (0, len(layout.classes) - 1) if layout.classes else layout.scores
    examples = tuple(TaskExample(f"a{label}", part, label) for part, label in zip(second, labels, strict=True))
    grouped = tuple(replace(example, group=group) for example, group in zip(examples, ("One", ""), strict=True))
    task = PairTask(name, layout.classes, layout.metrics, grouped, examples[::-1])
    for folder in (tmp_path, tmp_path / "again"):
        write_task(task, folder)
    assert read_task(tmp_path, name) == (task, {})
    for path in tmp_path.glob("*.parquet"):
        assert sha256(path) == sha256(tmp_path / "again" / path.name)  # the same bytes


@pytest.mark.parametrize("name", [name for name in LAYOUTS if name not in ("tweets", "nsp")])
def test_the_real_tasks_are_read_completely(real_data, name):
    folder = real_data(f"glue/{name}")
    task, left_out = read_task(folder, name)
    assert not left_out
    for split, examples in (("train", task.train), (LAYOUTS[name].validation, task.validation)):
        assert len(examples) == sum(pq.read_metadata(file).num_rows for file in folder.glob(f"{split}-*.parquet"))


# Scores of predicting one class only, which Kovaleva et al. 2019 (table 1) give for models that learned nothing.
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
def test_constant_predictions_have_the_papers_scores(real_data, name, constant, published):
    labels = np.array([example.label for example in read_task(real_data(f"glue/{name}"), name)[0].validation])
    sums = sums_of(np.full((1, len(labels)), constant), labels, LAYOUTS[name].metrics)
    found = {metric: METRICS[metric].score(sums[metric]).item() for metric in LAYOUTS[name].metrics}
    assert found == pytest.approx(published, abs=1.1e-3)


def test_samples_keep_the_order_and_are_independent():
    examples = tuple(TaskExample(str(number), None, number % 2) for number in range(1000))
    task = PairTask("sst2", LAYOUTS["sst2"].classes, ("accuracy",), examples, examples)
    both = subsample(task, 100, 1, train=5)
    assert both.validation == subsample(task, 100, 1).validation != subsample(task, 100, 2).validation
    assert (len(both.validation), len(both.train)) == (100, 5)
    drawn = [int(example.first) for example in both.validation]
    assert drawn == sorted(set(drawn))
    assert 300 < sum(drawn) / 100 < 700
    assert subsample(task, None, 1) == subsample(task, 1000, 1) == subsample(task, 5000, 1) == task


LABELED = [f"__label__{'pos' if number % 2 else 'neg'} film {number} ." for number in range(40)]


@pytest.mark.parametrize(
    ("sentence", "encoding", "line_end"),
    [
        ("caf\u00e9 \u2014 good", "cp1252", "\n"),
        ("caf\u00e9 \u2014 good", "utf-8-sig", "\n"),
        ("one\u2028two", "utf-8", "\r\n"),  # a separator of lines inside a sentence
    ],
)
def test_labeled_lines_become_a_task(tmp_path, sentence, encoding, line_end):
    path = tmp_path / "films.cor"
    path.write_bytes(line_end.join([*LABELED, f"__label__pos {sentence}"]).encode(encoding))
    task, left_out = read_labeled_lines(path, "sst2", seed=5)
    assert (len(task.train), len(task.validation), left_out) == (21, 20, {})
    labels = {example.first: example.label for example in (*task.train, *task.validation)}
    assert labels == {sentence: 1} | {f"film {number} .": number % 2 for number in range(40)}
    assert read_labeled_lines(path, "sst2", seed=6)[0].validation != task.validation


@pytest.mark.parametrize("line", ["__label__maybe so so", "good film", "__label__pos ", "__label__ fine"])
def test_a_line_without_label_or_sentence_is_an_error_that_names_it_or_is_skipped(tmp_path, line):
    path = tmp_path / "films.cor"
    path.write_text("\n".join([*LABELED[:8], line]))
    with pytest.raises(InputError, match=r"films.cor, line 9: expected __label__ with one of negative, positive and a"):
        read_labeled_lines(path, "sst2", seed=5)
    assert read_labeled_lines(path, "sst2", seed=5, on_bad_input="skip")[1].total() == 1
    with pytest.raises(InputError, match="holds single sentences, but mrpc is a task of pairs"):
        read_labeled_lines(path, "mrpc", seed=5)


@pytest.mark.parametrize("name", ["train-copy1-of-00001.parquet", "validation-00000-of-00001 (1).parquet"])
@pytest.mark.parametrize("alone", [False, True])
def test_a_file_with_another_name_is_named(tmp_path, name, alone):
    task = PairTask(
        "sst2", LAYOUTS["sst2"].classes, ("accuracy",), (TaskExample("a", None, 1),), (TaskExample("b", None, 0),)
    )
    write_task(task, tmp_path)
    split = name.partition("-")[0]
    (tmp_path / name).write_bytes((tmp_path / f"{split}-00000-of-00001.parquet").read_bytes())
    if alone:
        (tmp_path / f"{split}-00000-of-00001.parquet").unlink()
    with pytest.raises(InputError, match=rf"(holds {re.escape(name)}, whose name is not of the form|is missing)"):
        read_task(tmp_path, "sst2")
