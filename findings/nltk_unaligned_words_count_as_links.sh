#!/usr/bin/env bash
# NLTK's own aligner gets an alignment error rate above 0 for a right answer.
#
# Version:   NLTK 3.10.4
# Behavior:  the IBM models mark an unaligned word by a link to None. precision() and alignment_error_rate() count this link as
#            wrong; printing the alignment leaves it out, so both alignments look the same.
# Seen:      gold 1-0 2-1 and found 1-0 2-1: alignment error rate 0.2, precision 0.67
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

from nltk import precision
from nltk.translate import AlignedSent, Alignment, IBMModel1, alignment_error_rate

pairs = {
    "ja rotes haus": "red house",
    "ja rotes buch": "red book",
    "ja altes buch": "old book",
    "ja altes haus": "old house",
    "ja kleines haus": "small house",
}
sentences = [AlignedSent(german.split(), english.split()) for german, english in pairs.items()]
IBMModel1(sentences, 20)
found, gold = sentences[0].alignment, Alignment([(1, 0), (2, 1)])
rate = alignment_error_rate(gold, found)
print(f"gold {gold}, found {found}, links {sorted(found, key=str)}")
print(f"alignment error rate {rate:.2f}, precision {precision(gold, found):.2f}")
sys.exit(0 if str(found) == str(gold) and rate > 0.1 else 1)
PYTHON
