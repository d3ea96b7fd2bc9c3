"""The colors of heads: they remain apart for those who do not see red or green, and from the paper."""

import re
from itertools import combinations

import numpy as np
import pytest

from bert_attention.explorer import page

CSS = (page._FOLDER / "page.css").read_text(encoding="utf-8")
# Machado, Oliveira and Fernandes 2009, severity 1: what is left of linear red, green and blue.
VISIONS = {
    "all receptors": np.eye(3),
    "no green": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "no red": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
}
# Björn Ottosson's OKLab: distances are as large as differences look.
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


def linear(colors):
    """Linear red, green and blue of ``#rrggbb`` each: ``[color, 3]``."""
    shares = np.array([[int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)] for color in colors])
    return np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)


def looks(colors, vision):
    seen = np.clip(linear(colors) @ VISIONS[vision].T, 0, 1)
    return np.cbrt(seen @ np.transpose(TO_CONES)) @ np.transpose(TO_LAB)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("vision", VISIONS)
def test_twelve_heads_remain_apart(scheme, vision):
    colors = re.findall("--heads: ([^;]*);", CSS)[scheme].split()
    assert len(colors) == 12
    seen = looks(colors, vision)
    nearest = min(combinations(range(12), 2), key=lambda pair: np.linalg.norm(seen[pair[0]] - seen[pair[1]]))
    distance = np.linalg.norm(seen[nearest[0]] - seen[nearest[1]])
    assert distance > 0.1, [colors[place] for place in nearest]  # white and black are 1 apart


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_heads_are_apart_from_the_paper(scheme):
    colors = re.findall("--heads: ([^;]*);", CSS)[scheme].split()
    paper = re.findall("--paper: (#[0-9a-f]{6});", CSS)[scheme]
    luminances = linear([paper, *colors]) @ [0.2126, 0.7152, 0.0722] + 0.05
    ratios = np.maximum(luminances[1:] / luminances[0], luminances[0] / luminances[1:])
    assert ratios.min() > 2.5, colors[ratios.argmin()]
