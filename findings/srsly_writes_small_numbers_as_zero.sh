#!/usr/bin/env bash
# srsly, which writes JSON for spaCy, writes a p-value of 1.2e-12 as 0.0.
#
# Version:   srsly 2.5.6
# Behavior:  json_dumps() and write_jsonl() keep nine digits after the point. Smaller numbers become 0.0, and others lose digits.
#            There is no message, and no argument for more digits.
# Seen:      {"p": 1.2e-12, "share": 0.12345678901234} is written as {"p":0.0,"share":0.123456789}
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check srsly==2.5.6
} || exit 2
cd "$folder"
venv/bin/python - <<'PYTHON'
import json
import sys

import srsly

numbers = {"p": 1.2e-12, "share": 0.12345678901234}
written = srsly.json_dumps(numbers)
srsly.write_jsonl("numbers.jsonl", [numbers])
[read] = srsly.read_jsonl("numbers.jsonl")
print("written by srsly:", written, "by json:", json.dumps(numbers), "read from a file:", read)
sys.exit(0 if json.loads(written) == {"p": 0.0, "share": 0.123456789} and read["p"] == 0 else 1)
PYTHON
