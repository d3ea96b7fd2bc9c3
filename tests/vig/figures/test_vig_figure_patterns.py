"""The strongest pattern of each head."""

import numpy as np
import pandas as pd
from matplotlib.colors import to_rgb

from bert_attention.figures import style
from bert_attention.papers.vig.columns import FURTHER_PATTERNS, PATTERN_LABELS
from bert_attention.papers.vig.figures.figure_patterns import draw
from tests.figures.reading import entries


def table():
    """Return two layers of two heads: 1-1 next, 1-2 nothing, 2-1 delimiters and the same word, 2-2 a broad head."""
    heads = {(1, 1): {"next": 0.9}, (1, 2): {}, (2, 1): {"delimiter": 0.6, "identical": 0.3}, (2, 2): {}}
    rows = [
        {"layer": layer, "head": head, "pattern": pattern, "attention": shown.get(pattern, 0.02), "baseline": 0.01}
        for (layer, head), shown in heads.items()
        for pattern in (*PATTERN_LABELS, *FURTHER_PATTERNS)
    ]
    found = pd.DataFrame(rows)
    broad = (found["layer"] == 2) & (found["head"] == 2) & (found["pattern"] == "predictive")
    found.loc[broad, ["attention", "baseline"]] = 0.7
    found.loc[found["pattern"] == "delimiter_cls", "attention"] = 1.0  # not one of the six patterns
    return found


def letters(panel):
    return {(int(y), int(x)): text.get_text() for text in panel.texts for x, y in [text.get_position()]}


def test_each_cell_names_the_strongest_pattern_above_its_baseline():
    figure = draw(table().sample(frac=1, random_state=1))
    above, below, bar = figure.axes
    assert letters(above) == {(1, 1): "n", (2, 1): "d"}
    assert letters(below) == {(1, 1): "n", (2, 1): "s"}
    colors = above.images[0].get_array()
    strong, weak = 1 - colors[0, 0], 1 - colors[0, 1]
    assert np.allclose(strong, np.sqrt(0.89) * (1 - np.array(to_rgb(style.BLUE))))
    assert weak.max() < 0.15 < strong.max()
    assert [text[0] for text in entries(figure.legends[0])] == list("npsowd")
    delimiters = bar.collections[-1].to_rgba(0.59)[:3]
    assert np.allclose(delimiters, colors[1, 0], atol=0.01)
    unmeasured = table()
    unmeasured.loc[unmeasured["pattern"] == "predictive", ["attention", "baseline"]] = np.nan
    assert letters(draw(unmeasured).axes[0]) == {(1, 1): "n", (2, 1): "d"}
