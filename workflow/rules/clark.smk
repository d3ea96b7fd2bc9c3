"""Clark, Khandelwal, Levy and Manning 2019, "What Does BERT Look At?": tables that have a script of their own."""


rule clark_importance:
    """Table of gradients by attention to token types (section 3.2)."""
    input:
        segments=model_corpus("segments.jsonl"),
        tokenizer=tokenizer_files,
        weights=masked_language_model_files,
    output:
        table_files("clark_importance"),
    log:
        log_file(f"{PER_MODEL}clark_importance"),
    benchmark:
        benchmark_file(f"{PER_MODEL}clark_importance")
    priority: 1  # it takes long
    conda:
        "../../envs/attention.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=240 * len(CONTROL_SEEDS),
        gpu=GPU,
    params:
        **code("clark/clark_importance.py"),
        device=config["device"],
        segment_ids=segment_ids("clark"),
        batch_size=config["attention"]["batch_size"],
        groups=control_groups,
        seed=config["seed"],
    script:
        "../scripts/clark/clark_importance.py"


use rule clark_importance as control_clark_importance with:
    """The same of random weights; the head for masked language modelling stays."""
    output:
        table_files(control_of("clark_importance")),
    log:
        log_file(f"{PER_MODEL}control_clark_importance"),
    benchmark:
        benchmark_file(f"{PER_MODEL}control_clark_importance")


rule clark_pattern_examples:
    """Table of the attention of four typical heads in one segment (figure 1)."""
    input:
        sequences=segments_for("clark", shards="first"),
        tokenizer=tokenizer_files,
        positions=table("clark_positions"),
        entropy=table("clark_entropy"),
    output:
        table("clark_pattern_examples"),
    log:
        log_file(f"{PER_MODEL}clark_pattern_examples"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        **code("clark/clark_pattern_examples.py"),
        stores_made_with=stores_made_with,
    script:
        "../scripts/clark/clark_pattern_examples.py"


rule clark_split_words:
    """Table of how many words the tokenizer splits (section 4.1)."""
    input:
        tokenizer=tokenizer_files,
        treebank_train=model_corpus("treebank_train.conllu"),
        treebank_dev=model_corpus("treebank_dev.conllu"),
        coreference=model_corpus("coreference.conllu"),
    output:
        table_files("clark_split_words"),
    log:
        log_file(f"{PER_MODEL}clark_split_words"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        **code("clark/clark_split_words.py"),
    script:
        "../scripts/clark/clark_split_words.py"


rule clark_probes:
    """Table of probes that predict heads of words from attention (section 5)."""
    input:
        train=model_corpus("treebank_train.conllu"),
        dev=model_corpus("treebank_dev.conllu"),
        train_sequences=store("treebank_train"),
        dev_sequences=store("treebank_dev"),
        random_train_sequences=store(control_store("treebank_train", "1")),
        random_dev_sequences=store(control_store("treebank_dev", "1")),
        vectors=corpus("vectors.txt"),
    output:
        table_files("clark_probes"),
    log:
        log_file(f"{PER_MODEL}clark_probes"),
    benchmark:
        benchmark_file(f"{PER_MODEL}clark_probes")
    conda:
        "../../envs/attention.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=480,
        gpu=GPU,
    params:
        **code("clark/clark_probes.py"),
        stores_made_with=stores_made_with,
        device=config["device"],
        seed=config["seed"],
    script:
        "../scripts/clark/clark_probes.py"
