#!/usr/bin/env bash
# seaborn's heatmap writes the numbers of one row into the cells of another, although both tables have labels.
#
# Version:   seaborn 0.13.2, pandas 3.1.1, matplotlib 3.11.1
# Behavior:  heatmap(data, annot=...) writes annotations where they stand, not where their labels are. If the second table was made by
#            another pivot or sort, each number is in a wrong cell, and nothing is said. A mask in this order is an error, so that
#            one expects labels to count.
# Seen:      a table whose rows are layers 2 and 1 beside data of layers 1 and 2: the cell of layer 1, head 1, with the color of
#            1.1, says 2.1. The mask is refused: "Mask must have the same index and columns as data."
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check seaborn==0.13.2 pandas==3.1.1 matplotlib==3.11.1
} || exit 2
cd "$folder"
MPLBACKEND=Agg venv/bin/python - <<'PYTHON'
import sys

import pandas as pd
import seaborn as sns

data = pd.DataFrame([[1.1, 1.2], [2.1, 2.2]], index=["layer 1", "layer 2"], columns=["head 1", "head 2"])
reordered = data.iloc[::-1]  # the same numbers under the same labels
axes = sns.heatmap(data, annot=reordered, fmt=".1f")
colors = axes.collections[0].get_array().ravel().tolist()
shown = [float(text.get_text()) for text in axes.texts]
try:
    sns.heatmap(data, mask=reordered > 2)
    refused = ""
except ValueError as error:
    refused = str(error)
print(f"colors: {colors}, numbers in these cells: {shown}; a mask in this order: {refused or 'is accepted'}")
sys.exit(0 if colors == [1.1, 1.2, 2.1, 2.2] and shown == [2.1, 2.2, 1.1, 1.2] and refused else 1)
PYTHON
