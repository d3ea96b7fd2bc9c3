#!/usr/bin/env bash
# pandas writes the token "007" as 7 and "1e3" as 1000 into a Markdown table, unless the table has another token.
#
# Version:   pandas 3.1.1, tabulate 0.10.0
# Behavior:  to_markdown() hands texts to tabulate, which looks whether all cells of a column look like numbers and then formats
#            them as numbers. The type of the column, str, is not asked. One more row with a word leaves all tokens as they are.
# Seen:      007, 1e3, 1900 become 7, 1000, 1900; with "the" as a fourth token, 007 and 1e3 stay
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check pandas==3.1.1 tabulate==0.10.0 numpy==2.4.6
} || exit 2
cd "$folder"
venv/bin/python - <<'PYTHON'
import sys

import pandas as pd


def written(tokens):
    lines = pd.DataFrame({"token": tokens}, dtype="str").to_markdown(index=False).splitlines()[2:]
    return [line.strip("| ") for line in lines]


alone, with_a_word = written(["007", "1e3", "1900"]), written(["007", "1e3", "1900", "the"])
print(f"alone: {alone}; with a word: {with_a_word}")
sys.exit(0 if (alone, with_a_word) == (["7", "1000", "1900"], ["007", "1e3", "1900", "the"]) else 1)
PYTHON
