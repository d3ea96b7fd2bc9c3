"""Attention maps and norms from one forward pass over a corpus, and the store that keeps them."""
