"""Figures: one module per file, named as the file. Its function ``draw`` takes result tables and returns a figure."""
