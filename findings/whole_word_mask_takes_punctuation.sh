#!/usr/bin/env bash
# Masking of whole words masks a word with the comma after it.
#
# Version:   transformers 5.23.0, torch 2.13.0
# Behavior:  DataCollatorForLanguageModeling(whole_word_mask=True) takes tokens that touch in the text as one word. "sat," and
#            "mat." are words, though BERT's own pre-tokenizer cuts both before the punctuation.
# Seen:      in 200 draws, "sat" and "," are always masked together or not at all; so are "mat" and "."
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check torch==2.13.0 transformers==5.23.0 tokenizers==0.23.3 numpy==2.4.6
} || exit 2
cd "$folder"
venv/bin/python - <<'PYTHON'
import sys

from transformers import BertTokenizer, DataCollatorForLanguageModeling

words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "sat", ",", "then", "left", "mat", "."]
tokenizer = BertTokenizer(vocab={word: index for index, word in enumerate(words)})
text = tokenizer("the cat sat, then left the mat.", return_offsets_mapping=True)
tokens = tokenizer.convert_ids_to_tokens(text["input_ids"])
draws = []
for seed in range(200):
    collator = DataCollatorForLanguageModeling(tokenizer, whole_word_mask=True, mlm_probability=0.3, seed=seed)
    masked = collator([dict(text)])["labels"][0] != -100
    draws.append(tuple(masked[tokens.index(token)].item() for token in ("cat", "sat", ",", "mat", ".")))
print("word ids of the tokenizer:", text.word_ids())
print("masked together (cat sat , mat .):", sorted(set(draws)))
together = all(sat == comma and mat == stop for _, sat, comma, mat, stop in draws)
apart = any(cat != sat for cat, sat, *_ in draws) and any(sat for _, sat, *_ in draws)
sys.exit(0 if together and apart else 1)
PYTHON
