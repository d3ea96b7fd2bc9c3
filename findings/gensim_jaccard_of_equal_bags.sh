#!/usr/bin/env bash
# gensim puts a bag of words at a Jaccard distance of one half from itself.
#
# Version:   gensim 4.4.0
# Behavior:  For two bags of words, matutils.jaccard() divides the common weight by the sum of both bags, in which the common part counts
#            twice. For arrays, it compares the sets of their values, so that the order of the numbers does not matter.
# Seen:      a bag and itself: .5, as lists of words: 0.0; the arrays (.2, .8) and (.8, .2): 0.0. The documentation says that 0 is
#            the distance of most similar vectors, and that arrays are distributions.
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check gensim==4.4.0 scipy==1.17.1 numpy==2.4.6
} || exit 2
cd "$folder"
venv/bin/python - <<'PYTHON'
import sys

import numpy as np
from gensim.corpora import Dictionary
from gensim.matutils import jaccard

words = ["attention", "is", "not", "only", "a", "weight"]
bag = Dictionary([words]).doc2bow(words)
same_bag, same_words = jaccard(bag, bag), jaccard(words, words)
swapped = jaccard(np.array([0.2, 0.8]), np.array([0.8, 0.2]))
print(f"a bag and itself: {same_bag}, as lists of words: {same_words}, two distributions that differ: {swapped}")
sys.exit(0 if (same_bag, same_words, swapped) == (0.5, 0.0, 0.0) else 1)
PYTHON
