#!/usr/bin/env bash
# YOSO returns vectors of tokens as attentions.
#
# Version:   transformers 5.23.0, torch 2.13.0
# Behavior:  output_attentions=True returns one tensor a layer, as for other encoders, but its axes are [batch, token, hidden size].
#            There is no map of tokens, and no axis of heads.
# Seen:      for 1 text of 9 tokens, 4 heads and 32 hidden units: (1, 9, 32) instead of (1, 4, 9, 9); no message
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

import torch
from transformers import YosoConfig, YosoModel

sizes = {"hidden_size": 32, "num_attention_heads": 4, "num_hidden_layers": 2, "intermediate_size": 64}
model = YosoModel(YosoConfig(vocab_size=60, **sizes)).eval()
with torch.no_grad():
    attentions = model(torch.arange(10, 19)[None], output_attentions=True).attentions
print("shapes of attentions:", [tuple(layer.shape) for layer in attentions])
sys.exit(0 if {tuple(layer.shape) for layer in attentions} == {(1, 9, 32)} else 1)
PYTHON
