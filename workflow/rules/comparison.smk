"""All models of an edition side by side, if it has several."""

# The tables that are compared: model and name, by the input that the script reads.
COMPARED = {
    f"{name}_of_{model}": (model, name)
    for model in MODELS
    for name in (
        "clark_positions",
        "clark_entropy",
        "clark_dependency_heads",
        "clark_probes",
        "kobayashi_categories",
        "kobayashi_correlation",
    )
}


rule comparison_headlines:
    """Table of the headline numbers of all models, by relative depth where they have one."""
    input:
        **{key: PLAN.replicates(name).format(model=model) for key, (model, name) in COMPARED.items()},
    output:
        table_files("comparison_headlines"),
    log:
        log_file("comparison_headlines"),
    localrule: True
    conda:
        "../../envs/figures.yaml"
    resources:
        submit_host=1,
        mem_mb=memory(1000),
        runtime=10,
    params:
        code=code("comparison/comparison_headlines.py"),
        models=list(MODELS),
        tables=COMPARED,
    script:
        "../scripts/comparison/comparison_headlines.py"
