#!/usr/bin/env bash
# pandas ranks infinity in a Series and drops it in a DataFrame.
#
# Version:   pandas 3.1.1, scipy 1.17.1
# Behavior:  DataFrame.corr takes infinity as missing, Series.corr and scipy give it the last rank. The same two columns have
#            two rank correlations (also Kendall's). A logarithm of 0 is enough.
# Seen:      Spearman -1.0 from the DataFrame, -0.8 from the Series and from scipy; no message
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check pandas==3.1.1 numpy==2.4.6 scipy==1.17.1
} || exit 2
cd "$folder"
venv/bin/python - <<'PYTHON'
import sys

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

with np.errstate(divide="ignore"):
    table = pd.DataFrame({"layer": [1, 2, 3, 4], "surprisal": -np.log([0.02, 0.0, 0.1, 0.2])})
whole = table.corr("spearman").loc["layer", "surprisal"]
single = table.layer.corr(table.surprisal, "spearman")
outside = spearmanr(table.layer, table.surprisal).statistic
print(f"DataFrame.corr {whole:.2f}, Series.corr {single:.2f}, scipy {outside:.2f}")
sys.exit(0 if abs(whole + 1) < 1e-9 and abs(single + 0.8) < 1e-9 and abs(outside + 0.8) < 1e-9 else 1)
PYTHON
