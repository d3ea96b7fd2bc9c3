"""Corpora: one module per source. All modules read into the same few types."""
