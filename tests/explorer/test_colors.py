"""Colors of heads can be distinguished from each other, also by color-blind readers, and from the background."""

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


def linear(colors):
    """Return linear red, green and blue of colors ``#rrggbb``: ``[color, 3]``."""
    shares = np.array([[int(color[start : start + 2], 16) / 255 for start in (1, 3, 5)] for color in colors])
    return np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_twelve_heads_differ_from_each_other_and_from_the_background(scheme):
    colors = re.findall("--heads: ([^;]*);", CSS)[scheme].split()
    assert len(colors) == 12
    for vision in VISIONS.values():
        seen = np.clip(linear(colors) @ np.transpose(vision), 0, 1)
        lab = np.cbrt(seen @ np.transpose(TO_CONES)) @ np.transpose(TO_LAB)
        assert min(np.linalg.norm(one - other) for one, other in combinations(lab, 2)) > 0.1  # white to black is 1
    background = re.findall("--paper: (#[0-9a-f]{6});", CSS)[scheme]
    luminances = linear([background, *colors]) @ [0.2126, 0.7152, 0.0722] + 0.05
    assert np.maximum(luminances[1:] / luminances[0], luminances[0] / luminances[1:]).min() > 2.5
