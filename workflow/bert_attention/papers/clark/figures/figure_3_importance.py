"""Figure 3 of Clark et al. 2019: dependence of the loss on attention to each kind of token."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from bert_attention.figures import style

# Title of the panel, measure in the table, label of the y axis.
_PANELS = (
    ("(a) gradient of the loss with respect to attention", "gradient", r"mean $|\partial L / \partial\alpha|$ (nats)"),
    (
        "(b) attention times gradient",
        "attention_times_gradient",
        r"mean $|\alpha\,\partial L / \partial\alpha|$ (nats)",
    ),
)
_TARGETS = (style.OTHER_TOKENS, style.CLS, style.SEP, style.PUNCTUATION)
_SIDEWAYS = 0.2  # shift of the curves, in layers, because curves often coincide


def draw(clark_importance: pd.DataFrame) -> Figure:
    """Draw, by layer, how much the masked-language-model loss depends on each head's attention to token types.

    The y axes are logarithmic: heads with the value 0 have no point, but count in the means.
    """
    with style.house_style():
        figure, axes = style.panels(len(_PANELS), panel_height=1.9)
        for panel, (title, measure, y_label) in zip(axes, _PANELS, strict=True):
            measured = clark_importance[clark_importance["measure"] == measure]
            for number, (target, label, color, marker) in enumerate(_TARGETS):
                rows = measured[measured["target"] == target]
                shift = (number - (len(_TARGETS) - 1) / 2) * _SIDEWAYS
                if rows["value"].any():
                    spread = {"shift": shift, "width": 0.7 * _SIDEWAYS}
                    # Types and layers differ by orders of magnitude.
                    style.heads_by_layer(panel, rows, "value", color, marker, label, log=True, **spread)
            panel.set_title(title)
            panel.set_ylabel(y_label)
        style.legend_above(axes[0])
        style.layer_axis(axes, clark_importance)
        return figure
