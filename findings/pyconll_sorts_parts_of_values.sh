#!/usr/bin/env bash
# pyconll changes the order of what commas separate in the last column of a treebank.
#
# Version:   pyconll 3.3.1
# Behavior:  A value of MISC is read as a set, so that writing sorts its parts and drops repeated ones. Commas have no such meaning
#            in MISC: GUM has ranges of tokens there (Discourse=...-3-8,12-13-_), which end up before the name of the relation.
# Seen:      Gloss=this,and,this is written as Gloss=and,this
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check pyconll==3.3.1
} || exit 2
cd "$folder"
venv/bin/python - <<'PYTHON'
import sys

import pyconll

line = "1\tso\tso\tADV\t_\t_\t0\troot\t_\tGloss=this,and,this"
[sentence] = pyconll.load_from_string(f"# sent_id = 1\n# text = so\n{line}\n\n")
written = sentence.conll().splitlines()[-1].split("\t")[-1]
print("read:", line.split("\t")[-1], "written:", written)
sys.exit(0 if written == "Gloss=and,this" else 1)
PYTHON
