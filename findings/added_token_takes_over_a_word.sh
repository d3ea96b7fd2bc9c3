#!/usr/bin/env bash
# A new token for the country US takes over the pronoun "us" of an uncased BERT, and is displayed as "us".
#
# Version:   transformers 5.23.0, tokenizers 0.23.3
# Behavior:  add_tokens normalizes a new token as it does the text, so that an uncased tokenizer finds it in lower case. The ids of
#            earlier texts change, their tokens do not: the new id is written as "us", and "us" is converted to the old id. What
#            looks up the ids of displayed tokens gets another input than the model.
# Seen:      "he told us": ids 5 6 7; after add_tokens(["US"]): ids 5 6 8, tokens he told us, whose ids are 5 6 7
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check transformers==5.23.0 tokenizers==0.23.3
} || exit 2
cd "$folder"
venv/bin/python - <<'PYTHON'
import sys

from transformers import BertTokenizer

words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "he", "told", "us"]
tokenizer = BertTokenizer(vocab={word: number for number, word in enumerate(words)})
before = tokenizer("he told us", add_special_tokens=False).input_ids
tokenizer.add_tokens(["US"])
after = tokenizer("he told us", add_special_tokens=False).input_ids
displayed = tokenizer.convert_ids_to_tokens(after)
looked_up = tokenizer.convert_tokens_to_ids(displayed)
print(f"he told us: ids {before}; after adding US: ids {after}, tokens {displayed}, whose ids are {looked_up}")
sys.exit(0 if (before, after, displayed, looked_up) == ([5, 6, 7], [5, 6, 8], ["he", "told", "us"], [5, 6, 7]) else 1)
PYTHON
