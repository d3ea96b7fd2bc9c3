#!/usr/bin/env bash
# editdistance finds no difference between the labels -1 and -2.
#
# Version:   editdistance 0.8.1, rapidfuzz 3.14.6
# Behavior:  It compares the hashes of the elements and not the elements. In CPython, -1 and -2 have the same hash, because
#            -1 means an error there. Sequences of numbers that mark padding or unknown words by -1 and -2 are taken as equal.
# Seen:      [7, -1, 9] and [7, -2, 9] are at a distance of 0, [7, 1, 9] and [7, 2, 9] at 1; rapidfuzz says 1 for both
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check editdistance==0.8.1 rapidfuzz==3.14.6
} || exit 2
cd "$folder"
venv/bin/python - <<'PYTHON'
import sys

import editdistance
from rapidfuzz.distance import Levenshtein

pairs = {"-1 and -2": ([7, -1, 9], [7, -2, 9]), "1 and 2": ([7, 1, 9], [7, 2, 9])}
found = {name: (editdistance.eval(*pair), Levenshtein.distance(*pair)) for name, pair in pairs.items()}
for name, (ours, theirs) in found.items():
    print(f"sequences that differ in {name}: editdistance {ours}, rapidfuzz {theirs}")
sys.exit(0 if found == {"-1 and -2": (0, 1), "1 and 2": (1, 1)} else 1)
PYTHON
