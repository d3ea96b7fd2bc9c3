#!/usr/bin/env bash
# NumPy finds that a thousand ones from a bfloat16 checkpoint have a mean of .26.
#
# Version:   safetensors 0.8.0, ml_dtypes 0.6.0, numpy 2.4.6
# Behavior:  safetensors.numpy gives tensors of type BF16 as arrays of ml_dtypes' bfloat16. NumPy adds such numbers one by one in
#            bfloat16, in which 256 + 1 is 256: mean(), std() and cumsum() are far off, without a warning. With float16, a mean is
#            added up in float32. A product of matrices, a @ a, is right for both.
# Seen:      1,000 ones: mean .256 and standard deviation .504; 1,000 times .1: mean .032. With float16: 1.0, 0.0 and .1.
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check safetensors==0.8.0 ml_dtypes==0.6.0 numpy==2.4.6
} || exit 2
cd "$folder"
venv/bin/python -W error - <<'PYTHON'
import sys

import ml_dtypes
import numpy as np
from safetensors.numpy import load_file, save_file


def read(dtype):
    """Return what NumPy says of two tensors of a checkpoint: mean and deviation of ones, and the mean of tenths."""
    save_file({"ones": np.ones(1000, dtype), "tenths": np.full(1000, 0.1, dtype)}, "weights.safetensors")
    weights = load_file("weights.safetensors")
    found = weights["ones"].mean(), weights["ones"].std(), weights["tenths"].mean(), weights["ones"] @ weights["ones"]
    return [round(float(number), 3) for number in found]


brain, half = read(ml_dtypes.bfloat16), read(np.float16)
print(f"mean and deviation of ones, mean of tenths, product of ones: bfloat16 {brain}, float16 {half}")
sys.exit(0 if brain == [0.256, 0.504, 0.032, 1000.0] and half == [1.0, 0.0, 0.1, 1000.0] else 1)
PYTHON
