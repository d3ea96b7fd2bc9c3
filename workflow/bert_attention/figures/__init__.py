"""Figures: one module per figure, with the figure's name. Its function ``draw`` takes tables and returns a figure."""
