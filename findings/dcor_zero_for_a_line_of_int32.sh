#!/usr/bin/env bash
# dcor finds a distance correlation of 0 between the positions and the ranks of words, if both are int32.
#
# Version:   dcor 0.7, numpy 2.4.6
# Behavior:  Arrays of whole numbers are summed in their own type. With int32, the sums of products overflow: the correlation is 0
#            for columns that are almost on a line (or, for other values, OverflowError is raised). With int64 or floats it is right.
#            dcor warns only that it uses a slower way. Ids and positions of tokens are often int32.
# Seen:      the positions of every other word of 2,000, and their ranks: 0.0 with int32, 1.0 with int64 and float64.
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check dcor==0.7 numpy==2.4.6
} || exit 2
cd "$folder"
venv/bin/python -W ignore - <<'PYTHON'
import sys

import dcor
import numpy as np

positions, ranks = np.arange(0, 2000, 2), np.arange(1000)
seen = {}
for kind in (np.int32, np.int64, np.float64):
    seen[kind.__name__] = float(dcor.distance_correlation(positions.astype(kind), ranks.astype(kind)))
print(seen)
sys.exit(0 if seen["int32"] < 0.01 and seen["int64"] > 0.999 and seen["float64"] > 0.999 else 1)
PYTHON
