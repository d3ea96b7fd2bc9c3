"""Figures and printed tables: result tables -> a function of the library -> files, the same way for all of them.

A rule names its tables as the function names its arguments. It makes the figure or table of every model of the edition,
so that it has no wildcard and is a target by name.
"""

drawn_by = partial(calls, script="figures/draw_figure.py")
printed_by = partial(calls, script="figures/print_table.py")


rule draw_figure:
    """(base of the rules that draw a figure)"""
    log:
        logged("draw_figure"),
    localrule: True
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    script:
        "../scripts/figures/draw_figure.py"


rule print_table:
    """(base of the rules that print a table of a paper)"""
    log:
        logged("print_table"),
    localrule: True
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    script:
        "../scripts/figures/print_table.py"
