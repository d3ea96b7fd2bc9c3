"""Two scoreboards, statement by statement."""

import pandas as pd

from benchmarks.two_runs import compare, page


def board(*directions, control="fails"):
    rows = [("real", "C01"), ("real", "C02"), ("generated", "D01"), ("generated", "D02")]
    named = [{"text": text, "id": id_, "model": "bert", "control": control} for text, id_ in rows]
    return pd.DataFrame(named).assign(direction=directions)


def test_what_moves_is_counted_by_how_far():
    both = compare(board("holds", "holds", "fails", None), board("holds", "fails", "undecided", "holds"))
    lines = page(both, "of another kind").splitlines()
    assert "| real | 2 | 1 | 0 | 1 | 0 |" in lines
    assert "| generated | 1 | 0 | 1 | 0 | 0 |" in lines
    assert lines[-1] == "The second run: of another kind. Moved: C02 (holds, fails), D01 (fails, undecided)."


def test_controls_that_move_are_counted():
    both = compare(board(*["holds"] * 4), board(*["holds"] * 4, control="holds"))
    assert "| real | 2 | 2 | 0 | 0 | 2 |" in page(both, "other").splitlines()
