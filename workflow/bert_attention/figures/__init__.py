"""Figures: each function takes result tables and gives a matplotlib figure; nothing here reads results or models."""
