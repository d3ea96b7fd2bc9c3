"""Tables whose replicates have a known interval."""

from __future__ import annotations

import pandas as pd
from scipy.stats import t

from bert_attention.statistics.jackknife import Replicates


def within(table: pd.DataFrame, **margins: float | pd.Series) -> Replicates:
    """A table with 20 replicates in which the 95 % interval of each of some columns has this margin on either side.

    Leaving out a block adds the same to all rows, or takes it away: 19 times the variance of that is the jackknife's.
    """

    def without(block: int) -> pd.DataFrame:
        sign = 1 if block % 2 else -1
        changed = {name: table[name] + sign * margin / (t.ppf(0.975, 19) * 19**0.5) for name, margin in margins.items()}
        return table.assign(**changed)

    return Replicates(table, [without(block) for block in range(20)])
