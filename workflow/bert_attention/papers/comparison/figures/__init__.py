"""Figures of all models of an edition side by side."""
