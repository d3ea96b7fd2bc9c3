"""Vig 2019, "A Multiscale Visualization of Attention in the Transformer Model", and the articles before it."""


rule vig:
    """All tables and figures of Vig 2019."""
    input:
        results_of("vig"),
    localrule: True
