#!/usr/bin/env bash
# Two ways to ask for special tokens disagree on a [SEP] in the text.
#
# Version:   transformers 5.23.0, tokenizers 0.23.3
# Behavior:  return_special_tokens_mask=True marks the tokens that the tokenizer added. get_special_tokens_mask() marks each token
#            with a special id. A [SEP] that the text spells has the special id and is marked by the second one alone.
# Seen:      "a [SEP] b": [1, 0, 0, 0, 1] and [1, 0, 1, 0, 1] for the same five ids
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check transformers==5.23.0 tokenizers==0.23.3 numpy==2.4.6
} || exit 2
cd "$folder"
venv/bin/python - <<'PYTHON'
import sys

from transformers import BertTokenizer

words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b"]
tokenizer = BertTokenizer(vocab={word: index for index, word in enumerate(words)})
encoded = tokenizer("a [SEP] b", return_special_tokens_mask=True)
returned = encoded["special_tokens_mask"]
asked = tokenizer.get_special_tokens_mask(encoded["input_ids"], already_has_special_tokens=True)
print(tokenizer.convert_ids_to_tokens(encoded["input_ids"]), "returned:", returned, "asked:", asked)
sys.exit(0 if (returned, asked) == ([1, 0, 0, 0, 1], [1, 0, 1, 0, 1]) else 1)
PYTHON
