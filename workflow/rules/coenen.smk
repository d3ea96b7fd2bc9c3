"""Coenen, Reif, Yuan, Kim, Pearce, Viégas and Wattenberg 2019, "Visualizing and Measuring the Geometry of BERT"."""


rule coenen:
    """All tables and figures of Coenen et al. 2019."""
    input:
        results_of("coenen"),
    localrule: True
