"""Readers, also color-blind readers, can tell the colors of heads from each other and from the background."""

import re
from itertools import combinations

import numpy as np
import pytest

from bert_attention.explorer import page

CSS = (page._FOLDER / "page.css").read_text(encoding="utf-8")
# Machado, Oliveira and Fernandes 2009, severity 1: matrices for linear red, green and blue.
VISIONS = {
    "normal": np.eye(3),
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
}
# Björn Ottosson's OKLab, in which distances are proportional to perceived differences.
TO_CONES = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
TO_LAB = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)
LUMINANCE = (0.2126, 0.7152, 0.0722)


def linear(colors):
    """Return linear red, green and blue of colors ``#rrggbb``: ``[color, 3]``."""
    shares = np.array([[int(color[start : start + 2], 16) / 255 for start in (1, 3, 5)] for color in colors])
    return np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)


def lab(colors, vision):
    """Return lightness and two hues of linear colors as a reader with some color vision sees them: ``[color, 3]``."""
    seen = np.clip(colors @ np.transpose(VISIONS[vision]), 0, 1)
    return np.cbrt(seen @ np.transpose(TO_CONES)) @ np.transpose(TO_LAB)


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_the_colors_of_twelve_heads_can_be_told_apart(scheme, vision):
    colors = re.findall("--heads: ([^;]*);", CSS)[scheme].split()
    assert len(colors) == 12
    least = 0.14 if vision == "normal" else 0.1  # black and white have the distance 1
    seen = lab(linear(colors), vision)
    assert min(np.linalg.norm(one - other) for one, other in combinations(seen, 2)) > least


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_no_head_looks_like_the_background_or_the_text(scheme):
    colors = linear(re.findall("--heads: ([^;]*);", CSS)[scheme].split())
    paper, ink = (linear(re.findall(f"--{name}: (#[0-9a-f]{{6}});", CSS))[scheme] for name in ("paper", "ink"))
    luminances = colors @ LUMINANCE + 0.05
    contrasts = luminances / (paper @ LUMINANCE + 0.05)
    assert np.maximum(contrasts, 1 / contrasts).min() > 2.99  # 3 is the least for graphics in WCAG 2
    distances = np.linalg.norm(lab(colors, "normal") - lab(ink[None], "normal"), axis=1)
    assert distances.min() > 0.15
