"""Kovaleva, Romanov, Rogers and Rumshisky 2019, "Revealing the Dark Secrets of BERT".

Most tables are made task by task, then joined: resources/<edition>/tasks/<task>/<table>.csv -> results/<edition>/tables/<table>.csv.
"""


rule kovaleva:
    """All tables and figures of Kovaleva et al. 2019."""
    input:
        results_of("kovaleva"),
    localrule: True


# Five patterns of self-attention (section 4.1). The attention stores of all models on all tasks, before and after
# fine-tuning, by model, task and weights.
PATTERN_STORES = {
    f"{model}/{task}/{weights}": [
        shard.format(model=model, task=task, weights=weights) for shard in store("tasks/{task}/{weights}")
    ]
    for model in MODELS
    for task in TASKS
    for weights in ("pretrained", "finetuned")
}


rule pattern_maps:
    """Draw attention maps to be labelled by hand; no result needs them, since the project has its own."""
    input:
        **PATTERN_STORES,
    output:
        f"resources/{EDITION}/pattern_maps.parquet",
    log:
        log_file("pattern_maps"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        **code("kovaleva/pattern_maps.py"),
        per_head=6,
        seed=config["seed"],
    script:
        "../scripts/kovaleva/pattern_maps.py"


# The labelled maps come with the project; whoever labels them anew, or labels others, gives other files.
PATTERN_MAPS = project_file("annotations", "attention_patterns", "maps.parquet")
PATTERN_LABELS = [project_file("annotations", "attention_patterns", f"{name}_pass.csv") for name in ("first", "second")]


rule pattern_classifier:
    """Train the classifier of patterns on labelled maps, and score it and the rules against them."""
    input:
        maps=PATTERN_MAPS,
        labels=PATTERN_LABELS,
    output:
        weights=f"resources/{EDITION}/pattern_classifier.safetensors",
        tables=[
            table("kovaleva_pattern_classifier"),
            table("kovaleva_pattern_agreement"),
            table("kovaleva_pattern_predictions"),
            table("kovaleva_pattern_examples"),
        ],
    log:
        log_file("pattern_classifier"),
    benchmark:
        benchmark_file("pattern_classifier")
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        **code("kovaleva/pattern_classifier.py"),
        seed=config["seed"],
    script:
        "../scripts/kovaleva/pattern_classifier.py"


rule kovaleva_task_patterns:
    """Tables of the shares of patterns on one task, by classifier and by rules (figure 2)."""
    input:
        pretrained_sequences=store("tasks/{task}/pretrained"),
        finetuned_sequences=store("tasks/{task}/finetuned"),
        classifier=rules.pattern_classifier.output.weights,
        predictions=table("kovaleva_pattern_predictions"),
    output:
        task_table("kovaleva_patterns"),
        task_table("kovaleva_pattern_disagreement"),
    log:
        log_file(f"{PER_MODEL}kovaleva_patterns.{{task}}"),
    benchmark:
        benchmark_file(f"{PER_MODEL}kovaleva_patterns.{{task}}")
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=3000,
        runtime=60,
    params:
        **code("kovaleva/kovaleva_patterns.py"),
        examples=100,
        seed=config["seed"],
    script:
        "../scripts/kovaleva/kovaleva_patterns.py"


use rule join_tables as kovaleva_patterns with:
    """Table of the shares of patterns on all tasks."""
    input:
        every_task(task_table("kovaleva_patterns")),
    pathvars:
        table="kovaleva_patterns",


use rule join_tables as kovaleva_pattern_disagreement with:
    """Table of how classifier and rules label the maps of all tasks."""
    input:
        every_task(task_table("kovaleva_pattern_disagreement")),
    pathvars:
        table="kovaleva_pattern_disagreement",


use rule draw_edition_figure as kovaleva_figure_1_patterns with:
    """Figure 1: a map of each pattern."""
    input:
        kovaleva_pattern_examples=tables("kovaleva_pattern_examples"),
    pathvars:
        figure="kovaleva_figure_1_patterns",
    params:
        **drawn_by("figures.kovaleva.kovaleva_figure_1_patterns"),


use rule draw_figure as kovaleva_figure_2_patterns with:
    """Figure 2: shares of patterns by task."""
    input:
        kovaleva_patterns=tables("kovaleva_patterns"),
    pathvars:
        figure="kovaleva_figure_2_patterns",
    params:
        **drawn_by("figures.kovaleva.kovaleva_figure_2_patterns"),


use rule print_edition_table as kovaleva_table_patterns with:
    """Section 4.1: how well patterns are told apart, as printed."""
    input:
        kovaleva_pattern_classifier=tables("kovaleva_pattern_classifier"),
        kovaleva_pattern_agreement=tables("kovaleva_pattern_agreement"),
        claims=claims("kovaleva"),
    pathvars:
        printed_table="kovaleva_table_patterns",
    params:
        **printed_by("paper.kovaleva_table_patterns"),
        values={"published": "kovaleva_pattern_classifier"},


use rule print_table as kovaleva_table_pattern_shares with:
    """Figure 2 as numbers."""
    input:
        kovaleva_patterns=tables("kovaleva_patterns"),
        claims=claims("kovaleva"),
    pathvars:
        printed_table="kovaleva_table_pattern_shares",
    params:
        **printed_by("paper.kovaleva_table_pattern_shares"),
        rows={"figure_2": "figure_2"},
