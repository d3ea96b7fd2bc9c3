"""How every model is loaded."""

from __future__ import annotations

import torch

# How every model is loaded: with attention, which other implementations do not return; never from a pickle, never
# running code that it brings, never from the network.
SAFE_LOADING = {
    "attn_implementation": "eager",
    "dtype": torch.float32,
    "use_safetensors": True,
    "local_files_only": True,
    "trust_remote_code": False,
}
