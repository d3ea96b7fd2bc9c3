"""Tables whose replicates have a known interval."""

from __future__ import annotations

import pandas as pd
from scipy.stats import t

from bert_attention.statistics.jackknife import Replicates


def within(table: pd.DataFrame, **margins: float | pd.Series) -> Replicates:
    """Return a table with 20 replicates whose 95% intervals of some columns have these margins on either side.

    Each replicate adds the same number to all rows, or subtracts it. The jackknife's variance is 19 times its variance.
    """

    def without(block: int) -> pd.DataFrame:
        sign = 1 if block % 2 else -1
        changed = {name: table[name] + sign * margin / (t.ppf(0.975, 19) * 19**0.5) for name, margin in margins.items()}
        return table.assign(**changed)

    return Replicates(table, [without(block) for block in range(20)])
