"""Figures and printed tables: result tables -> a function of the library -> files, the same way for all of them.

A rule names its tables as the function names its arguments. It makes the figure or the printed table of every model of
the edition: so it has no wildcard, and is a target by name.

Output: results/<edition>/README.md    what this folder holds
"""


rule draw_figure:
    """(base of the rules that draw a figure, one of each encoder)"""
    output:
        pdf=printed_or_drawn("<figure>", "pdf"),
        png=in_report(printed_or_drawn("<figure>", "png")),
    log:
        log_file("<figure>"),
    pathvars:
        figure="figure",
    localrule: True
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    script:
        "../scripts/paper/draw_figure.py"


use rule draw_figure as draw_edition_figure with:
    """(base of the rules that draw a figure that is not about an encoder)"""
    output:
        pdf=printed_or_drawn("<figure>", "pdf", per="edition"),
        png=in_report(printed_or_drawn("<figure>", "png", per="edition")),
    pathvars:
        figure="edition_figure",


rule print_table:
    """(base of the rules that print a table of a paper)"""
    output:
        md=printed_or_drawn("<printed_table>", "md"),
        tex=printed_or_drawn("<printed_table>", "tex"),
    log:
        log_file("<printed_table>"),
    pathvars:
        printed_table="printed_table",
    localrule: True
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    script:
        "../scripts/paper/print_table.py"


use rule print_table as print_edition_table with:
    """(base of the rules that print a table that is not about an encoder)"""
    output:
        md=printed_or_drawn("<printed_table>", "md", per="edition"),
        tex=printed_or_drawn("<printed_table>", "tex", per="edition"),
    pathvars:
        printed_table="printed_edition_table",


rule join_tables:
    """(base of the rules that join the tables of all tasks)"""
    output:
        f"{result_folder('model')}tables/<table>.csv",
    log:
        log_file(f"{PER_MODEL}<table>"),
    pathvars:
        table="joined",
    localrule: True
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        **code("paper/join_tables.py"),
    script:
        "../scripts/paper/join_tables.py"


rule results_guide:
    """A guide to the edition's results: the models and corpora, and what each file shows."""
    input:
        results=[
            *(file for paper in PAPERS for file in results_of(paper)),
            *collect(table("mlm_head"), model=FITTED_HEADS),
        ],
        captions=project_file("report", "captions.yaml"),
    output:
        f"results/{EDITION}/README.md",
    log:
        log_file("results_guide"),
    localrule: True
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=500,
        runtime=10,
    params:
        **code("paper/results_guide.py"),
        edition=config,
    script:
        "../scripts/paper/results_guide.py"
