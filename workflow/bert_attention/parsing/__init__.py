"""Stanza: parsing text, and training a small pipeline."""
