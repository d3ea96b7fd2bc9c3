#!/usr/bin/env bash
# One missing p-value makes all others missing in statsmodels' Benjamini-Hochberg, and counts as a test in Holm and Bonferroni.
#
# Version:   statsmodels 0.15.0; compared with pingouin 0.7.0
# Behavior:  A head without a word of some kind has no p-value. multipletests(method="fdr_bh") then returns nan for every test and
#            rejects nothing; "holm" and "bonferroni" keep the others, but multiply by the number of tests with the missing one.
#            pingouin's multicomp leaves missing values out of the count. Neither library says anything.
# Seen:      p = .01, .02, nan, .04. statsmodels: nan, nan, nan, nan (fdr_bh) and .04, .06, nan, .08 (holm);
#            pingouin: .03, .03, nan, .04 and .03, .04, nan, .04.
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
        statsmodels==0.15.0 pingouin==0.7.0 pandas==3.1.1 numpy==2.4.6 scipy==1.17.1
} || exit 2
cd "$folder"
venv/bin/python -W error::RuntimeWarning - <<'PYTHON'
import sys

import numpy as np
import pingouin
from statsmodels.stats.multitest import multipletests

p_values = [0.01, 0.02, np.nan, 0.04]
seen = {}
for method in ("fdr_bh", "holm"):
    seen["statsmodels", method] = multipletests(p_values, method=method)[1].round(2).tolist()
    seen["pingouin", method] = pingouin.multicomp(p_values, method=method)[1].round(2).tolist()
for (library, method), values in seen.items():
    print(f"{library} {method}: {values}")
same = np.isnan(seen["statsmodels", "fdr_bh"]).all()
same &= np.array_equal(seen["statsmodels", "holm"], [0.04, 0.06, np.nan, 0.08], equal_nan=True)
same &= np.array_equal(seen["pingouin", "holm"], [0.03, 0.04, np.nan, 0.04], equal_nan=True)
sys.exit(0 if same else 1)
PYTHON
