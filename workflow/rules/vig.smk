"""Vig 2018 and 2019, "Deconstructing BERT", parts 1 and 2, and "A Multiscale Visualization of Attention"."""


rule segment_words:
    """List the words of each segment, and which of them predict each other in the running text (part 1)."""
    input:
        segments=model_corpus("segments.jsonl"),
        articles=corpus("wikipedia.jsonl"),
        tokenizer=TOKENIZER,
    output:
        model_corpus("segment_words.jsonl"),
    log:
        log_file("{model}/segment_words"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(3000),
        runtime=60,
    params:
        code=code("vig/segment_words.py"),
    script:
        "../scripts/vig/segment_words.py"


rule tabulate_vig_neurons:
    """Tables of queries and keys by neuron, and of attention without segment ids and positions (part 2)."""
    input:
        segments=model_corpus("segments.jsonl"),
        tokenizer=TOKENIZER,
        weights=ENCODER,
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
        **named(
            segments=lambda wildcards: min(
                64, units_read(wildcards) or 64
            ),  # a sample, because each takes three passes
            batch_size=SETTINGS["attention"]["batch_size"],
        ),
        code=code("vig/vig_neurons.py"),
        seeds=random_seeds("vig_neurons"),
        device=SETTINGS["device"],
        segment_ids=segment_ids("vig"),
        example=["I went to the store.", "At the store, I bought fresh strawberries."],  # Vig's example
    script:
        "../scripts/vig/vig_neurons.py"
