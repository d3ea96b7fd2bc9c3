"""Sums over units by block, intervals by the jackknife, held-out choice: written once, used for every paper."""
