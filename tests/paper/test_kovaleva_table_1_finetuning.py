"""Table 1 of Kovaleva et al. 2019, as printed."""

import pandas as pd

from bert_attention.paper.kovaleva_table_1_finetuning import lay_out
from tests.paper.printed import published_rows, rows

COLUMNS = ["task", "initialisation", "seed", "metric", "value", "constant", "n"]


def printed(*found):
    table = pd.DataFrame(found, columns=COLUMNS)
    return lay_out(table, published_rows("kovaleva", "table_1"))


def test_means_over_seeds_stand_beside_published_numbers():
    table = printed(
        ("sst2", "pretrained_untrained_head", 1, "accuracy", 0.5, 0.58, 50),
        ("sst2", "pretrained_frozen", None, "accuracy", 0.7, 0.58, 50),
        ("sst2", "random", 1, "accuracy", 0.6, 0.58, 50),
        ("sst2", "pretrained", 1, "accuracy", 0.8, 0.58, 50),
        ("sst2", "pretrained", 2, "accuracy", 0.84, 0.58, 50),
        ("stsb", "pretrained_untrained_head", 1, "pearson", 0.1, 0, 200),
        ("stsb", "pretrained", 1, "pearson", 0.7, 0, 200),
        ("stsb", "pretrained", 1, "spearman", 0.6, 0, 200),
    )
    found = rows(table)
    assert found["SST-2, accuracy"] == ["58.0", "50.0", "70.0", "60.0", "82.0 (80.0–84.0)", "49.1", "80.5", "92.0"]
    assert found["STS-B, Pearson"] == ["0.0", "10.0", "—", "—", "70.0", "33.1", "2.9", "82.7"]
    assert found["STS-B, Spearman"][-3:] == ["—", "—", "—"]
    assert "Examples: SST-2 50, STS-B 200." in table.notes
    # (82 - 50 + 70 - 10) / 2; the paper says 35.9 of its seven tasks
    assert table.notes[-1] == "Mean gain of fine-tuning over the untrained head: 46.0 points; published: 35.9."
