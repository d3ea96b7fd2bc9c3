"""Kovaleva, Romanov, Rogers and Rumshisky 2019, "Revealing the Dark Secrets of BERT".

Most tables are made task by task, then joined: resources/<edition>/tasks/<task>/<table>.csv -> results/<edition>/tables/<table>.csv.
"""


rule kovaleva:
    """All tables and figures of Kovaleva et al. 2019."""
    input:
        results_of("kovaleva"),
    localrule: True


# Disabled heads and layers (section 4.6), and the heads that tasks share (section 5).
rule kovaleva_disabled_heads_of_task:
    """Tables of how well the fine-tuned model does on a task without each head, each layer and random sets of heads."""
    input:
        examples=model_corpus("tasks/{task}.jsonl"),
        tokenizer=model_file("tokenizer.json"),
        weights=finetuned_file("model.safetensors"),
    output:
        task_table("kovaleva_disabled_heads"),
        task_table("kovaleva_disabled_layers"),
        task_table("kovaleva_disabled_random"),
        task_table("kovaleva_disabled_gains"),
    log:
        log_file(f"{PER_MODEL}kovaleva_disabled_heads.{{task}}"),
    benchmark:
        benchmark_file(f"{PER_MODEL}kovaleva_disabled_heads.{{task}}")
    conda:
        "../../envs/attention.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=240,
        gpu=GPU,
    params:
        **code("kovaleva/kovaleva_disabled_heads.py"),
        device=config["device"],
        segment_ids=segment_ids("kovaleva"),
        seed=config["seed"],
    script:
        "../scripts/kovaleva/kovaleva_disabled_heads.py"


use rule join_tables as kovaleva_disabled_heads with:
    """Table of the fine-tuned model's performance without each head, for all tasks (figure 8)."""
    input:
        every_task(task_table("kovaleva_disabled_heads")),
    pathvars:
        table="kovaleva_disabled_heads",


use rule join_tables as kovaleva_disabled_layers with:
    """Table of the fine-tuned model's performance without each layer, for all tasks (figure 9)."""
    input:
        every_task(task_table("kovaleva_disabled_layers")),
    pathvars:
        table="kovaleva_disabled_layers",


use rule join_tables as kovaleva_disabled_random with:
    """Table of the same without random sets of heads, for all tasks."""
    input:
        every_task(task_table("kovaleva_disabled_random")),
    pathvars:
        table="kovaleva_disabled_random",


use rule join_tables as kovaleva_disabled_gains with:
    """Table of what disabling heads and layers gains, also on held-out data, for all tasks."""
    input:
        every_task(task_table("kovaleva_disabled_gains")),
    pathvars:
        table="kovaleva_disabled_gains",


use rule tabulate as kovaleva_shared_heads with:
    """Table of the heads without which the model does worst on two tasks (section 5)."""
    input:
        kovaleva_disabled_heads=table("kovaleva_disabled_heads"),
    pathvars:
        table="kovaleva_shared_heads",
    params:
        **tabulated_by("kovaleva.shared_heads.shared_heads"),
        arguments={"seed": config["seed"]},


use rule draw_figure as kovaleva_figure_8_disabled_heads with:
    """Figure 8: performance without each head."""
    input:
        kovaleva_disabled_heads=tables("kovaleva_disabled_heads"),
    pathvars:
        figure="kovaleva_figure_8_disabled_heads",
    params:
        **drawn_by("figures.kovaleva.kovaleva_figure_8_disabled_heads"),


use rule draw_figure as kovaleva_figure_9_disabled_layers with:
    """Figure 9: performance without each layer."""
    input:
        kovaleva_disabled_layers=tables("kovaleva_disabled_layers"),
        kovaleva_disabled_random=tables("kovaleva_disabled_random"),
        claims=published_curves("kovaleva"),
    pathvars:
        figure="kovaleva_figure_9_disabled_layers",
    params:
        **drawn_by("figures.kovaleva.kovaleva_figure_9_disabled_layers"),
