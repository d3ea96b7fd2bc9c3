#!/usr/bin/env bash
# datasets gives float64 columns in single precision in its numpy format, so that small p-values are 0.
#
# Version:   datasets 5.2.0, numpy 2.4.6
# Behavior:  A column of float64 is read as float32 with the format "numpy", and as float64 with the formats "pandas" and "arrow"
#            and without a format, although numpy has float64 and the column's stated type is float64. Nothing is said.
#            Whole numbers keep 64 bits.
# Seen:      a p-value of 1e-50 is 0.0, 1/3 differs from the eighth digit on, and 16777217.0 is 16777216.0.
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check datasets==5.2.0 numpy==2.4.6 pandas==3.1.1
} || exit 2
cd "$folder"
HF_HOME="$folder/cache" HF_HUB_OFFLINE=1 venv/bin/python - <<'PYTHON'
import sys

from datasets import Dataset

values = [1e-50, 1 / 3, 16777217.0]
table = Dataset.from_dict({"p": values})
in_numpy = table.with_format("numpy")[:]["p"]
in_pandas = table.with_format("pandas")[:]["p"]
print(f"stated type: {table.features['p'].dtype}")
print(f"numpy:       {in_numpy.dtype} {in_numpy.tolist()}")
print(f"pandas:      {in_pandas.dtype} {in_pandas.tolist()}")
kept = table[:]["p"] == values and in_pandas.tolist() == values
sys.exit(0 if kept and in_numpy.tolist()[0] == 0.0 and in_numpy.tolist()[2] == 16777216.0 else 1)
PYTHON
