"""Figure 1 of Kovaleva et al. 2019: five patterns of self-attention."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bert_attention.corpora.task_names import task_label
from bert_attention.corpora.types import PATTERN_LABELS
from bert_attention.figures import style
from bert_attention.heads import head_name


def draw(kovaleva_pattern_examples: pd.DataFrame) -> Figure:
    """Draw one attention map of each pattern, darker for more attention."""
    by_pattern = dict(list(kovaleva_pattern_examples.groupby("pattern")))
    shown = [pattern for pattern in PATTERN_LABELS if pattern in by_pattern]
    with style.house_style():
        figure = Figure(figsize=(style.TEXT_WIDTH, 1.75), layout="constrained")
        for panel, pattern in zip(figure.subplots(1, len(shown), squeeze=False)[0], shown, strict=True):
            _draw_map(panel, by_pattern[pattern])
            panel.set_title(PATTERN_LABELS[pattern], loc="center")
        return figure


def _draw_map(panel: Axes, cells: pd.DataFrame) -> None:
    """Draw a map from its cells, with [CLS] and [SEP] named on both axes."""
    weights = cells.pivot_table(index="query", columns="key", values="weight").to_numpy()
    first = cells.iloc[0]
    panel.imshow(
        weights, cmap="Blues", vmin=0, vmax=np.percentile(weights, 99), interpolation="nearest", aspect="equal"
    )
    last = len(weights) - 1
    names = {0: "[CLS]", int(first["separator"]): "[SEP]", last: "[SEP]"}
    panel.set_xticks(list(names), list(names.values()), rotation=90, fontsize=5.5)
    panel.set_yticks(list(names), list(names.values()), fontsize=5.5)
    panel.tick_params(length=1.5, pad=1.5)
    panel.spines[:].set_visible(True)
    panel.grid(visible=False)
    state = "fine-tuned" if first["weights"] == "finetuned" else "pre-trained"
    name = head_name(first["layer"], first["head"])
    task = task_label(first["task"])
    panel.set_xlabel(f"head {name}\n{task}, {state}", fontsize=6)
