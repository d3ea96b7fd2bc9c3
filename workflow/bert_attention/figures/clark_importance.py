"""Figure 3 of Clark et al. 2019."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from bert_attention.figures import style

# Panel title, measure in the table, label of the y axis.
_PANELS = (
    ("(a) gradient of the loss by attention", "gradient", r"mean $|\partial L / \partial\alpha|$ (nats)"),
    (
        "(b) attention times gradient",
        "attention_times_gradient",
        r"mean $|\alpha\,\partial L / \partial\alpha|$ (nats)",
    ),
)
# Target in the table, label, colour, marker; as in figure 2.
_TARGETS = (
    ("other", "other tokens", style.GREY, "D"),
    ("cls", "[CLS]", style.BLUE, "o"),
    ("sep", "[SEP]", style.VERMILION, "s"),
    ("punctuation", ". and ,", style.GREEN, "^"),
)


def figure_3(clark_importance: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Figure 3: how much the masked-language-model loss hangs on each head's attention to token types, by layer.

    A head on which nothing hangs (0) has no place on the logarithmic axes and is left out. ``published`` is not drawn:
    of the paper's curves only the shape is known.
    """
    drawable = clark_importance[clark_importance["value"] > 0]
    with style.house_style():
        figure, axes = style.panels(len(_PANELS), panel_height=1.9)
        for panel, (title, measure, label) in zip(axes, _PANELS, strict=True):
            of_measure = drawable[drawable["measure"] == measure]
            for target, name, color, marker in _TARGETS:
                rows = of_measure[of_measure["target"] == target]
                if not rows.empty:
                    style.heads_by_layer(panel, rows, "value", color, marker, name)
            panel.set_yscale("log")  # types and layers differ by orders of magnitude
            panel.set_title(title)
            panel.set_ylabel(label)
        style.legend_above(axes[0])
        style.layer_axis(axes, int(clark_importance["layer"].max()))
        return figure
