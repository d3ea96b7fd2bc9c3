"""Vig 2018 and 2019, "Deconstructing BERT", parts 1 and 2, and "A Multiscale Visualization of Attention"."""


rule tabulate_vig_patterns:
    """Table of the strength of six patterns in each head (part 1)."""
    input:
        unpack(files_of_inputs("{control}vig_patterns")),
        segments=model_corpus("segments.jsonl"),
        articles=corpus("wikipedia.jsonl"),
        tokenizer=TOKENIZER,
    output:
        with_control("vig_patterns"),
    log:
        log_file("{model}/{control}vig_patterns"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=60,
    params:
        inputs=lambda wildcards: PLAN.inputs(f"{wildcards.control}vig_patterns"),
        segments=segments_read,
        code=code("vig/vig_patterns.py"),
    script:
        "../scripts/vig/vig_patterns.py"


rule tabulate_vig_neurons:
    """Tables of queries and keys by neuron, and of attention without segment ids and positions (part 2)."""
    input:
        segments=model_corpus("segments.jsonl"),
        tokenizer=TOKENIZER,
        weights=encoders,
    output:
        with_control("vig_neurons", "vig_neuron_examples"),
    log:
        log_file("{model}/{control}vig_neurons"),
    conda:
        "../../envs/attention.yaml"
    resources:
        **GPU,
        mem_mb=memory(4000),
        runtime=per_encoder(60),
    params:
        code=code("vig/vig_neurons.py"),
        groups=random_seeds,
        device=SETTINGS["device"],
        segments=64,  # a random sample, because each segment takes three forward passes
        seed=SETTINGS["seed"],
        segment_ids=segment_ids("vig"),
        batch_size=SETTINGS["attention"]["batch_size"],
        example=["I went to the store.", "At the store, I bought fresh strawberries."],  # Vig's example
    script:
        "../scripts/vig/vig_neurons.py"
