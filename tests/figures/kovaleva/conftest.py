"""What tests of these figures share."""

from __future__ import annotations

import pandas as pd
import pytest
from matplotlib.collections import QuadMesh


@pytest.fixture
def cells():
    """A function that returns the cells of a panel's heat map, a row for each row from the top."""

    def read(panel):
        (mesh,) = (part for part in panel.collections if isinstance(part, QuadMesh))
        assert panel.yaxis_inverted()
        return pd.DataFrame(mesh.get_array())

    return read


@pytest.fixture
def shades_of():
    """A function that returns the range of colours that the heat maps of some panels share."""

    def read(panels):
        (limits,) = {panel.collections[0].get_clim() for panel in panels}
        return limits

    return read
