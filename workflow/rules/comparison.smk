"""All models of an edition side by side, if it has several.

Tables:  results/<edition>/tables/comparison_headlines.csv
         results/<edition>/tables/comparison_table_headlines.{md,tex}         as printed
Figures: results/<edition>/figures/comparison_figure_headlines.{pdf,png}
"""


rule comparison_headlines:
    """Table of the headline numbers of all models, by relative depth where they have one."""
    input:
        clark_positions=tables("clark_positions"),
        clark_dependency_heads=tables("clark_dependency_heads"),
        clark_probes=tables("clark_probes"),
        kobayashi_categories=tables("kobayashi_categories"),
        kobayashi_correlation=tables("kobayashi_correlation"),
    output:
        table("comparison_headlines"),
    log:
        log_file("comparison_headlines"),
    localrule: True
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        **code("comparison/comparison_headlines.py"),
        models=list(MODELS),
    script:
        "../scripts/comparison/comparison_headlines.py"
