#!/usr/bin/env bash
# pandas finds a standard deviation of 9 instead of 1 in the same column once bottleneck is installed.
#
# Version:   pandas 3.1.1, bottleneck 1.6.0, numpy 2.4.6
# Behavior:  If bottleneck is installed, pandas hands var(), std() and sem() to it without a message. bottleneck adds up a
#            float32 column in single precision, value by value; pandas alone adds in double precision. The longer the
#            column, and the farther its mean is from 0, the wronger the deviation. mean() is not handed over.
# Seen:      a million float32 numbers with mean 1000 and deviation 1: std 1.0007 without bottleneck, 8.9564 with it;
#            the mean is 1000.0 in both
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
install() {
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check "$@" || exit 2
}
"${PYTHON:-python3}" -m venv "$folder/venv" || exit 2
install pandas==3.1.1 numpy==2.4.6
cd "$folder"
cat > deviation.py <<'PYTHON'
import numpy as np
import pandas as pd

norms = 1000 + np.random.default_rng(0).normal(size=1_000_000)
column = pd.Series(norms.astype(np.float32))
print(f"{column.std():.4f} {column.mean():.1f}")
PYTHON
alone=$(venv/bin/python deviation.py)
install bottleneck==1.6.0
beside=$(venv/bin/python deviation.py)
echo "standard deviation and mean: $alone; with bottleneck: $beside"
[ "$alone" = "1.0007 1000.0" ] && [ "${beside#* }" = "1000.0" ] && [ "${beside%% *}" != "${alone%% *}" ]
