#!/usr/bin/env bash
# mlxtend finds a p-value of 1 if the first of two classifiers is far more accurate than the second.
#
# Version:   mlxtend 0.25.0
# Behavior:  proportion_difference returns the normal distribution function at z as the p-value, neither two-sided nor the tail of the
#            larger proportion. Equal accuracies have .5, and the order of the arguments decides which difference is significant. The
#            two-sided p-value of .53 against .50 of 1,000 examples each is .18.
# Seen:      .95 against .50 of 1,000 examples: p = 1.0; .50 against .95: p = 2e-150; .50 against .50: p = 0.5
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check mlxtend==0.25.0 numpy==2.4.6 scipy==1.17.1
} || exit 2
cd "$folder"
venv/bin/python - <<'PYTHON'
import sys

from mlxtend.evaluate import proportion_difference
from scipy.stats import norm

p_values = []
for first, second in ((0.95, 0.5), (0.5, 0.95), (0.5, 0.5), (0.53, 0.5)):
    z, p = proportion_difference(first, second, 1000)
    print(f"{first:.2f} against {second:.2f} of 1000 examples each: z = {z:.2f}, p = {p:.2g}; two-sided {2 * norm.sf(abs(z)):.2g}")
    p_values.append(float(p))
sys.exit(0 if p_values[0] == 1 and p_values[1] < 1e-100 and p_values[2] == 0.5 and 0.9 < p_values[3] < 0.92 else 1)
PYTHON
