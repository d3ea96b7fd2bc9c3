"""Table 2 of Kobayashi et al. 2020, as printed."""

import pandas as pd

from bert_attention.paper.kobayashi_table_correlation import lay_out
from tests.paper.kobayashi_tables import published, rows

NAME = "kobayashi_correlation"


def test_kinds_of_tokens_stand_in_the_papers_order():
    table = pd.DataFrame(
        {
            "category": ["other", "punctuation", "sep", "cls"],
            "spearman": [0.031, float("nan"), -0.5, -0.25],
            "n": [4000, 0, 20, 10],
        }
    )
    printed = lay_out(table, published(NAME))
    assert rows(printed) == {
        "[CLS]": ["−0.25", "10", "−0.34†"],
        "[SEP]": ["−0.50", "20", "−0.69†"],
        ". and ,": ["—", "0", "−0.25†"],
        "other tokens": ["0.03", "4,000", "−0.06†"],
    }
    assert len(printed.header) == 4
