"""Options for loading any model safely."""

from __future__ import annotations

import torch

# Eager attention, because other implementations do not return it; never a pickle, never code that comes with the model,
# never the network.
SAFE_LOADING = {
    "attn_implementation": "eager",
    "dtype": torch.float32,
    "use_safetensors": True,
    "local_files_only": True,
    "trust_remote_code": False,
}
