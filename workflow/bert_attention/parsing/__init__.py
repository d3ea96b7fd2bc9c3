"""Parsing text with Stanza or spaCy, and training a small Stanza pipeline."""
