import pandas as pd
import pytest

from benchmarks.rehearsal import forecast, verdicts


@pytest.mark.parametrize(("time", "minutes"), [("about 35 minutes on 2 cores", 35), ("about 1.5 hours on 2 cores", 90)])
def test_the_forecast_is_read_from_the_end_of_a_dry_run(time, minutes):
    printed = f"Jobs:    5\nTime:    about 3 hours of one core, or {time}\nDisk:    6.3 GB (35 GB free)\n"
    assert forecast(printed) == {"forecast_minutes": minutes, "forecast_gigabytes": 6.3}
    with pytest.raises(RuntimeError, match="gave no forecast"):
        forecast("Nothing to be done")


def test_numbers_and_findings_that_random_weights_get_are_named():
    board = pd.DataFrame(
        {
            "id": list("abcde"),
            "verdict": ["reproduced", "not reproduced", "also reproduced by random weights", "not comparable", None],
            "finding": ["not confirmed", None, None, "confirmed", "confirmed"],
            "counted": [True, False, False, True, False],
        }
    )
    found = verdicts(board)
    assert (found["reproduced"], found["also_random"], found["confirmed"]) == (["a"], ["c"], ["d"])
    assert sum(found["numbers"].values()) == 3
    assert found["findings"] == {"not confirmed": 1, "confirmed": 1}
