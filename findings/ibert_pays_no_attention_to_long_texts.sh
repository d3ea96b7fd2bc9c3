#!/usr/bin/env bash
# I-BERT pays no attention at all in a text of 300 tokens, once it computes with integers as it is meant to.
#
# Version:   transformers 5.23.0, torch 2.13.0
# Behavior:  With quant_mode=True, the softmax rounds each weight down to a multiple of 1/256. Heads that attend broadly lose
#            what is rounded off, so their weights add up to less than 1. In a long text every weight is below the smallest
#            step: all maps are zeros, and layers get nothing from other tokens. No message, and no number is missing.
# Seen:      random weights, mean sum of a row of attention: 20 tokens .94, 130 tokens .51, 300 tokens 0; with floating-point
#            numbers 1 for all
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check torch==2.13.0 transformers==5.23.0 numpy==2.4.6
} || exit 2
cd "$folder"
venv/bin/python -W ignore - <<'PYTHON'
import sys

import torch
from transformers import IBertConfig, IBertModel

shape = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}


def mean_sum(tokens, quant_mode):
    torch.manual_seed(0)
    config = IBertConfig(vocab_size=1000, **shape, quant_mode=quant_mode, attn_implementation="eager")
    model = IBertModel(config).eval()
    with torch.no_grad():
        maps = model(torch.randint(5, 900, (1, tokens)), output_attentions=True).attentions
    return round(float(torch.stack(maps).sum(-1).mean()), 2)


found = {tokens: (mean_sum(tokens, quant_mode=True), mean_sum(tokens, quant_mode=False)) for tokens in (20, 130, 300)}
for tokens, (integers, floats) in found.items():
    print(f"{tokens} tokens: attention adds up to {integers} with integers, {floats} with floating-point numbers")
sys.exit(0 if found == {20: (0.94, 1.0), 130: (0.51, 1.0), 300: (0.0, 1.0)} else 1)
PYTHON
