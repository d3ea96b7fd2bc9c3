"""Kovaleva, Romanov, Rogers and Rumshisky 2019, "Revealing the Dark Secrets of BERT".

Most tables are made task by task, then joined: resources/<edition>/tasks/<task>/<table>.csv -> results/<edition>/tables/<table>.csv.
"""


rule kovaleva_finetuning_of_task:
    """Table of scores on one task: of the frozen encoder, with an untrained head, and fine-tuned (table 1)."""
    input:
        task=corpus("tasks/{task}"),
        tokenizer=model_file("tokenizer.json"),
        weights=model_file("model.safetensors"),
        fine_tuned=fine_tuned_models,
    output:
        task_table("kovaleva_finetuning"),
    log:
        log_file(f"{PER_MODEL}kovaleva_finetuning.{{task}}"),
    benchmark:
        benchmark_file(f"{PER_MODEL}kovaleva_finetuning.{{task}}")
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=4000,
        runtime=120,
        gpu=GPU,
    params:
        **code("kovaleva/kovaleva_finetuning.py"),
        seeds=SEEDS["pretrained"],
        max_wordpieces=config["corpora"]["task_examples"]["max_wordpieces"],
        segment_ids=segment_ids("kovaleva"),
        batch_size=config["fine_tuning"]["batch_size"],
        device=config["device"],
    script:
        "../scripts/kovaleva/kovaleva_finetuning.py"


use rule join_tables as kovaleva_finetuning with:
    """Table of scores on all tasks (table 1)."""
    input:
        every_task(task_table("kovaleva_finetuning")),
    pathvars:
        table="kovaleva_finetuning",


use rule print_table as kovaleva_table_1_finetuning with:
    """Table 1: scores on tasks, as printed."""
    input:
        kovaleva_finetuning=tables("kovaleva_finetuning"),
        claims=claims("kovaleva"),
    pathvars:
        printed_table="kovaleva_table_1_finetuning",
    params:
        **printed_by("paper.kovaleva_table_1_finetuning"),
        rows={"published": "table_1"},
rule kovaleva_frames:
    """Tables of attention between predicates and frame elements, and of their offsets (section 4.2)."""
    input:
        sentences=corpus("frames.jsonl"),
        tokenizer=model_file("tokenizer.json"),
        weights=model_file("model.safetensors"),
    output:
        table("kovaleva_frames"),
        table("kovaleva_frame_offsets"),
    log:
        log_file(f"{PER_MODEL}kovaleva_frames"),
    benchmark:
        benchmark_file(f"{PER_MODEL}kovaleva_frames")
    conda:
        "../../envs/attention.yaml"
    threads: 1  # few short sentences: the same tables, to the byte, on any number of cores
    resources:
        mem_mb=3000,
        runtime=60,
        gpu=GPU,
    params:
        **code("kovaleva/kovaleva_frames.py"),
        device=config["device"],
        batch_size=config["attention"]["batch_size"],
        seed=config["seed"],
    script:
        "../scripts/kovaleva/kovaleva_frames.py"


use rule print_table as kovaleva_table_frames with:
    """Section 4.2: the heads that link predicates and frame elements most, as printed."""
    input:
        kovaleva_frames=tables("kovaleva_frames"),
        kovaleva_frame_offsets=tables("kovaleva_frame_offsets"),
        claims=claims("kovaleva"),
    pathvars:
        printed_table="kovaleva_table_frames",
    params:
        **printed_by("paper.kovaleva_table_frames"),
        values={"published": "kovaleva_frames"},


use rule draw_figure as kovaleva_figure_3 with:
    """Fig. 3: attention between predicates and frame elements, by head."""
    input:
        kovaleva_frames=tables("kovaleva_frames"),
    pathvars:
        figure="kovaleva_figure_3_frames",
    params:
        **drawn_by("figures.kovaleva.kovaleva_figure_3_frames"),


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


TASK_STORE = task_store("{weights}")


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
