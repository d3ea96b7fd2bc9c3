"""A table of attention to features, drawn at random."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
import pandas as pd

from bert_attention.kovaleva.column_values import FEATURES, MODELS, VARIANTS


def random_features(tasks: Iterable[str], layers: int | None, heads: int = 4) -> pd.DataFrame:
    """``kovaleva_features`` of some tasks; without ``layers``, ``kovaleva_cls``."""
    numbers = [range(1, (layers or 1) + 1), range(1, heads + 1)]
    rows = itertools.product(tasks, MODELS, FEATURES, VARIANTS, *numbers)
    table = pd.DataFrame(rows, columns=["task", "model", "feature", "variant", "layer", "head"])
    table = table.assign(attention=np.random.default_rng(0).uniform(0.1, 0.8, len(table)), n=7)
    return table if layers else table.drop(columns="layer")
