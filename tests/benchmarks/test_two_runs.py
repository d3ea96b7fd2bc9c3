"""Two scoreboards, statement by statement."""

import pandas as pd

from benchmarks.two_runs import compare, page


def board(*findings, control="not met"):
    rows = [("real", "C01"), ("real", "C02"), ("generated", "D01"), ("generated", "D02")]
    named = [{"text": text, "id": id_, "model": "bert", "control": control} for text, id_ in rows]
    return pd.DataFrame(named).assign(finding=findings)


def test_what_moves_is_counted_by_how_far():
    judged = ("confirmed", "not confirmed", "inconclusive", "confirmed")
    both = compare(board("confirmed", "confirmed", "not confirmed", None), board(*judged))
    lines = page(both, "of another kind").splitlines()
    assert "| real | 2 | 1 | 0 | 1 | 0 |" in lines
    assert "| generated | 1 | 0 | 1 | 0 | 0 |" in lines
    assert (
        lines[-1]
        == "The second run: of another kind. Moved: C02 (confirmed, not confirmed), D01 (not confirmed, inconclusive)."
    )


def test_controls_that_move_are_counted():
    both = compare(board(*["confirmed"] * 4), board(*["confirmed"] * 4, control="met"))
    assert "| real | 2 | 2 | 0 | 0 | 2 |" in page(both, "other").splitlines()
