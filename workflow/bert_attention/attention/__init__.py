"""One forward pass over a corpus, the store that keeps it, and what is computed from it on the way."""
