"""Attention analyses of BERT-like encoders: corpora, extraction, the papers' statistics, figures.

The library knows neither Snakemake nor where files lie; ``workflow/rules`` connects the two. Its floors stand in
``tests/test_layers.py``.
"""
