#!/usr/bin/env bash
# NLTK drops a phrase of the Penn Treebank when it undoes a binarization that had changed nothing.
#
# Version:   NLTK 3.10.4
# Behavior:  chomsky_normal_form() names its own nodes with a "|", and un_chomsky_normal_form() removes every node whose label
#            has one. The Penn Treebank itself has labels with "|", such as ADVP|PRT for a phrase that may be an adverb or a
#            particle. These phrases are gone after the round trip, and their words hang one level higher. A parser that is
#            trained on binary trees is then scored without them.
# Seen:      (VP (VBD gave) (ADVP|PRT (RP up))) comes back as (VP (VBD gave) (RP up)); with ADVP or PRT the tree is the same
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check nltk==3.10.4
} || exit 2
cd "$folder"
venv/bin/python - <<'PYTHON'
import sys

from nltk.tree import Tree

same = {}
for label in ("ADVP", "PRT", "ADVP|PRT"):
    tree = Tree.fromstring(f"(S (NP (PRP He)) (VP (VBD gave) ({label} (RP up))))")
    again = tree.copy(deep=True)
    again.chomsky_normal_form()
    is_binary = again == tree
    again.un_chomsky_normal_form()
    same[label] = again == tree
    print(f"{label}: binary before: {is_binary}; after the round trip: {again.pformat(margin=99)}")
sys.exit(0 if same == {"ADVP": True, "PRT": True, "ADVP|PRT": False} else 1)
PYTHON
