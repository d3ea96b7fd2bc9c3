"""Corpora: one module per source, all read into the same few types."""
