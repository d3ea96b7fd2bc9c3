#!/usr/bin/env bash
# SqueezeBERT returns scores as attentions.
#
# Version:   transformers 5.23.0, torch 2.13.0
# Behavior:  output_attentions=True returns the scores before the softmax. transformers documents weights after it.
# Seen:      smallest value below 0; a row of 6 tokens sums to about 0 instead of 1; no message
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
from transformers import SqueezeBertConfig, SqueezeBertModel

torch.manual_seed(1)
sizes = {"hidden_size": 32, "embedding_size": 32, "num_attention_heads": 4, "num_hidden_layers": 2, "intermediate_size": 64}
model = SqueezeBertModel(SqueezeBertConfig(vocab_size=60, **sizes)).eval()
with torch.no_grad():
    attention = model(torch.tensor([[2, 11, 12, 13, 14, 3]]), output_attentions=True).attentions[0]
rows = attention.sum(-1)
print(f"smallest value {attention.min():.3f}, rows sum to {rows.min():.3f} ... {rows.max():.3f}")
sys.exit(0 if attention.min() < 0 and rows.max() < 0.9 else 1)
PYTHON
