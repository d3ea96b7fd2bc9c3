"""Kobayashi, Kuribayashi, Yokoi and Inui 2020, "Attention is Not Only a Weight", and 2021, on residual connections."""
