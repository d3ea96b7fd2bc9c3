"""The mixing ratios of Kobayashi et al. 2021 ("Incorporating Residual and Normalization Layers", EMNLP)."""

from __future__ import annotations

# In the order of the arrays. Each method compares the token itself (i = j) with all other tokens together.
MIXING_METHODS = (
    "attn_w",  # attention weights, averaged over heads
    "attn_n",  # norms of the transformed vectors that attention sums
    "attn_res_w",  # weights, with half of each layer given to the residual connection
    "attn_res_n",  # norms, with the token's own input added to its own vector
    "attn_res_ln_n",  # the same after the layer norm, made linear
)
