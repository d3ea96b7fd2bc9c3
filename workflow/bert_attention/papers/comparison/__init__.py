"""Comparison of the models of an edition."""
