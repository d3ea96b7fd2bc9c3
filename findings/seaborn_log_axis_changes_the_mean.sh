#!/usr/bin/env bash
# seaborn draws another mean if the axis was logarithmic before the call than if it becomes so afterwards.
#
# Version:   seaborn 0.13.2, matplotlib 3.11.1
# Behavior:  barplot, pointplot and lineplot average logarithms if the axis they get is already logarithmic: the bar is the geometric
#            mean. With set_yscale("log") after the same call, it is the arithmetic mean. One weight that is exactly 0 makes the
#            geometric mean 0, and no bar is seen. histplot drops zeros on such an axis, and shares add up to 1 without them.
# Seen:      attention weights, half of them .01 and half 1: a bar of .10 or of .505. With half of the weights 0: the bar is 0.0
#            or .5, and a histogram of shares adds up to 1.0 without them.
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
        seaborn==0.13.2 matplotlib==3.11.1 pandas==3.1.1 numpy==2.4.6
} || exit 2
cd "$folder"
MPLBACKEND=Agg venv/bin/python -W ignore - <<'PYTHON'
import sys

import matplotlib.pyplot as plt
import seaborn as sns


def bars(weights):
    """Return the heights of the bar with a logarithmic axis from the start, and with one that is set afterwards."""
    heights = []
    for is_log_before in (True, False):
        figure, axes = plt.subplots()
        if is_log_before:
            axes.set_yscale("log")
        sns.barplot(x=["head"] * len(weights), y=weights, errorbar=None, ax=axes)
        axes.set_yscale("log")
        heights.append(round(float(axes.patches[0].get_height()), 3))
        plt.close(figure)
    return heights


positive, with_zeros = bars([0.01, 1.0] * 50), bars([0.0, 1.0] * 50)
print(f"bar before and after, weights .01 and 1: {positive}; weights 0 and 1: {with_zeros}")
drawn = sns.histplot(x=[0.0] * 50 + [0.1] * 25 + [1.0] * 25, log_scale=True, stat="probability", bins=4)
shares = sum(bar.get_height() for bar in drawn.patches)
print(f"shares of the weights, half of which are 0, on a logarithmic axis: {shares:.2f}")
sys.exit(0 if (positive, with_zeros, round(shares, 2)) == ([0.1, 0.505], [0.0, 0.5], 1.0) else 1)
PYTHON
