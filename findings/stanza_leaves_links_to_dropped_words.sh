#!/usr/bin/env bash
# Stanza writes a treebank with links to words that it has left out.
#
# Version:   Stanza 1.15.0, torch 2.13.0
# Behavior:  CoNLL.conll2doc() leaves out empty nodes (5.1), which stand for omitted words in Universal Dependencies, but keeps the
#            enhanced dependencies on them. write_doc2conll() writes both, so that a valid file becomes an invalid one. Nothing is said.
#            With ignore_gapping=False, empty nodes are kept.
# Seen:      "Ann likes tea and Bob coffee": word 5.1 is gone, and words 4, 5 and 6 still depend on it.
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check stanza==1.15.0 torch==2.13.0
} || exit 2
cd "$folder"
venv/bin/python - <<'PYTHON'
import sys

from stanza.utils.conll import CoNLL

ROWS = [
    ("1", "Ann", "PROPN", "2", "nsubj", "2:nsubj"),
    ("2", "likes", "VERB", "0", "root", "0:root"),
    ("3", "tea", "NOUN", "2", "obj", "2:obj"),
    ("4", "and", "CCONJ", "5", "cc", "5.1:cc"),
    ("5", "Bob", "PROPN", "2", "conj", "5.1:nsubj"),
    ("5.1", "likes", "VERB", "_", "_", "2:conj:and"),
    ("6", "coffee", "NOUN", "5", "orphan", "5.1:obj"),
]
text = "".join("\t".join([n, form, "_", tag, "_", "_", head, rel, deps, "_"]) + "\n" for n, form, tag, head, rel, deps in ROWS)


def written(**options):
    CoNLL.write_doc2conll(CoNLL.conll2doc(input_str=text + "\n", **options), "written.conllu")
    with open("written.conllu", encoding="utf-8") as file:
        return [line.split("\t") for line in file if line[0].isdigit()]


rows, kept = written(), written(ignore_gapping=False)
links = [row[0] for row in rows if row[8].startswith("5.1:")]
print(f"words: {' '.join(row[0] for row in rows)}; words that depend on 5.1: {' '.join(links)}")
print(f"with ignore_gapping=False: {' '.join(row[0] for row in kept)}")
lost = "5.1" not in [row[0] for row in rows] and links == ["4", "5", "6"]
sys.exit(0 if lost and "5.1" in [row[0] for row in kept] else 1)
PYTHON
