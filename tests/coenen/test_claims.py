"""The claims of Coenen et al. 2019: each claim is measured, and judged by its condition."""

import itertools

from bert_attention.papers.coenen.columns import DIRECTIONS, OPTIMIZERS
from tests.judging.claim_tables import board, rows
from tests.replicates import within


def probes(accuracy=0.85, gain=0.1):
    """Table ``coenen_probes``, with the same numbers in all rows."""
    tasks = ({"probe": ["binary"], "negatives": ["random"]}, {"probe": ["relation"], "negatives": [None]})
    systems = ({"features": [name], "optimizer": optimizers} for name, optimizers in OPTIMIZERS.items())
    cells = (task | {"direction": DIRECTIONS} | system for task, system in itertools.product(tasks, systems))
    table = rows(*cells, accuracy=accuracy, gain=gain, classes=30)
    return {"coenen_probes": within(table, accuracy=0.005, gain=0.01)}


def test_accuracy_is_compared_with_the_published_one():
    found = board("coenen", probes())
    verdicts = ["reproduced", "not reproduced", "reproduced"]
    assert (
        found.loc[
            ["accuracy_of_related_or_not", "accuracy_of_which_relation", "relations_with_enough_examples"], "verdict"
        ].tolist()
        == verdicts
    )


def test_attention_has_to_predict_better_than_distance():
    assert board("coenen", probes(gain=-0.02)).loc["gain_of_related_or_not", "condition"] == "not met"
    other = board("coenen", probes(), papers_corpora=[]).loc["gain_of_which_relation"]
    reason = "not the paper's treebank; the difference to random weights has an interval over texts alone"
    assert (other["verdict"], other["condition"], other["reason"]) == ("", "met", reason)
