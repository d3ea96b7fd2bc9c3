#!/usr/bin/env bash
# scorch gives an answer that is equal to the key less than the full score.
#
# Version:   scorch 0.2.0
# Behavior:  MUC counts links. A document of mentions without any link has none, MUC is 0, and the CoNLL score, the mean with
#            B-cubed and CEAF, is 2/3 for the key itself. Scores per document cannot be averaged.
# Seen:      key against itself: MUC 0, B-cubed 1, CEAF 1, CoNLL 0.67
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check scorch==0.2.0 numpy==2.4.6 scipy==1.17.1
} || exit 2
cd "$folder"
venv/bin/python - <<'PYTHON'
import sys

from scorch import scores

key = [{"Ann"}, {"Bob"}]
muc, b_cubed, ceaf = (getattr(scores, name)(key, key)[2] for name in ("muc", "b_cubed", "ceaf_e"))
conll = scores.conll2012(key, key)
print(f"key against itself: MUC {muc:.2f}, B-cubed {b_cubed:.2f}, CEAF {ceaf:.2f}, CoNLL {conll:.2f}")
sys.exit(0 if (muc, b_cubed, ceaf) == (0, 1, 1) and abs(conll - 2 / 3) < 1e-9 else 1)
PYTHON
