#!/usr/bin/env bash
# statsmodels' lowess gives a single observation, not a mean, where many points have the same x.
#
# Version:   statsmodels 0.15.0, seaborn 0.13.2
# Behavior:  lowess fits a line to the nearest share of points. If at least as many points have exactly the same x, as is usual for
#            distances between words, the distance to the farthest of them is 0, and the estimate is the value of one observation
#            instead of their mean. numpy warns of a division; the result has no missing value. seaborn's regplot(lowess=True),
#            which takes two thirds of the points, draws this as its curve.
# Seen:      6,000 words, 4,500 with their head at distance 1 and 1,500 at distance 2, of which a head finds half and a fifth:
#            lowess estimates 1.0 and 1.0 with a fifth of the points, 1.0 and 0.0 with two thirds, .50 and .18 with nine tenths.
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
        statsmodels==0.15.0 seaborn==0.13.2 pandas==3.1.1 numpy==2.4.6 scipy==1.17.1
} || exit 2
cd "$folder"
MPLBACKEND=Agg venv/bin/python -W ignore - <<'PYTHON'
import sys

import numpy as np
import seaborn as sns
import statsmodels.api as sm

distance = np.repeat([1, 2], [4500, 1500])
found = np.concatenate([np.arange(4500) % 2 == 0, np.arange(1500) % 5 == 0]).astype(float)


def estimates(share):
    curve = sm.nonparametric.lowess(found, distance, frac=share)
    return [round(float(curve[curve[:, 0] == each, 1].mean()), 2) for each in (1, 2)]


means = [float(found[distance == each].mean()) for each in (1, 2)]
seen = {share: estimates(share) for share in (0.2, 2 / 3, 0.9)}
drawn = sns.regplot(x=distance, y=found, lowess=True, scatter=False).lines[0].get_ydata()
print(f"means: {means}")
for share, values in seen.items():
    print(f"lowess, {share:.2f} of the points: {values}")
print(f"seaborn at distance 1: {drawn[0]:.2f}")
wrong = all(values[0] == 1 for values in (seen[0.2], seen[2 / 3], drawn))
sys.exit(0 if wrong and seen[0.9] == [0.5, 0.18] else 1)
PYTHON
