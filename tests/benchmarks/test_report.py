"""The page of benchmarks: times, tables, and its two blocks."""

import re

import pytest

from benchmarks import report, whole_run
from benchmarks.measuring import Measurement, Times, in_turn
from benchmarks.run import SIZES
from tests.conftest import ROOT


def test_a_ratio_is_the_median_of_the_ratios_of_a_round():
    times = Times({"ours": [1.0, 10.0, 2.0], "plain": [3.0, 40.0, 2.0]})
    assert times.ratio("plain", "ours") == 3
    assert times.median("ours") == 2


def test_functions_run_in_turn_after_a_round_that_does_not_count():
    ran = []
    times = in_turn({"a": lambda: ran.append("a"), "b": lambda: ran.append("b")}, rounds=2)
    assert ran == ["a", "b"] * 3
    assert {name: len(values) for name, values in times.of.items()} == {"a": 2, "b": 2}


def test_a_row_says_all_and_leaves_empty_what_was_not_measured():
    one = Measurement("norms", "bert", "cpu", "a layer", 0.0123, 1.27, 127.4, "to 1e-07")
    assert report.row(one) == "| norms | bert | cpu | a layer | 12 ms | 127 | 1.3 | to 1e-07 |"
    assert report.row(Measurement("run", "all", "cpu", "2 jobs", 75)).endswith("| 75 s |  |  |  |")


def test_a_block_is_replaced_and_the_rest_kept(tmp_path):
    page = tmp_path / "README.md"
    page.write_text("before\n<!-- speed: begin -->\nold\n<!-- speed: end -->\nafter\n")
    for text in ("new \\1", "newer"):
        report.replace_block("speed", text, page)
    assert page.read_text() == "before\n<!-- speed: begin -->\nnewer\n<!-- speed: end -->\nafter\n"
    with pytest.raises(ValueError, match="scale"):
        report.replace_block("scale", "", page)


def test_the_page_has_all_blocks():
    text = report.PAGE.read_text(encoding="utf-8")
    blocks = ["speed", "judgment", "coverage", "two_runs", "streaming", "scale"]
    marks = [f"{block}: {side}" for block in blocks for side in ("begin", "end")]
    assert re.findall(r"<!-- (\w+: \w+) -->", text) == marks


def test_a_run_takes_what_its_jobs_noted(tmp_path):
    folder = tmp_path / "logs" / "mine" / "benchmarks"
    (folder / "bert").mkdir(parents=True)
    (folder / "bert" / "probes.tsv").write_text("s\th:m:s\n12.5\t0:00:12\n")
    (folder / "corpora.tsv").write_text("s\th:m:s\n2.5\t0:00:02\n")
    (found,) = whole_run.measure(folder)
    assert (found.seconds, found.amount, found.encoder) == (15, "2 jobs", "mine")
    assert found.agreement == "longest: bert/probes 12 s, corpora 2 s"
    assert list(whole_run.measure(tmp_path / "none")) == []


def test_the_picture_has_the_same_bytes_for_the_same_numbers(tmp_path):
    some = [Measurement("norms", "bert", "cpu", "", 1, 1.3, 127), Measurement("run", "all", "cpu", "", 1)]
    for name in ("one.svg", "two.svg"):
        report.draw_speed(some, tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_make_calls_the_two_programs():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "-m benchmarks.run\n" in makefile
    assert "-m benchmarks.scale " in makefile
    assert {device for _, device in SIZES} == {"cpu", "cuda"}
