#!/usr/bin/env bash
# A Parquet filter "!=" drops missing values and "not in" keeps them.
#
# Version:   pandas 3.1.1, pyarrow 26.0.1
# Behavior:  read_parquet(filters=...) with ("tag", "!=", "NOUN") drops rows without a tag, ("tag", "not in", ["NOUN"])
#            keeps them. The same conditions on the loaded table both keep them.
# Seen:      rows left of VERB, NOUN and a missing tag: 1 with !=, 2 with not in, 2 in pandas for both
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check pandas==3.1.1 pyarrow==26.0.1 numpy==2.4.6
} || exit 2
cd "$folder"
venv/bin/python - <<'PYTHON'
import sys

import pandas as pd

pd.DataFrame({"tag": ["VERB", "NOUN", None]}).to_parquet("tags.parquet")
filters = {"!=": ("tag", "!=", "NOUN"), "not in": ("tag", "not in", ["NOUN"])}
read = {name: len(pd.read_parquet("tags.parquet", filters=[condition])) for name, condition in filters.items()}
table = pd.read_parquet("tags.parquet")
loaded = {"!=": int((table.tag != "NOUN").sum()), "not in": int((~table.tag.isin(["NOUN"])).sum())}
print("rows read with a filter:", read, "rows of the loaded table:", loaded)
sys.exit(0 if read == {"!=": 1, "not in": 2} and loaded == {"!=": 2, "not in": 2} else 1)
PYTHON
