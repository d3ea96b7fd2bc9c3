"""The costs and limits of large corpora follow from measured constants."""

import dataclasses
import json

import pytest

from benchmarks import scale
from benchmarks.projection import (
    SHARDS,
    PerSegment,
    costs,
    costs_table,
    limits,
    limits_table,
)
from benchmarks.scale import Case, Point, cases, page

BERT = PerSegment(
    encoder="bert",
    extraction={"attention": 0.1, "all": 0.2},
    tables={"positions": 0.01, "head_distances": 0.36},
    bytes={"attention": 4e6, "all": 5e6},
    gpu=0.0036,
    gpu_was_measured=False,
)


def test_costs_and_limits():
    found = costs(BERT, 10_000)
    assert found.cpu_hours == pytest.approx(10_000 * (2 * 0.1 + 2 * 0.2 + 0.37) / 3600)
    assert found.gpu_hours == pytest.approx(0.04)
    assert found.longest_job_hours == pytest.approx(1 / SHARDS)
    assert found.kept_gigabytes == pytest.approx(130)
    assert found.needed_gigabytes == pytest.approx(10)  # four twentieths of the largest store
    assert [limit.segments for limit in limits(BERT)] == pytest.approx([1e12 / 13e6, 200_000, 1_000_000, 1_440_000])
    table = costs_table([BERT, dataclasses.replace(BERT, gpu_was_measured=True)], [1000, 10_000_000])
    assert "| bert | 10,000,000 | 2,694 | 40 (computed) | 50 | 130,000 | 10,000 |" in table
    assert table.count("computed") == 2
    assert "| bert | 77,000 segments | kept stores" in limits_table([BERT])


def measured_points():
    """Return points with times in proportion to the work."""
    found = []
    for case in cases(long=False, gpu=False):
        work = case.segments * case.wordpieces / 100
        times = dict.fromkeys(("bare", "attention", "all", *scale.TABLES), 0.01 * work)
        found.append(Point(case, times, {"attention": 1e6, "all": 2e6}, 0.9))
    return found


def test_the_page_is_computed_from_the_points(tmp_path):
    stored = json.loads(json.dumps([dataclasses.asdict(point) for point in measured_points()]))
    points = [Point(Case(**point.pop("case")), **point) for point in stored]
    assert points == measured_points()
    text = page(points)
    assert "16 times the segments need 1.00 times the peak memory (0.90 and 0.90 GB)" in text
    assert all(f"| {size:,} |" in text for size in scale.SIZES)
    assert "GPU hours are computed" in text
    scale.draw(points, tmp_path / "scale.svg")
    assert (tmp_path / "scale.svg").stat().st_size > 1000
