"""Styles that users set: in a matplotlibrc, by matplotlib.style.use or by seaborn.set_theme."""

from matplotlib import cycler

_WHITE_ON_BLACK = {
    **dict.fromkeys(("figure.facecolor", "axes.facecolor"), "black"),
    **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.color", "ytick.color"), "white"),
}
USERS_STYLES = [
    _WHITE_ON_BLACK | {"font.size": 17, "lines.linewidth": 4, "figure.autolayout": True, "savefig.bbox": "tight"},
    {"text.usetex": True, "image.cmap": "magma", "patch.force_edgecolor": True, "axes.prop_cycle": cycler(color="r")},
]
