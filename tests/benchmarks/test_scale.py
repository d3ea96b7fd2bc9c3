"""The costs of large corpora follow from the measured constants, and the first limit is computed."""

import dataclasses
import json
import re

import pytest

from benchmarks import scale
from benchmarks.projection import (
    EXTRACTION_RUNTIME,
    SHARDS,
    TABLE_RUNTIME,
    PerSegment,
    costs,
    costs_table,
    limits,
    limits_table,
)
from benchmarks.scale import Case, Point, cases, constants, page
from tests.conftest import ROOT

BERT = PerSegment(
    encoder="bert",
    extraction={"attention": 0.1, "all": 0.2},
    tables={"positions": 0.01, "head_distances": 0.36},
    bytes={"attention": 4e6, "all": 5e6},
    gpu=0.0036,
    gpu_was_measured=False,
)


def test_costs_are_those_of_four_passes_three_stores_and_all_tables():
    found = costs(BERT, 10_000)
    assert found.cpu_hours == pytest.approx(10_000 * (2 * 0.1 + 2 * 0.2 + 0.37) / 3600)
    assert found.gpu_hours == pytest.approx(0.04)
    assert found.longest_job_hours == pytest.approx(1 / SHARDS)
    assert found.kept_gigabytes == pytest.approx(130)
    assert found.needed_gigabytes == pytest.approx(10)  # four twentieths of the largest store


def test_what_breaks_first_comes_first():
    found = limits(BERT)
    at = [limit.segments for limit in found]
    assert at == sorted(at)
    assert at == pytest.approx([1e12 / 13e6, 200_000, 1_000_000, 1_440_000])
    assert "kept stores" in found[0].what
    slower = dataclasses.replace(BERT, tables={"head_distances": 3.6})
    assert "head_distances" in limits(slower)[0].what


def test_the_runtimes_are_those_of_the_rules():
    rules = ROOT / "workflow" / "rules"
    for file, beginning, runtime in (
        ("attention.smk", "rule extract_attention:", EXTRACTION_RUNTIME),
        ("results.smk", "rule sum_up:", TABLE_RUNTIME),
    ):
        following = (rules / file).read_text(encoding="utf-8").partition(beginning)[2]
        assert int(re.search(r"runtime=\D*(\d+)", following)[1]) == runtime


def test_tables_name_what_is_computed_and_round_the_limits():
    table = costs_table([BERT, dataclasses.replace(BERT, gpu_was_measured=True)], [1000, 10_000_000])
    assert "| bert | 10,000,000 | 2,694 | 40 (computed) | 50 | 130,000 | 10,000 |" in table
    assert table.count("computed") == 2
    assert "| bert | 77,000 segments | kept stores" in limits_table([BERT])


def points():
    """As a run measures them, with made-up numbers in proportion to the work."""
    found = []
    for case in cases(long=False, gpu=False):
        work = case.segments * case.wordpieces / 100
        taken = dict.fromkeys(("bare", "attention", "all", *scale.TABLES), 0.01 * work)
        found.append(Point(case, taken, {"attention": 1e6, "all": 2e6}, 0.9))
    return found


def test_there_are_three_sizes_on_each_axis_and_ten_thousand_segments_in_the_long_run():
    for long in (False, True):
        for axis, encoder in (("segments", scale.EMBEDDED), ("segments", scale.BERT_BASE), ("length", scale.BERT_BASE)):
            of_axis = {case.x for case in cases(long, gpu=False) if (case.axis, case.encoder) == (axis, encoder)}
            assert len(of_axis) == 3
        assert len({case.x for case in cases(long, gpu=False) if case.axis == "heads"}) == 3
    assert max(case.segments for case in cases(long=True, gpu=True)) == 10_000


def test_the_page_is_computed_from_the_points(tmp_path):
    text = page(points())
    assert "16 times the segments" in text
    assert "1.00 times the peak memory (0.90 and 0.90 GB)" in text
    for size in scale.SIZES:
        assert f"| {size:,} |" in text
    assert "GPU hours are computed" in text
    scale.draw(points(), tmp_path / "scale.svg")
    assert (tmp_path / "scale.svg").stat().st_size > 1000


def test_constants_are_of_the_case_of_most_segments():
    some = points()
    most = max((one for one in some if one.case.encoder == scale.EMBEDDED), key=lambda one: one.case.segments)
    found = constants(some, scale.EMBEDDED)
    assert found.extraction["all"] == most.seconds["all"] / most.case.segments
    on_gpu = Point(Case("gpu", 500, scale.EMBEDDED, 500, device="cuda"), {"all": 5.0}, {}, 0.0)
    assert constants([*some, on_gpu], scale.EMBEDDED).gpu == 0.01


def test_points_are_written_and_read_again(tmp_path):
    stored = json.loads(json.dumps([dataclasses.asdict(point) for point in points()]))
    assert [Point(Case(**one.pop("case")), **one) for one in stored] == points()
