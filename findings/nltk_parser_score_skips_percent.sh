#!/usr/bin/env bash
# NLTK gives a parser the full score although it attached a word wrongly: the word is %.
#
# Version:   NLTK 3.10.4
# Behavior:  DependencyEvaluator leaves out punctuation. It goes by the characters of a word, not by its tag or relation, and
#            Unicode calls %, &, @, # and * punctuation ($, + and = are symbols). In treebanks these are words: % has the tag NN
#            and is often the object of a verb. Their heads and labels are not counted, nor that they were left out.
# Seen:      "Prices rose 5 %" with % under the wrong word and with a wrong relation: unlabeled 1.0, labeled 1.0; the same
#            parse with "percent" for %: .75 and .75
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

from nltk.parse import DependencyEvaluator, DependencyGraph


def parse(word, head, relation):
    rows = ["Prices NNS 2 nsubj", "rose VBD 0 ROOT", "5 CD 4 nummod", f"{word} NN {head} {relation}"]
    return DependencyGraph("\n".join(row.replace(" ", "\t") for row in rows))


def scores(word):
    return DependencyEvaluator([parse(word, 1, "nmod")], [parse(word, 2, "obj")]).eval()


symbol, spelled = scores("%"), scores("percent")
print(f"labeled and unlabeled score with %: {symbol}, with percent: {spelled}")
sys.exit(0 if (symbol, spelled) == ((1.0, 1.0), (0.75, 0.75)) else 1)
PYTHON
