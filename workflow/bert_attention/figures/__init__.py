"""Figures: one module per figure, with the figure's name. The function ``draw`` takes result tables, returns a figure."""
