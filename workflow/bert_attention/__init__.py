"""Attention analyses of BERT-like encoders: corpora, extraction, the papers' statistics, figures.

The library knows neither Snakemake nor where files lie; ``workflow/rules`` connects the two.
A module imports only from the floors below its own:

1. ``checks``, ``files``, ``heads``, ``categories``, ``moments``, ``tables``: formats and vocabulary, no torch;
2. ``corpora``: one module per source, all giving the same few types;
3. ``sources``, ``wordpieces``, ``encoders``: models and tokenizers;
4. ``store``, ``extraction``: one pass over a corpus into an attention store, and back;
5. ``clark`` and the other papers: arrays in, tidy tables out;
6. ``figures``: a tidy table in, a figure out;
7. ``configuration``, ``codebase``, ``jobs``, ``preflight``: what the workflow needs around them.
"""
