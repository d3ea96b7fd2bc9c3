"""Kobayashi, Kuribayashi, Yokoi and Inui 2020, "Attention is Not Only a Weight" (EMNLP, arXiv 2004.10102)."""
