"""Figures and printed tables: result tables -> a function of the library -> files, the same way for all of them.

A rule names its tables as the function names its arguments. It makes the figure or the printed table of every model of
the edition: so it has no wildcard, and is a target by name.

Output: results/<edition>/README.md       what this folder holds
        results/<edition>/scoreboard.*    every claim of the papers, published beside replicated
        results/<edition>/explorer.html   a page on which to look at heads
        results/<edition>/paper.pdf       all of it as a paper
"""

from bert_attention.explorer.page import PARTS


rule draw_figure:
    """(base of the rules that draw a figure, one of each encoder)"""
    output:
        pdf=printed_or_drawn("<figure>", "pdf"),
        png=in_report(printed_or_drawn("<figure>", "png")),
    log:
        log_file("<figure>"),
    pathvars:
        figure="figure",
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=10,
    script:
        "../scripts/paper/draw_figure.py"


use rule draw_figure as draw_edition_figure with:
    """(base of the rules that draw a figure of which the edition has one)"""
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
        typ=printed_or_drawn("<printed_table>", "typ"),
    log:
        log_file("<printed_table>"),
    pathvars:
        printed_table="printed_table",
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=10,
    script:
        "../scripts/paper/print_table.py"


use rule print_table as print_edition_table with:
    """(base of the rules that print a table of which the edition has one)"""
    output:
        md=printed_or_drawn("<printed_table>", "md", per="edition"),
        tex=printed_or_drawn("<printed_table>", "tex", per="edition"),
        typ=printed_or_drawn("<printed_table>", "typ", per="edition"),
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
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        **code("paper/join_tables.py"),
    script:
        "../scripts/paper/join_tables.py"


rule scoreboard:
    """Every claim of the papers, published beside replicated, with a verdict by rule."""
    input:
        tables=[file for paper in PAPERS for file in results_of(paper) if file.endswith(".csv")],
        claims=[claims(paper) for paper in PAPERS],
    output:
        table=scoreboard_file("csv"),
        page=scoreboard_file("md"),
    log:
        log_file("scoreboard"),
    localrule: True
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        **code("paper/scoreboard.py"),
        edition=config,
        titles=PAPERS,
    script:
        "../scripts/paper/scoreboard.py"


use rule draw_edition_figure as scoreboard_figure with:
    """Every claim of the papers as a picture."""
    input:
        scoreboard=[scoreboard_file("csv")],
    log:
        log_file("scoreboard_figure"),
    pathvars:
        figure="scoreboard",
    params:
        **drawn_by("figures.scoreboard"),


rule results_guide:
    """A guide to the edition's results: the models and corpora, and what each file shows."""
    input:
        results=[
            *(file for group in RESULT_GROUPS for file in results_of(group)),
            *MLM_HEAD_TABLES,
            *of_every_model(f"{result_folder('model')}explorer.html"),
            *rules.scoreboard.output,
            *rules.scoreboard_figure.output,
            *of_every_model(f"{result_folder('model')}paper.pdf"),
        ],
        captions=project_file("report", "captions.yaml"),
        contracts=project_file("bert_attention", "tables.yaml"),
    output:
        f"results/{EDITION}/README.md",
    log:
        log_file("results_guide"),
    localrule: True
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=memory(500),
        runtime=10,
    params:
        **code("paper/results_guide.py"),
        edition=config,
    script:
        "../scripts/paper/results_guide.py"


rule explorer:
    """A page on which to look at a model's heads: the shortest texts of the store of running text, and what was found."""
    input:
        sequences=segments_for("kobayashi"),
        tokenizer=model_file("tokenizer.json"),
        weights=model_file("model.safetensors"),
        clark_dependency_heads=table("clark_dependency_heads"),
        clark_coreference=table("clark_coreference"),
        clark_positions=table("clark_positions"),
        clark_entropy=table("clark_entropy"),
        kobayashi_categories=table("kobayashi_categories"),
        vig_patterns=table("vig_patterns"),
        kovaleva_frames=table("kovaleva_frames"),
        kovaleva_disabled_heads=table("kovaleva_disabled_heads"),
        parts=[project_file("bert_attention", "explorer", part) for part in PARTS],
    output:
        f"{result_folder('model')}explorer.html",
    log:
        log_file(f"{PER_MODEL}explorer"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(3000),
        runtime=30,
    params:
        **code("paper/explorer.py"),
        about="The texts are the shortest of the segments of running text that the tables are about.",
    script:
        "../scripts/paper/explorer.py"


rule paper:
    """The paper of a model: its figures and printed tables, and prose with numbers from its tables."""
    input:
        tables=tables_in_paper,
        shown=shown_in_paper,
        scoreboard=[scoreboard_file("csv")],
        scoreboard_figure=[f"results/{EDITION}/figures/scoreboard.pdf"],
        weights=model_file("model.safetensors"),
        captions=project_file("report", "captions.yaml"),
        template=[project_file("report", name) for name in ("paper.typ", "paper_look.typ", "references.bib")],
        environments=sorted(os.path.relpath(path) for path in ROOT.glob("envs/*.yaml")),
    output:
        f"{result_folder('model')}paper.pdf",
    log:
        log_file(f"{PER_MODEL}paper"),
    localrule: True
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        **code("paper/paper.py"),
        edition=config,
        model=lambda wildcards: model_name(wildcards),
        papers=PAPERS,
        # The commit is looked up by the job, not given: a commit alone makes no new paper.
        project=os.path.relpath(ROOT),
    script:
        "../scripts/paper/paper.py"
