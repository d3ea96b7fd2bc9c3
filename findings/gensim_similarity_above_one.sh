#!/usr/bin/env bash
# gensim finds similarities far above 1 after a vector was replaced.
#
# Version:   gensim 4.4.0
# Behavior:  most_similar() divides by lengths that it keeps from its first call. Replacing a vector, also by the documented
#            vectors[word] = ..., keeps the old length, while similarity() computes the new one.
# Seen:      most_similar("cat") gives dog 9.1, similarity("cat", "dog") gives 1.0; no message
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check gensim==4.4.0 numpy==2.4.6 scipy==1.17.1
} || exit 2
cd "$folder"
venv/bin/python - <<'PYTHON'
import sys

import numpy as np
from gensim.models import KeyedVectors

vectors = KeyedVectors(3)
vectors.add_vectors(["cat", "dog", "car"], np.eye(3, dtype=np.float32) + 0.1)
before = dict(vectors.most_similar("cat"))
vectors["dog"] = np.array([10, 1, 1], dtype=np.float32)
ranked, computed = dict(vectors.most_similar("cat"))["dog"], vectors.similarity("cat", "dog")
print(f"cat and dog: {before['dog']:.2f} at first; most_similar {ranked:.2f}, similarity {computed:.2f} after the replacement")
sys.exit(0 if ranked > 1.5 and abs(computed) <= 1.0001 else 1)
PYTHON
