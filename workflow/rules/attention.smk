"""Attention: one forward pass of the encoder over each corpus, into an attention store or for sums.

Outputs: resources/<edition>/<model>/attention/segments_{zeros,pair}/<i>-of-<n>.safetensors  between wordpieces, by segment ids
         resources/<edition>/<model>/attention/masked_segments/                             mixing ratios, some tokens masked
         resources/<edition>/<model>/attention/tasks/<task>/{pretrained,finetuned}/          on a task's validation examples
         resources/<edition>/<model>/attention/{treebank_train,treebank_dev,coreference}/    between words
         resources/<edition>/<model>/attention/random_1/{treebank_train,treebank_dev}/       of random weights, for probes
         resources/<edition>/<model>/sums/passes/[control/]<paper>/<corpus>/                 sums of a pass that writes no store
"""


rule extract_attention:
    """Run the encoder over a shard of the segments: attention and value norms, on a GPU if there is one."""
    input:
        corpus=model_corpus("segments.jsonl"),
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
        run=run_of_encoder,
        store_settings=store_settings("segments_{segment_ids}"),
        weights_seed=None,
        most=None,
    script:
        "../scripts/attention/extract_attention.py"


use rule extract_attention as extract_masked_attention with:
    """Run the encoder over a shard of the segments, some of their tokens masked, for Kobayashi et al. 2021."""
    output:
        store_output("masked_segments"),
    log:
        log_file("{model}/extract_masked_attention.{scatteritem}"),
    priority: 0
    params:
        store_settings=store_settings("masked_segments"),


use rule extract_attention as extract_task_attention with:
    """Run the pretrained and fine-tuned encoders over a shard of a task's validation examples."""
    input:
        corpus=model_corpus("tasks/{task}.jsonl"),
        tokenizer=TOKENIZER,
        weights=[*ENCODER, *map(finetuned_file, WEIGHTS)],
    output:
        [store_output(f"tasks/{{task}}/{weights}") for weights in ("pretrained", "finetuned")],
    log:
        log_file("{model}/extract_task_attention.{task}.{scatteritem}"),
    priority: 0
    params:
        store_settings=store_settings("tasks/{task}/pretrained"),


use rule extract_attention as extract_word_attention with:
    """Run the encoder over a shard of a corpus of trees or coreference: attention between words."""
    input:
        corpus=model_corpus("{word_corpus}.conllu"),
        tokenizer=TOKENIZER,
        weights=ENCODER,
    output:
        store_output("{word_corpus}"),
    log:
        log_file("{model}/extract_word_attention.{word_corpus}.{scatteritem}"),
    priority: 0
    resources:
        **GPU,
        mem_mb=memory(4000),
        runtime=per_encoder(240),
    params:
        store_settings=store_settings("{word_corpus}"),


use rule extract_word_attention as extract_random_word_attention with:
    """Run the first encoder with random weights over a shard of a treebank, for probes: all of what they learn from, and a
    sample of what they are tested on."""
    input:
        corpus=model_corpus("{word_corpus}.conllu"),
        tokenizer=TOKENIZER,
        weights=ENCODER,
    output:
        store_output(control_store("{word_corpus}", "1")),
    log:
        log_file("{model}/extract_random_word_attention.{word_corpus}.{scatteritem}"),
    wildcard_constraints:
        word_corpus="treebank_train|treebank_dev",
    params:
        weights_seed=CONTROL_SEEDS["1"],
        most=lambda wildcards: {"treebank_dev": SETTINGS["control"]["sentences"]}.get(wildcards.word_corpus),


rule sum_up_segments:
    """Run encoders over a shard of the segments, and add up the sums of all analyses of a paper."""
    input:
        unpack(files_of_pass),
        tokenizer=TOKENIZER,
    output:
        temp(PASS_SUMS),
    log:
        log_file("{model}/sum_up/{control}{paper}.{corpus}.{scatteritem}"),
    wildcard_constraints:
        paper=one_of(RESULTS.papers),
        corpus="segments",
    conda:
        "../../envs/attention.yaml"
    resources:
        **GPU,
        mem_mb=memory(6000),
        runtime=lambda wildcards: min(240 * len(seeds_of_pass(wildcards)), DAY),
    params:
        tables=tables_of_pass,
        functions=functions_of_pass,
        settings=settings_of_pass,
        seeds=seeds_of_pass,
        most=lambda wildcards: units_read(wildcards, wildcards.corpus),
        run=run_of_encoder,
        code=code_of_pass,
    script:
        "../scripts/attention/sum_up_pass.py"


use rule sum_up_segments as sum_up_words with:
    """Run encoders over a shard of a corpus of trees or coreference, and add up sums over attention between words."""
    wildcard_constraints:
        paper=one_of(RESULTS.papers),
        corpus=one_of(WORD_CORPORA),


use rule sum_up_segments as sum_up_examples with:
    """Run encoders over a task's validation examples, and add up sums: pretrained or random, and fine-tuned from these."""
    wildcard_constraints:
        paper=one_of(RESULTS.papers),
        corpus=one_of(f"tasks/{task}" for task in TASKS),
