"""The page of benchmarks: times, tables and blocks."""

import pandas as pd
import pytest

from benchmarks import report, whole_run
from benchmarks.measuring import Times, in_turn
from benchmarks.two_runs import compare, page
from bert_attention.running.usage import Usage


def test_functions_run_in_turn_and_a_ratio_is_the_median_over_rounds():
    ran = []
    times = in_turn({"a": lambda: ran.append("a"), "b": lambda: ran.append("b")}, rounds=2)
    assert ran == ["a", "b"] * 3  # after a warm-up round
    assert {name: len(values) for name, values in times.of.items()} == {"a": 2, "b": 2}
    times = Times({"ours": [1.0, 10.0, 2.0], "plain": [3.0, 40.0, 2.0]})
    assert times.ratio("plain", "ours") == 3
    assert times.median("ours") == 2


def test_a_block_is_replaced_and_other_text_is_kept(tmp_path):
    file = tmp_path / "README.md"
    file.write_text("before\n<!-- speed: begin -->\nold\n<!-- speed: end -->\nafter\n")
    for text in ("new \\1", "newer"):
        report.replace_block("speed", text, file)
    assert file.read_text() == "before\n<!-- speed: begin -->\nnewer\n<!-- speed: end -->\nafter\n"
    with pytest.raises(ValueError, match="scale"):
        report.replace_block("scale", "", file)


def test_the_time_of_a_run_is_the_sum_over_its_jobs(tmp_path):
    for number, seconds in enumerate((12.5, 2.5)):
        (tmp_path / f"{number}.log").write_text(f"INFO {Usage('rule', seconds, 0.25, 500.0)}\n")
    (found,) = whole_run.measure(tmp_path)
    assert (found.seconds, found.amount, found.agreement) == (15.5, "2 jobs", "longest: 0 13 s, 1 3 s")
    assert list(whole_run.measure(tmp_path / "none")) == []


def board(*findings, control="not met"):
    rows = [("real", "C01"), ("real", "C02"), ("generated", "D01"), ("generated", "D02")]
    return pd.DataFrame(rows, columns=["text", "id"]).assign(model="bert", control=control, finding=findings)


def test_changes_between_two_runs():
    first = board("confirmed", "confirmed", "not confirmed", None)
    second = board("confirmed", "not confirmed", "inconclusive", "confirmed", control="met")
    lines = page(compare(first, second), "of another kind").splitlines()
    assert "| real | 2 | 1 | 0 | 1 | 2 |" in lines
    assert "| generated | 1 | 0 | 1 | 0 | 1 |" in lines
    changed = "C02 (confirmed, not confirmed), D01 (not confirmed, inconclusive)"
    assert lines[-1] == f"The second run: of another kind. Changed: {changed}."
