#!/usr/bin/env bash
# spacy-alignments gives the end of a plural to [SEP] instead of its last wordpiece.
#
# Version:   spacy-alignments 0.9.3
# Behavior:  get_alignments() matches letters in lower case, and does not know which tokens are special. The "s" of "[SEP]" matches the
#            "s" of a word as well as the wordpiece "##s" does, and costs less, because "##" stands before the latter.
# Seen:      "Two dogs" and [CLS] two dog ##s [SEP]: "dogs" is tokens 2 and 4, "dog" and "[SEP]"; "##s" belongs to no word. Without
#            the last token, it is tokens 2 and 3. "The cats sleep" is right, because a letter of the same text follows.
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check spacy-alignments==0.9.3
} || exit 2
cd "$folder"
venv/bin/python - <<'PYTHON'
import sys

from spacy_alignments import get_alignments

wordpieces = ["[CLS]", "two", "dog", "##s", "[SEP]"]
whole, to_words = get_alignments(["Two", "dogs"], wordpieces)
without_sep, _ = get_alignments(["Two", "dogs"], wordpieces[:-1])
longer, _ = get_alignments(["The", "cats", "sleep"], ["[CLS]", "the", "cat", "##s", "sleep", "[SEP]"])
print(f"tokens of 'dogs': {whole[1]}, without [SEP]: {without_sep[1]}; words of '##s': {to_words[3]}; 'cats': {longer[1]}")
sys.exit(0 if (whole[1], without_sep[1], to_words[3], longer[1]) == ([2, 4], [2, 3], [], [2, 3]) else 1)
PYTHON
