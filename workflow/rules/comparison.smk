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


use rule draw_edition_figure as comparison_figure_headlines with:
    """The headline numbers of all models, by relative depth where they have one."""
    input:
        comparison_headlines=tables("comparison_headlines"),
    pathvars:
        figure="comparison_figure_headlines",
    params:
        **drawn_by("figures.comparison.comparison_figure_headlines"),


use rule print_edition_table as comparison_table_headlines with:
    """The headline numbers of all models, as printed."""
    input:
        comparison_headlines=tables("comparison_headlines"),
    pathvars:
        printed_table="comparison_table_headlines",
    params:
        **printed_by("paper.comparison_table_headlines"),


rule comparison:
    """All models of the edition side by side."""
    input:
        results_of("comparison"),
    localrule: True
