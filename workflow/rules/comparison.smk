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


# The texts of each model, by corpus. Differences of models are paired if these are the same.
TEXTS = {
    "wikipedia": collect(model_corpus("segments.jsonl"), model=MODELS),
    "treebank": collect(model_corpus("treebank_{part}.conllu"), part=("train", "dev"), model=MODELS),
    "coreference": collect(model_corpus("coreference.conllu"), model=MODELS),
    "tasks": collect(model_corpus("tasks/{task}.jsonl"), task=TASKS, model=MODELS),
}
TEXTS = {name: files for name, files in TEXTS.items() if name in corpora_of(SETTINGS)}


rule comparison_differences:
    """Table of how much the models differ in each finding."""
    input:
        **TEXTS,
        tables=[file for name in OF_PAPERS for file in PLAN.model_paths(name, PLAN.replicates(name))],
        scoreboard=table("scoreboard"),
        claims=CLAIMS,
    output:
        table_files("comparison_differences"),
    log:
        log_file("comparison_differences"),
    localrule: True
    conda:
        "../../envs/figures.yaml"
    resources:
        submit_host=1,
        mem_mb=memory(1000),
        runtime=10,
    params:
        code=code("comparison/comparison_differences.py"),
        corpora=list(TEXTS),
        folder=f"results/{EDITION}",
        papers=[*PAPERS],
    script:
        "../scripts/comparison/comparison_differences.py"


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
