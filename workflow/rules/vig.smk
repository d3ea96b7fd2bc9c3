"""Vig 2018 and 2019, "Deconstructing BERT", parts 1 and 2, and "A Multiscale Visualization of Attention"."""


rule vig_patterns:
    """Table of how much each head shows of six patterns (part 1)."""
    input:
        sequences=segments_for("vig"),
        segments=model_corpus("segments.jsonl"),
        articles=corpus("wikipedia.jsonl"),
        tokenizer=tokenizer_files,
    output:
        table_files("vig_patterns"),
    log:
        log_file(f"{PER_MODEL}vig_patterns"),
    benchmark:
        benchmark_file(f"{PER_MODEL}vig_patterns")
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=60,
    params:
        **code("vig/vig_patterns.py"),
        stores_made_with=stores_made_with,
    script:
        "../scripts/vig/vig_patterns.py"


use rule vig_patterns as control_vig_patterns with:
    """The same of random weights."""
    input:
        **{f"{number}/sequences": segments_for("vig", number=number) for number in CONTROL_SEEDS},
        segments=model_corpus("segments.jsonl"),
        articles=corpus("wikipedia.jsonl"),
        tokenizer=tokenizer_files,
    output:
        table_files(control_of("vig_patterns")),
    log:
        log_file(f"{PER_MODEL}control_vig_patterns"),
    benchmark:
        benchmark_file(f"{PER_MODEL}control_vig_patterns")


rule vig_neurons:
    """Tables of what queries and keys do, neuron by neuron, and without segment ids and positions (part 2)."""
    input:
        segments=model_corpus("segments.jsonl"),
        tokenizer=tokenizer_files,
        weights=encoder_files,
    output:
        table_files("vig_neurons"),
        table("vig_neuron_examples"),
    log:
        log_file(f"{PER_MODEL}vig_neurons"),
    benchmark:
        benchmark_file(f"{PER_MODEL}vig_neurons")
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=per_encoder(60),
        gpu=GPU,
    params:
        **code("vig/vig_neurons.py"),
        groups=control_groups,
        device=config["device"],
        segments=64,  # a random sample: three forward passes each
        seed=config["seed"],
        segment_ids=segment_ids("vig"),
        batch_size=config["attention"]["batch_size"],
        example=["I went to the store.", "At the store, I bought fresh strawberries."],  # Vig's own
    script:
        "../scripts/vig/vig_neurons.py"


use rule vig_neurons as control_vig_neurons with:
    """The same of random weights."""
    input:
        segments=model_corpus("segments.jsonl"),
        tokenizer=tokenizer_files,
        weights=random_encoder_files(),
    output:
        table_files(control_of("vig_neurons")),
        table(control_of("vig_neuron_examples")),
    log:
        log_file(f"{PER_MODEL}control_vig_neurons"),
    benchmark:
        benchmark_file(f"{PER_MODEL}control_vig_neurons")
