#!/usr/bin/env bash
# udapi writes an empty node as 3.0999999999999996 after a word was moved.
#
# Version:   udapi 0.5.2
# Behavior:  the number of an empty node is a float, and moving a word before it subtracts 1. 4.1 becomes 3.0999999999999996,
#            which is not valid CoNLL-U. Enhanced dependencies that were not read keep the old numbers.
# Seen:      the node 4.1 is written as 3.0999999999999996; its word's DEPS column still says 4:conj
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check udapi==0.5.2
} || exit 2
cd "$folder"
venv/bin/python - <<'PYTHON'
import sys

from udapi.core.document import Document

rows = [
    "1 Yesterday yesterday ADV _ _ 4 advmod 4:advmod _",
    "2 Ann Ann PROPN _ _ 4 nsubj 4:nsubj _",
    "3 just just ADV _ _ 4 advmod 4:advmod _",
    "4 sang sing VERB _ _ 0 root 0:root _",
    "4.1 sang sing VERB _ _ _ _ 4:conj _",
    "5 twice twice ADV _ _ 4 advmod 4:advmod _",
]
document = Document()
document.from_conllu_string("".join(row.replace(" ", "\t") + "\n" for row in rows) + "\n")
nodes = list(document.nodes)
nodes[0].shift_after_node(nodes[-1])
written = [line.split("\t") for line in document.to_conllu_string().splitlines() if line[:1].isdigit()]
numbers = {form: (number, deps) for number, form, *_, deps, _ in written if "." in number}
print("written:", [row[0] for row in written], "empty node:", numbers)
sys.exit(0 if numbers == {"sang": ("3.0999999999999996", "4:conj")} else 1)
PYTHON
