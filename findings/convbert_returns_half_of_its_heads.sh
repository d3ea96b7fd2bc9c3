#!/usr/bin/env bash
# ConvBERT has half as many attention heads as its configuration says.
#
# Version:   transformers 5.23.0, torch 2.13.0
# Behavior:  num_attention_heads is divided by head_ratio (2), which convolutions replace. config.num_attention_heads keeps the
#            full number, so that a loop over the heads of the configuration ends beyond the last map.
# Seen:      config.num_attention_heads 12; maps of 6 heads
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
from transformers import ConvBertConfig, ConvBertModel

sizes = {"hidden_size": 48, "embedding_size": 48, "num_hidden_layers": 1, "intermediate_size": 64}
model = ConvBertModel(ConvBertConfig(vocab_size=60, num_attention_heads=12, **sizes)).eval()
with torch.no_grad():
    maps = model(torch.arange(10, 17)[None], output_attentions=True).attentions[0]
print(f"config.num_attention_heads {model.config.num_attention_heads}, heads with a map {maps.shape[1]}")
sys.exit(0 if (model.config.num_attention_heads, maps.shape[1]) == (12, 6) else 1)
PYTHON
