"""Vig 2018 and 2019, "Deconstructing BERT", parts 1 and 2."""
