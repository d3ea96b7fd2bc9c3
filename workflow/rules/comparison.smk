"""All models of an edition side by side, if it has several."""

COMPARED = [
    "clark_positions",
    "clark_dependency_heads",
    "clark_probes",
    "kobayashi_categories",
    "kobayashi_correlation",
]


rule comparison_headlines:
    """Table of the headline numbers of all models, by relative depth where they have one."""
    input:
        **{name: tables(name) for name in COMPARED},
        replicates=[file for name in COMPARED for file in FILES.replicates(name)],
    output:
        table_files("comparison_headlines"),
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
