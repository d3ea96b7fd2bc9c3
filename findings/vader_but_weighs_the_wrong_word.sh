#!/usr/bin/env bash
# VADER finds a sentence less positive because its last word is more positive.
#
# Version:   vaderSentiment 3.3.2
# Behavior:  Words before "but" count half, words after it one and a half times. To find the place of a word, the code looks for
#            the first word with the same score. If half the score of an earlier word is the score of a later one, the earlier
#            word is weakened twice, and the later one, which should be strengthened, stays as it is.
# Seen:      "The pictures are gorgeous, but the story is contented." .68, with calmer .50, with amusing .71, although the words
#            have the scores 1.4, 1.5 and 1.6 (gorgeous has 3.0). After "brilliant", 2.8: contented .48, calmer .69, amusing .70
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check vaderSentiment==3.3.2
} || exit 2
cd "$folder"
venv/bin/python - <<'PYTHON'
import sys

from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

analyzer = SentimentIntensityAnalyzer()
WORDS = ("contented", "calmer", "amusing")


def compounds(first):
    return [analyzer.polarity_scores(f"The pictures are {first}, but the story is {word}.")["compound"] for word in WORDS]


scores = [analyzer.lexicon[word] for word in WORDS]
gorgeous, brilliant = compounds("gorgeous"), compounds("brilliant")
print(f"{', '.join(WORDS)}: alone {scores}, after gorgeous {gorgeous}, after brilliant {brilliant}")
seen = gorgeous == [0.6808, 0.5023, 0.7096] and brilliant == [0.4767, 0.6858, 0.7003]
sys.exit(0 if scores == [1.4, 1.5, 1.6] and seen else 1)
PYTHON
