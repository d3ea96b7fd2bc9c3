#!/usr/bin/env bash
# gensim's reader of Wikipedia drops what stands between "less than" and "greater than".
#
# Version:   gensim 4.4.0
# Behavior:  filter_wiki(), which all readers of dumps in gensim call, turns &lt; and &gt; into < and >, and then removes tags. The
#            words between two comparisons go with them. A line break (<br/>) is removed as well, and joins two words.
# Seen:      "if a &lt; b then b &gt; a" becomes "if a  a", and "one<br/>two" becomes "onetwo"
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check gensim==4.4.0
} || exit 2
cd "$folder"
venv/bin/python - <<'PYTHON'
import sys

from gensim.corpora.wikicorpus import filter_wiki

texts = ["if a &lt; b then b &gt; a", "one<br/>two"]
filtered = [filter_wiki(text) for text in texts]
print(dict(zip(texts, filtered)))
sys.exit(0 if filtered == ["if a  a", "onetwo"] else 1)
PYTHON
