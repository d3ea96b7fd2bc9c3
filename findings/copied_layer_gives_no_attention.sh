#!/usr/bin/env bash
# A layer that was copied inside a model is missing from its attentions, so that later layers move up.
#
# Version:   transformers 5.23.0, torch 2.13.0
# Behavior:  Models are grown or changed by copying layers: model.encoder.layer[1] = copy.deepcopy(model.encoder.layer[0]). The copy
#            has its own copy of the configuration, which model.set_attn_implementation("eager") does not reach. It goes on with
#            sdpa, and output_attentions=True returns one tensor less, without an error: attentions[1] is of the third layer.
#            Loaded with attn_implementation="eager", the same model returns all three.
# Seen:      a BERT of 3 layers: 2 tensors instead of 3, of which the second is that of layer 3.
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check transformers==5.23.0 torch==2.13.0 numpy==2.4.6
} || exit 2
cd "$folder"
HF_HUB_OFFLINE=1 TRANSFORMERS_VERBOSITY=error venv/bin/python - <<'PYTHON'
import copy
import sys

import torch
from transformers import BertConfig, BertModel


def attentions(at_loading):
    """Run a random BERT whose second layer is a copy of its first; eager attention is set at loading or later."""
    torch.manual_seed(0)
    config = BertConfig(hidden_size=32, num_attention_heads=4, num_hidden_layers=3, intermediate_size=64, vocab_size=99)
    config._attn_implementation = at_loading
    model = BertModel(config).eval()
    model.encoder.layer[1] = copy.deepcopy(model.encoder.layer[0])
    model.set_attn_implementation("eager")
    with torch.no_grad():
        return model(torch.arange(12)[None], output_attentions=True).attentions


later, at_once = attentions("sdpa"), attentions("eager")
print(f"{len(at_once)} tensors if eager from the start, {len(later)} if set after the copy")
is_third = torch.allclose(later[1], at_once[2], atol=1e-5) and not torch.allclose(later[1], at_once[1], atol=1e-5)
print(f"the second of these is of layer 3: {is_third}")
sys.exit(0 if (len(at_once), len(later)) == (3, 2) and is_third else 1)
PYTHON
