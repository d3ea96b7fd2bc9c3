"""Sums by block, jackknife intervals and held-out choices, which the analyses of all papers share."""
