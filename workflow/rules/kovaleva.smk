"""Kovaleva, Romanov, Rogers and Rumshisky 2019, "Revealing the Dark Secrets of BERT": what has a script of its own.

Most tables are made task by task (rules *_of_task) and then joined.
"""


# Fine-tuning (table 1).
rule kovaleva_finetuning_of_task:
    """Table of scores on one task: of the frozen encoder, with an untrained head, and fine-tuned (table 1)."""
    input:
        task=corpus("tasks/{task}"),
        tokenizer=tokenizer_files,
        weights=encoder_files,
        fine_tuned=fine_tuned_models,
    output:
        task_table_files("kovaleva_finetuning"),
    log:
        log_file(f"{PER_MODEL}kovaleva_finetuning.{{task}}"),
    benchmark:
        benchmark_file(f"{PER_MODEL}kovaleva_finetuning.{{task}}")
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(4000),
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


# Five patterns of self-attention (section 4.1). The labelled maps come with the project, unless the edition names others.
rule kovaleva_pattern_classifier:
    """Train the classifier of patterns on labelled maps, and score it and the rules against them."""
    input:
        maps=project_file(config["pattern_annotation"]["maps"]),
        labels=[project_file(path) for path in config["pattern_annotation"]["labels"]],
    output:
        weights=PATTERN_CLASSIFIER,
        tables=[file for name in RESULTS.made_by("kovaleva_pattern_classifier") for file in table_files(name)],
    log:
        log_file("kovaleva_pattern_classifier"),
    benchmark:
        benchmark_file("kovaleva_pattern_classifier")
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=20,
    params:
        **code("kovaleva/kovaleva_pattern_classifier.py"),
        seed=config["seed"],
    script:
        "../scripts/kovaleva/kovaleva_pattern_classifier.py"


# Predicates and frame elements (section 4.2).
rule kovaleva_frames:
    """Tables of attention between predicates and frame elements, of their offsets, and in an example (section 4.2)."""
    input:
        sentences=corpus("frames.jsonl"),
        tokenizer=tokenizer_files,
        weights=encoder_files,
    output:
        table_files("kovaleva_frames"),
        table_files("kovaleva_frame_offsets"),
        table("kovaleva_frame_example"),
    log:
        log_file(f"{PER_MODEL}kovaleva_frames"),
    benchmark:
        benchmark_file(f"{PER_MODEL}kovaleva_frames")
    conda:
        "../../envs/attention.yaml"
    threads: 1
    resources:
        mem_mb=memory(3000),
        runtime=per_encoder(60),
        gpu=GPU,
    params:
        **code("kovaleva/kovaleva_frames.py"),
        groups=control_groups,
        device=config["device"],
        batch_size=config["attention"]["batch_size"],
    script:
        "../scripts/kovaleva/kovaleva_frames.py"


use rule kovaleva_frames as control_kovaleva_frames with:
    """The same of random weights."""
    input:
        sentences=corpus("frames.jsonl"),
        tokenizer=tokenizer_files,
        weights=random_encoder_files(),
    output:
        table_files(control_of("kovaleva_frames")),
        table_files(control_of("kovaleva_frame_offsets")),
        table(control_of("kovaleva_frame_example")),
    log:
        log_file(f"{PER_MODEL}control_kovaleva_frames"),
    benchmark:
        benchmark_file(f"{PER_MODEL}control_kovaleva_frames")


# Change of attention by fine-tuning (section 4.3).
rule kovaleva_change_of_task:
    """Table of how much attention changes when an encoder is fine-tuned on a task (section 4.3)."""
    input:
        examples=model_corpus("tasks/{task}.jsonl"),
        tokenizer=tokenizer_files,
        pretrained=encoder_files,
        finetuned=two_fine_tuned_models,
    output:
        task_table_files("kovaleva_change"),
    log:
        log_file(f"{PER_MODEL}kovaleva_change.{{task}}"),
    benchmark:
        benchmark_file(f"{PER_MODEL}kovaleva_change.{{task}}")
    priority: 1  # it takes long
    conda:
        "../../envs/attention.yaml"
    threads: 1
    resources:
        mem_mb=memory(6000),
        runtime=240,
        gpu=GPU,
    params:
        **code("kovaleva/kovaleva_change.py"),
        device=config["device"],
        segment_ids=segment_ids("kovaleva"),
        batch_size=config["attention"]["batch_size"],
        padded_length=200,  # of the released code
        padded_examples=config["corpora"]["task_examples"]["padded"],
        seed=config["seed"],
    script:
        "../scripts/kovaleva/kovaleva_change.py"


# Disabled heads and layers (section 4.6).
rule kovaleva_disabled_heads_of_task:
    """Tables of how well the fine-tuned model does on a task without each head, each layer and random sets of heads."""
    input:
        task=corpus("tasks/{task}"),
        tokenizer=tokenizer_files,
        weights=[finetuned_file(file) for file in WEIGHTS],
    output:
        task_table_files("kovaleva_disabled_heads"),
        task_table_files("kovaleva_disabled_layers"),
        task_table_files("kovaleva_disabled_random"),
        task_table_files("kovaleva_disabled_gains"),
    log:
        log_file(f"{PER_MODEL}kovaleva_disabled_heads.{{task}}"),
    benchmark:
        benchmark_file(f"{PER_MODEL}kovaleva_disabled_heads.{{task}}")
    priority: 1  # it takes long
    conda:
        "../../envs/attention.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=240,
        gpu=GPU,
    params:
        **code("kovaleva/kovaleva_disabled_heads.py"),
        **corpus_settings("task_examples", "disabled", "max_wordpieces"),
        device=config["device"],
        segment_ids=segment_ids("kovaleva"),
        seed=config["seed"],
    script:
        "../scripts/kovaleva/kovaleva_disabled_heads.py"
