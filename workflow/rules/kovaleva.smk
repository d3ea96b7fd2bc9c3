"""Kovaleva, Romanov, Rogers and Rumshisky 2019, "Revealing the Dark Secrets of BERT": analyses with scripts of their own.

Most tables are made task by task (rules *_of_task) and then joined.
"""

# How accurate the parser of the tasks is.
FURTHER_RESULTS["kovaleva"] += PARSER_ACCURACY

# Frames (section 4.2).
# The reader of the format of frames. The rule depends only on the code of the reader that its edition uses.
READER_OF_FRAMES = {
    "jsonl": "bert_attention.corpora.frames.read_framed",
    "framenet": "bert_attention.corpora.framenet.read_framenet",
}[SETTINGS["corpora"]["frames"]["format"]]


rule frames:
    """Read sentences with frames, and select them as Kovaleva et al. 2019 do."""
    input:
        source_files("corpora", "frames"),
    output:
        sentences=corpus("frames.jsonl"),
        summary=corpus("summaries/frames.jsonl"),
        counts=table("kovaleva_frame_selection"),
    log:
        log_file("frames"),
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=60,
    params:
        **named(**corpus_settings("frames", "selection", "sentences"), seed=SETTINGS["seed"]),
        **read_from("corpora", "frames"),
        function=READER_OF_FRAMES,
        code=code("kovaleva/frames.py", READER_OF_FRAMES),
        settings=(
            {"on_bad_input": SETTINGS["on_bad_input"]} if SETTINGS["corpora"]["frames"]["format"] == "jsonl" else {}
        ),
    script:
        "../scripts/kovaleva/frames.py"


# Fine-tuning (table 1).
rule kovaleva_finetuning_of_task:
    """Table of scores on one task: of the frozen encoder, with an untrained head, and fine-tuned (table 1)."""
    input:
        task=corpus("tasks/{task}"),
        tokenizer=TOKENIZER,
        weights=ENCODER,
        fine_tuned=fine_tuned_models,
    output:
        task_table_files("kovaleva_finetuning"),
    log:
        log_file("{model}/kovaleva_finetuning.{task}"),
    conda:
        "../../envs/attention.yaml"
    resources:
        **GPU,
        mem_mb=memory(4000),
        runtime=120,
    params:
        **named(
            max_wordpieces=SETTINGS["corpora"]["task_examples"]["max_wordpieces"],
            batch_size=SETTINGS["fine_tuning"]["batch_size"],
        ),
        code=code("kovaleva/kovaleva_finetuning.py"),
        seeds=SEEDS["pretrained"],
        segment_ids=segment_ids("kovaleva"),
        device=SETTINGS["device"],
    script:
        "../scripts/kovaleva/kovaleva_finetuning.py"


# Five patterns of self-attention (section 4.1). The labeled maps come with the project, unless the edition names others.
rule kovaleva_pattern_classifier:
    """Train the classifier of patterns on labeled maps, and score it and the rules against them."""
    input:
        maps=project_file(SETTINGS["pattern_annotation"]["maps"]),
        labels=[project_file(path) for path in SETTINGS["pattern_annotation"]["labels"]],
    output:
        weights=PATTERN_CLASSIFIER,
        tables=PLAN.outputs("kovaleva_pattern_classifier"),
    log:
        log_file("kovaleva_pattern_classifier"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=20,
    params:
        code=code("kovaleva/kovaleva_pattern_classifier.py"),
        order=SETTINGS["pattern_annotation"]["labels"],  # Snakemake does not see the order of inputs
        seed=SETTINGS["seed"],
    script:
        "../scripts/kovaleva/kovaleva_pattern_classifier.py"


# Predicates and frame elements (section 4.2).
rule tabulate_kovaleva_frames:
    """Tables of attention between predicates and frame elements, of their offsets, and in an example (section 4.2)."""
    input:
        sentences=corpus("frames.jsonl"),
        tokenizer=TOKENIZER,
        weights=ENCODER,
    output:
        with_control("kovaleva_frames", "kovaleva_frame_offsets", "kovaleva_frame_example"),
    log:
        log_file("{model}/{control}kovaleva_frames"),
    wildcard_constraints:
        control=control_pattern("kovaleva_frames"),
    conda:
        "../../envs/attention.yaml"
    resources:
        **GPU,
        mem_mb=memory(3000),
        runtime=per_encoder(60),
    params:
        code=code("kovaleva/kovaleva_frames.py"),
        seeds=random_seeds("kovaleva_frames"),
        device=SETTINGS["device"],
        batch_size=SETTINGS["attention"]["batch_size"],
    script:
        "../scripts/kovaleva/kovaleva_frames.py"


# Change of attention by fine-tuning (section 4.3).
rule kovaleva_change_of_task:
    """Table of the change of attention by fine-tuning on a task (section 4.3)."""
    input:
        examples=model_corpus("tasks/{task}.jsonl"),
        tokenizer=TOKENIZER,
        pretrained=ENCODER,
        finetuned=two_fine_tuned_models,
    output:
        task_table_files("kovaleva_change"),
    log:
        log_file("{model}/kovaleva_change.{task}"),
    priority: 1  # a slow job
    conda:
        "../../envs/attention.yaml"
    resources:
        **GPU,
        mem_mb=memory(6000),
        runtime=240,
    params:
        **named(
            batch_size=SETTINGS["attention"]["batch_size"],
            padded_length=200,  # as in the released code
            padded_examples=SETTINGS["corpora"]["task_examples"]["padded"],
            seed=SETTINGS["seed"],
        ),
        code=code("kovaleva/kovaleva_change.py"),
        device=SETTINGS["device"],
        segment_ids=segment_ids("kovaleva"),
        order=two_fine_tuned_models,  # Snakemake does not see the order of inputs
    script:
        "../scripts/kovaleva/kovaleva_change.py"


# Disabled heads and layers (section 4.6).
rule kovaleva_disabled_heads_of_task:
    """Tables of the fine-tuned model's scores on a task without each head, each layer and random sets of heads."""
    input:
        task=corpus("tasks/{task}"),
        tokenizer=TOKENIZER,
        weights=[finetuned_file(file) for file in WEIGHTS],
    output:
        task_table_files(
            "kovaleva_disabled_heads",
            "kovaleva_disabled_layers",
            "kovaleva_disabled_random",
            "kovaleva_disabled_gains",
        ),
    log:
        log_file("{model}/kovaleva_disabled_heads.{task}"),
    priority: 1  # a slow job
    conda:
        "../../envs/attention.yaml"
    resources:
        **GPU,
        mem_mb=memory(4000),
        runtime=240,
    params:
        **named(**corpus_settings("task_examples", "disabled", "max_wordpieces"), seed=SETTINGS["seed"]),
        code=code("kovaleva/kovaleva_disabled_heads.py"),
        device=SETTINGS["device"],
        segment_ids=segment_ids("kovaleva"),
    script:
        "../scripts/kovaleva/kovaleva_disabled_heads.py"


rule join_disabled_heads:
    """Join the four tables of disabled heads and layers from those of each task."""
    input:
        unpack(tables_of_tasks("kovaleva_disabled_heads")),
    output:
        table_files("kovaleva_disabled_heads"),
        table_files("kovaleva_disabled_layers"),
        table_files("kovaleva_disabled_random"),
        table_files("kovaleva_disabled_gains"),
    log:
        log_file("{model}/join_disabled_heads"),
    localrule: True
    conda:
        "../../envs/figures.yaml"
    resources:
        submit_host=1,
        mem_mb=memory(1000),
        runtime=10,
    params:
        inputs=PLAN.tables_of_tasks("kovaleva_disabled_heads"),
        code=code("paper/join_tables.py"),
    script:
        "../scripts/paper/join_tables.py"
