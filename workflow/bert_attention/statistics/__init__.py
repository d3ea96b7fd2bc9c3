"""Sums over units by block, jackknife intervals and held-out choices, shared by the analyses of all papers."""
