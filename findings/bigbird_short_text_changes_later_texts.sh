#!/usr/bin/env bash
# BigBird computes a long text differently after it has seen a short one.
#
# Version:   transformers 5.23.0, torch 2.13.0
# Behavior:  a text that is too short for sparse attention sets the whole model to full attention, and the model stays so. The
#            vectors of a text depend on the texts before it. config.attention_type still says block_sparse.
# Seen:      block_sparse before, original_full after a text of 8 tokens; the same long text differs by about 0.01
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
from transformers import BigBirdConfig, BigBirdModel

torch.manual_seed(3)
sizes = {"hidden_size": 32, "num_attention_heads": 4, "num_hidden_layers": 2, "intermediate_size": 64}
model = BigBirdModel(BigBirdConfig(vocab_size=100, block_size=4, num_random_blocks=1, **sizes)).eval()
long_text, short_text = torch.randint(10, 90, (1, 256)), torch.randint(10, 90, (1, 8))
with torch.no_grad():
    first, again = model(long_text)[0], model(long_text)[0]
    before = model.attention_type
    model(short_text)
    after = model.attention_type
    later = model(long_text)[0]
difference = (first - later).abs().max().item()
print(f"{before} before, {after} after a short text; config says {model.config.attention_type}")
print(f"long text twice: {(first - again).abs().max():.4f} apart; after a short text: {difference:.4f} apart")
sys.exit(0 if torch.equal(first, again) and difference > 1e-3 and (before, after) == ("block_sparse", "original_full") else 1)
PYTHON
