#!/usr/bin/env bash
# In torch, a vector is at a distance of 0 from itself among 25 vectors, and at .09 among 26.
#
# Version:   torch 2.13.0 (CPU); compared with SciPy 1.17.1
# Behavior:  From 26 rows on, cdist() computes distances from squared norms and products, and loses digits where the vectors
#            share a large part, as the hidden states of encoders do. Small distances are wrong then: those of a word to itself,
#            and those between near-equal words, of which some become 0. compute_mode="donot_use_mm_for_euclid_dist" avoids it.
# Seen:      384 dimensions around 5: largest distance to itself 0.0 for 25 rows, about .09 for 26; two vectors at a distance of
#            .02 (as SciPy finds) are at .02 among 25, and off by more than half of that among 26
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check torch==2.13.0 scipy==1.17.1 numpy==2.4.6
} || exit 2
cd "$folder"
venv/bin/python - <<'PYTHON'
import sys

import torch
from scipy.spatial.distance import cdist

states = torch.randn(26, 384, generator=torch.Generator().manual_seed(0)) + 5
states[1] = states[0] + 0.02 / 384**0.5
to_itself = [torch.cdist(some, some).diagonal().max().item() for some in (states[:25], states)]
between = [torch.cdist(some, some)[0, 1].item() for some in (states[:25], states)]
true = cdist(states.double(), states.double())[0, 1]
print(f"largest distance to itself: {to_itself[0]} of 25, {to_itself[1]:.3f} of 26")
print(f"between near vectors: {between[0]:.4f} of 25, {between[1]:.4f} of 26, SciPy {true:.4f}")
right_of_few = to_itself[0] == 0 and abs(between[0] - true) < 0.001
sys.exit(0 if right_of_few and to_itself[1] > 0.02 and abs(between[1] - true) > 0.01 else 1)
PYTHON
