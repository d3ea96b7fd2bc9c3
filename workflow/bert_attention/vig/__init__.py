"""Analyses of Vig 2019, "A Multiscale Visualization of Attention in the Transformer Model" (arXiv 1906.05714)."""
