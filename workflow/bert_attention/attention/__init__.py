"""One forward pass over a corpus: attention maps and norms, and the store that keeps them."""
