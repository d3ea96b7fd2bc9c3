"""Kovaleva, Romanov, Rogers and Rumshisky 2019, "Revealing the Dark Secrets of BERT"."""
