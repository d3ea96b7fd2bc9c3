"""Table 3 of Clark et al. 2019, as printed."""

import pandas as pd

from bert_attention.paper.clark_table_3_probes import format_table
from bert_attention.paper.layout import as_markdown
from tests.paper.printed import published_rows

OURS = pd.DataFrame(
    [
        ("right_branching", "described", 0.26, 0.25, 0.27, 900, None, None, None, None),
        ("distances_glove", "described", 0.5, 0.49, 0.51, 900, 0.6, -0.1, -0.12, -0.08),
        ("attention_glove", "described", 0.771, 0.76, 0.78, 900, 0.5, 0.271, 0.26, 0.28),
        ("attention_glove", "released", 0.7, 0.69, 0.71, 900, 0.4, 0.3, 0.29, 0.31),
    ],
    columns=[
        *("probe", "variant", "uas", "low", "high", "n", "control_uas"),
        *("selectivity", "selectivity_low", "selectivity_high"),
    ],
)


def test_scores_stand_beside_what_was_published():
    lines = as_markdown(format_table(OURS, published_rows("clark", "table_3"))).splitlines()
    assert "| structural probe (quoted, undirected) | — | — | — | — | 80 |" in lines
    assert "| right-branching | 26.0 (25.0–27.0) | — | — | — | 26 |" in lines
    assert "| distances + word vectors | 50.0 (49.0–51.0) | 60.0 | −10.0 (−12.0 to −8.0) | — | 58 |" in lines
    assert "| attention + word vectors | 77.1 (76.0–78.0) | 50.0 | 27.1 (26.0–28.0) | 70.0 (69.0–71.0) | 77 |" in lines
    assert "Words: 900." in "\n".join(lines)
