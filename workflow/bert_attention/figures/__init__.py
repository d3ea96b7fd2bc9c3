"""Figures: one module per figure file, with its name. Its function ``draw`` takes result tables and returns a figure."""
