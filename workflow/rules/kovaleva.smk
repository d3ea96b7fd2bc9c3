"""Kovaleva, Romanov, Rogers and Rumshisky 2019, "Revealing the Dark Secrets of BERT".

Most tables are made task by task, then joined: resources/<edition>/tasks/<task>/<table>.csv -> results/<edition>/tables/<table>.csv.
"""


rule kovaleva:
    """All tables and figures of Kovaleva et al. 2019."""
    input:
        results_of("kovaleva"),
    localrule: True


# Five patterns of self-attention (section 4.1).
def pattern_stores():
    """The attention stores of all models on all tasks, before and after fine-tuning, by model, task and weights."""
    sources = [(model, task, weights) for model in MODELS for task in TASKS for weights in ("pretrained", "finetuned")]
    return {
        "/".join(source): [shard.format(model=source[0], task=source[1], weights=source[2]) for shard in TASK_STORE]
        for source in sources
    }


TASK_STORE = store("tasks/{task}/{weights}")


rule pattern_maps:
    """Draw attention maps to be labelled by hand; no result needs them, since the project has its own."""
    input:
        **pattern_stores(),
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
