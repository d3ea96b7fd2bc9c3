"""Clark, Khandelwal, Levy and Manning 2019, "What Does BERT Look At?": tables with scripts of their own."""

# How well the masked-language-model heads predict, which figure 3 needs.
FURTHER_RESULTS["clark"] += MLM_HEAD_TABLES


rule tabulate_clark_importance:
    """Table of gradients by attention to token types (section 3.2); with random weights, the prediction head stays."""
    input:
        segments=model_corpus("segments.jsonl"),
        tokenizer=TOKENIZER,
        weights=ENCODER,
        head=mlm_head,
    output:
        with_control("clark_importance", "clark_importance_by_attention"),
    log:
        log_file("{model}/{control}clark_importance"),
    priority: SHOWN_FIRST
    conda:
        "../../envs/attention.yaml"
    resources:
        **GPU,
        mem_mb=memory(4000),
        runtime=min(240 * len(CONTROL_SEEDS), DAY),
    params:
        **named(
            batch_size=SETTINGS["attention"]["batch_size"],
            seeds=random_seeds("clark_importance"),
            segments=units_read,
            seed=SETTINGS["seed"],
        ),
        code=code("clark/clark_importance.py"),
        device=SETTINGS["device"],
        segment_ids=segment_ids("clark"),
    script:
        "../scripts/clark/clark_importance.py"


rule tabulate_clark_pattern_examples:
    """Table of the attention of four typical heads in one segment (figure 1)."""
    input:
        corpus=model_corpus("segments.jsonl"),
        tokenizer=TOKENIZER,
        weights=ENCODER,
        positions=table("clark_positions"),
        entropy=table("clark_entropy"),
    output:
        table("clark_pattern_examples"),
    log:
        log_file("{model}/clark_pattern_examples"),
    conda:
        "../../envs/attention.yaml"
    resources:
        **GPU,
        mem_mb=memory(3000),
        runtime=30,
    params:
        code=code("clark/clark_pattern_examples.py"),
        run=run_of_encoder,
        store_settings=running_text_settings("clark"),
    script:
        "../scripts/clark/clark_pattern_examples.py"


rule tabulate_clark_split_words:
    """Table of the share of words that the tokenizer splits (section 4.1)."""
    input:
        tokenizer=TOKENIZER,
        treebank_train=model_corpus("treebank_train.conllu"),
        treebank_dev=model_corpus("treebank_dev.conllu"),
        coreference=model_corpus("coreference.conllu"),
    output:
        table_files("clark_split_words"),
    log:
        log_file("{model}/clark_split_words"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        code=code("clark/clark_split_words.py"),
    script:
        "../scripts/clark/clark_split_words.py"


rule tabulate_clark_frequent_tokens:
    """Table of the most frequent tokens of the running text (section 3.2)."""
    input:
        tokenizer=TOKENIZER,
        segments=model_corpus("segments.jsonl"),
    output:
        table_files("clark_frequent_tokens"),
    log:
        log_file("{model}/clark_frequent_tokens"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        code=code("clark/clark_frequent_tokens.py"),
    script:
        "../scripts/clark/clark_frequent_tokens.py"


rule tabulate_clark_probes:
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
        log_file("{model}/clark_probes"),
    priority: FREES_STORES
    conda:
        "../../envs/attention.yaml"
    resources:
        **GPU,
        mem_mb=memory(4000),
        runtime=480,
    params:
        code=code("clark/clark_probes.py"),
        device=SETTINGS["device"],
        seed=SETTINGS["seed"],
    script:
        "../scripts/clark/clark_probes.py"
