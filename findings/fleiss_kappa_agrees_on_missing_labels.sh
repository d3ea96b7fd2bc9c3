#!/usr/bin/env bash
# Annotators agree more in statsmodels' Fleiss' kappa if there are maps that none of them has labeled.
#
# Version:   statsmodels 0.15.0, numpy 2.4.6; krippendorff 0.9.0 for comparison
# Behavior:  aggregate_raters() makes NaN a category of its own, beside 0 and 1, without a warning. A map without labels then is a map
#            on which all annotators agree. Krippendorff's alpha, of another package, leaves such maps out.
# Seen:      two annotators whose labels of 20 maps agree as by chance: kappa 0.00. With 20 more maps without labels: .60. Alpha is
#            .025 both times.
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
        statsmodels==0.15.0 numpy==2.4.6 krippendorff==0.9.0
} || exit 2
cd "$folder"
venv/bin/python -W error - <<'PYTHON'
import sys

import krippendorff
import numpy as np
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa


def agreement(labels):
    """Return Fleiss' kappa and Krippendorff's alpha of labels [map, annotator]."""
    counts, _ = aggregate_raters(labels)
    alpha = krippendorff.alpha(labels.T, level_of_measurement="nominal")
    return round(float(fleiss_kappa(counts)), 3), round(float(alpha), 3)


labeled = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5, dtype=float)
with_missing = np.vstack([labeled, np.full((20, 2), np.nan)])
before, after = agreement(labeled), agreement(with_missing)
print(f"kappa and alpha of 20 maps: {before}; with 20 more that nobody has labeled: {after}")
sys.exit(0 if (before, after) == ((0.0, 0.025), (0.6, 0.025)) else 1)
PYTHON
