"""Table 1 of Kovaleva et al. 2019, as printed."""

import numpy as np
import pandas as pd

from bert_attention.paper.kovaleva_table_1_finetuning import format_table
from tests.paper.printed import published_rows, rows

COLUMNS = [
    "task",
    "initialisation",
    "seeds",
    "metric",
    "value",
    "low",
    "high",
    "constant",
    "learned",
    "n",
    "bag_of_words",
    "overlap",
]


def printed(*found):
    table = pd.DataFrame(found, columns=COLUMNS)
    return format_table(table, published_rows("kovaleva", "table_1"))


def test_scores_stand_with_their_intervals_beside_published_numbers():
    table = printed(
        ("sst2", "pretrained_untrained_head", 2, "accuracy", 0.5, 0.4, 0.6, 0.58, False, 50, 0.61, np.nan),
        ("sst2", "pretrained_frozen", 0, "accuracy", 0.7, 0.6, 0.8, 0.58, True, 50, 0.61, np.nan),
        ("sst2", "random", 1, "accuracy", 0.6, 0.55, 0.65, 0.58, False, 50, 0.61, np.nan),
        ("sst2", "pretrained", 2, "accuracy", 0.82, 0.8, 0.84, 0.58, True, 50, 0.61, np.nan),
        ("mrpc", "pretrained", 2, "f1", 0.6, 0.5, 0.7, 0, True, 40, 0.5, 0.45),
        ("stsb", "pretrained_untrained_head", 2, "pearson", 0.1, -0.02, 0.22, 0, False, 200, 0.5, 0.45),
        ("stsb", "pretrained", 2, "pearson", 0.7, 0.65, 0.75, 0, True, 200, 0.5, 0.45),
        ("rte", "pretrained", 2, "f1", 0.6, 0.5, 0.7, 0, True, 40, 0.5, 0.45),
    )
    found = rows(table)
    ours = ["50.0 (40.0–60.0)°", "70.0 (60.0–80.0)", "60.0 (55.0–65.0)°", "82.0 (80.0–84.0)"]
    assert found["SST-2, accuracy"] == ["58.0", "61.0", "—", *ours, "49.1", "80.5", "92.0"]
    ours = ["10.0 (−2.0 to 22.0)°", "—", "—", "70.0 (65.0–75.0)"]
    assert found["STS-B, Pearson"] == ["0.0", "50.0", "45.0", *ours, "33.1", "2.9", "82.7"]
    assert found["RTE, F1"][-3:] == ["—", "—", "—"]
    assert "Examples: SST-2 50, MRPC 40, STS-B 200, RTE 40." in table.notes
    seeds = "Seeds: untrained head 2, from random 1, fine-tuned 2; the interval of a single one is of examples alone."
    assert seeds in table.notes
    # (82 - 50 + 70 - 10) / 2; the paper says 35.9 of its seven tasks
    assert table.notes[-1] == "Mean gain of fine-tuning over the untrained head: 46.0 points; published: 35.9."
