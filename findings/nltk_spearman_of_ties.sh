#!/usr/bin/env bash
# NLTK finds a perfect rank correlation of scores that are all the same.
#
# Version:   NLTK 3.10.4; compared with SciPy 1.17.1
# Behavior:  ranks_from_scores() gives equal scores the lowest of their ranks, and spearman_correlation() uses the formula for ranks
#            without ties. With ties, the result is another number than Spearman's; for constant scores it is 1.
# Seen:      constant scores: 1.0 (not defined); 1 1 1 2 2 3 and 1 2 1 3 3 2: .743 (SciPy: .645)
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check nltk==3.10.4 scipy==1.17.1 numpy==2.4.6
} || exit 2
cd "$folder"
venv/bin/python - <<'PYTHON'
import sys

import scipy.stats
from nltk.metrics.spearman import ranks_from_scores, spearman_correlation


def of_nltk(first, second):
    ranks = []
    for scores in (first, second):
        ranking = sorted(enumerate(scores), key=lambda item: -item[1])
        ranks.append(dict(ranks_from_scores(ranking)))
    return spearman_correlation(*ranks)


first, second = [1, 1, 1, 2, 2, 3], [1, 2, 1, 3, 3, 2]
constant, tied = of_nltk([5, 5, 5, 5], [5, 5, 5, 5]), of_nltk(first, second)
expected = scipy.stats.spearmanr(first, second).statistic
print(f"constant scores: {constant}, scores with ties: {tied:.3f}, by SciPy: {expected:.3f}")
sys.exit(0 if constant == 1 and (round(tied, 3), round(expected, 3)) == (0.743, 0.645) else 1)
PYTHON
