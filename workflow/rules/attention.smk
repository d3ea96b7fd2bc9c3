"""Attention: one forward pass of the encoder over each corpus, into an attention store that all analyses read.

Outputs: resources/<edition>/<model>/attention/segments_{zeros,pair}/<i>-of-<n>.safetensors  between wordpieces, by segment ids
         resources/<edition>/<model>/attention/masked_segments/                             mixing ratios, some tokens masked
         resources/<edition>/<model>/attention/tasks/<task>/{pretrained,finetuned}/          on a task's validation examples
         resources/<edition>/<model>/attention/{treebank_train,treebank_dev,coreference}/    between words
         resources/<edition>/<model>/attention/random_<number>/<store>/      each of these of random weights, from several seeds
"""


rule extract_attention:
    """Run the encoder over a shard of the segments: attention and value norms, on a GPU if there is one."""
    input:
        segments=model_corpus("segments.jsonl"),
        tokenizer=TOKENIZER,
        weights=ENCODER,
    output:
        store_output("segments_{segment_ids}"),
    log:
        log_file("{model}/extract_attention.{segment_ids}.{scatteritem}"),
    priority: SHOWN_FIRST
    conda:
        "../../envs/attention.yaml"
    resources:
        **GPU,
        mem_mb=memory(3000),
        runtime=per_encoder(240),
    params:
        code=code("attention/extract_attention.py"),
        device=SETTINGS["device"],
        batch_size=SETTINGS["attention"]["batch_size"],
        model="{model}",
        segments=None,  # all segments
        store_settings=store_settings("segments_{segment_ids}"),
    script:
        "../scripts/attention/extract_attention.py"


use rule extract_attention as extract_random_attention with:
    """Run each encoder with random weights, but its own embeddings, over a shard of the segments."""
    input:
        segments=model_corpus("segments.jsonl"),
        tokenizer=TOKENIZER,
        weights=random_encoders(),
    output:
        control_outputs("segments_{segment_ids}"),
    log:
        log_file("{model}/extract_random_attention.{segment_ids}.{scatteritem}"),
    priority: 0
    params:
        segments=SETTINGS["control_segments"],


use rule extract_attention as extract_masked_attention with:
    """Run the encoder over a shard of the segments, some of their tokens masked, for Kobayashi et al. 2021."""
    output:
        store_output("masked_segments"),
    log:
        log_file("{model}/extract_masked_attention.{scatteritem}"),
    priority: 0
    params:
        store_settings=store_settings("masked_segments"),


use rule extract_random_attention as extract_random_masked_attention with:
    """Run each encoder with random weights over a shard of the segments, some of their tokens masked."""
    output:
        control_outputs("masked_segments"),
    log:
        log_file("{model}/extract_random_masked_attention.{scatteritem}"),
    params:
        store_settings=store_settings("masked_segments"),


use rule extract_attention as extract_task_attention with:
    """Run the pretrained, random and fine-tuned encoders over a shard of a task's validation examples."""
    input:
        segments=model_corpus("tasks/{task}.jsonl"),
        tokenizer=TOKENIZER,
        weights=lambda wildcards: [file for name in ON_TASKS for file in weights_of(name, wildcards)],
    output:
        [store_output(name) for name in ON_TASKS],
    log:
        log_file("{model}/extract_task_attention.{task}.{scatteritem}"),
    priority: 0
    params:
        store_settings=store_settings("tasks/{task}/pretrained"),


rule extract_word_attention:
    """Run the encoder over a shard of a corpus of trees or coreference: attention between words."""
    input:
        corpus=model_corpus("{word_corpus}.conllu"),
        tokenizer=TOKENIZER,
        weights=ENCODER,
    output:
        store_output("{word_corpus}"),
    log:
        log_file("{model}/extract_word_attention.{word_corpus}.{scatteritem}"),
    conda:
        "../../envs/attention.yaml"
    resources:
        **GPU,
        mem_mb=memory(4000),
        runtime=per_encoder(240),
    params:
        code=code("attention/extract_word_attention.py"),
        device=SETTINGS["device"],
        batch_size=SETTINGS["attention"]["batch_size"],
        model="{model}",
        store_settings=store_settings("{word_corpus}"),
    script:
        "../scripts/attention/extract_word_attention.py"


use rule extract_word_attention as extract_random_word_attention with:
    """Run each encoder with random weights, but its own embeddings, over a shard of a corpus."""
    input:
        corpus=model_corpus("{word_corpus}.conllu"),
        tokenizer=TOKENIZER,
        weights=random_encoders(),
    output:
        control_outputs("{word_corpus}"),
    log:
        log_file("{model}/extract_random_word_attention.{word_corpus}.{scatteritem}"),
    wildcard_constraints:
        word_corpus="treebank_dev|coreference",


use rule extract_word_attention as extract_random_training_attention with:
    """Run the first encoder with random weights over a shard of the treebank that probes are trained on."""
    input:
        corpus=model_corpus("treebank_train.conllu"),
        tokenizer=TOKENIZER,
        weights=random_encoders(["1"]),
    output:
        store_output(control_store("treebank_train", "1")),
    log:
        log_file("{model}/extract_random_training_attention.{scatteritem}"),
    params:
        store_settings=store_settings("treebank_train"),
