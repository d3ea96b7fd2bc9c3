#!/usr/bin/env bash
# lexicalrichness finds the least diversity in the text whose words all differ.
#
# Version:   lexicalrichness 0.5.1
# Behavior:  MTLD is the number of words divided by the number of times that the share of different words falls to .72. A text that
#            ends before counts as a part of such a time. If no word is repeated, this part is 0, and mtld() takes 1 instead, so
#            that the measure is the number of words. One repeated word makes it many times as large.
# Seen:      17 different words: 17.0; the same words and one of them again: 90.7; two of them again: 50.5
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check lexicalrichness==0.5.1
} || exit 2
cd "$folder"
venv/bin/python - <<'PYTHON'
import sys

from lexicalrichness import LexicalRichness

TEXT = "quick brown foxes jump over lazy dogs while seven small birds sing loudly near old stone bridges"
texts = [LexicalRichness(TEXT + again) for again in ("", " birds", " birds foxes")]
found = [round(text.mtld(), 1) for text in texts]
print(f"different words: {[text.terms for text in texts]} of {[text.words for text in texts]}, MTLD {found}")
sys.exit(0 if found[0] == 17 and found[1] > 5 * found[0] and found[2] > 2 * found[0] else 1)
PYTHON
