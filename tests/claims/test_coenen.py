"""The claims of Coenen et al. 2019: all there, each answered by our table, and judged as they say."""

import itertools

import pytest

from bert_attention.coenen.column_values import DIRECTIONS, OPTIMIZERS
from tests.claims.claim_tables import board, rows
from tests.replicates import within


def probes(accuracy=0.85, gain=0.1):
    """Table ``coenen_probes``, with the same numbers in all rows."""
    tasks = (
        {"probe": ["binary"], "negatives": ["random", "same_distance"]},
        {"probe": ["relation"], "negatives": [None]},
    )
    systems = ({"features": [name], "optimizer": optimizers} for name, optimizers in OPTIMIZERS.items())
    cells = (task | {"direction": DIRECTIONS} | system for task, system in itertools.product(tasks, systems))
    table = rows(*cells, accuracy=accuracy, gain=gain, gain_over_form=0.0)
    return {"coenen_probes": within(table.assign(classes=30), accuracy=0.005, gain=0.01)}


def test_accuracy_is_compared_with_the_published_one():
    found = board("coenen", probes())
    assert found.loc["P01", "verdict"] == "reproduced"
    assert (found.loc["P01", "low"], found.loc["P01", "high"]) == pytest.approx((0.845, 0.855))
    assert found.loc["P02", "verdict"] == "not reproduced"
    assert found.loc["P02-classes", "verdict"] == "reproduced"


ONE_ENCODER = "the difference to random weights has an interval over texts alone"


def test_attention_has_to_tell_more_than_distance():
    assert board("coenen", probes(gain=-0.02)).loc["P01-gain", "condition"] == "not met"
    other = board("coenen", probes(), papers_corpora=[]).loc["P02-gain"]
    assert (other["verdict"], other["condition"], other["reason"]) == ("", "met", f"other treebank; {ONE_ENCODER}")
