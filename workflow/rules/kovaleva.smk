"""Kovaleva, Romanov, Rogers and Rumshisky 2019, "Revealing the Dark Secrets of BERT".

Most tables are made task by task (rules *_of_task) and then joined.

Tables:  results/<edition>/tables/kovaleva_finetuning.csv                                           table 1
         results/<edition>/tables/kovaleva_pattern{s,_disagreement}.csv                             section 4.1
         results/<edition>/tables/kovaleva_pattern_{classifier,agreement,predictions,examples}.csv  section 4.1
         results/<edition>/tables/kovaleva_frame{s,_offsets}.csv                                    section 4.2
         results/<edition>/tables/kovaleva_change.csv                                               section 4.3
         results/<edition>/tables/kovaleva_features.csv                                             section 4.4
         results/<edition>/tables/kovaleva_{token_pairs,cls}.csv                                    section 4.5
         results/<edition>/tables/kovaleva_disabled_{heads,layers,random,gains}.csv                 section 4.6
         results/<edition>/tables/kovaleva_{shared_heads,repeated_words}.csv                        section 5
         results/<edition>/tables/kovaleva_table_{1_finetuning,patterns,pattern_shares,frames}.{md,tex,typ}
Figures: results/<edition>/figures/kovaleva_figure_{1_patterns,2_patterns,3_frames,5_change,6_features,6b_features,7_cls,
         8_disabled_heads,9_disabled_layers}.{pdf,png}
"""


# Fine-tuning (table 1).
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
        seed=config["seed"],
    script:
        "../scripts/kovaleva/kovaleva_finetuning.py"


use rule join_tables as kovaleva_finetuning with:
    """Table of scores on all tasks (table 1)."""
    input:
        every_task(task_table("kovaleva_finetuning")),
    pathvars:
        table="kovaleva_finetuning",


use rule print_table as kovaleva_table_1 with:
    """Table 1: scores on tasks, as printed."""
    input:
        kovaleva_finetuning=tables("kovaleva_finetuning"),
        claims=claims("kovaleva"),
    pathvars:
        printed_table="kovaleva_table_1_finetuning",
    params:
        **printed_by("paper.kovaleva_table_1_finetuning"),
        rows={"published": "table_1"},


# Five patterns of self-attention (section 4.1). The labelled maps come with the project, unless the edition names others.
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
        mem_mb=memory(2000),
        runtime=30,
    params:
        **code("kovaleva/pattern_maps.py"),
        per_head=6,
        seed=config["seed"],
    script:
        "../scripts/kovaleva/pattern_maps.py"


rule kovaleva_pattern_classifier:
    """Train the classifier of patterns on labelled maps, and score it and the rules against them."""
    input:
        maps=annotation(config["pattern_annotation"]["maps"]),
        labels=[annotation(path) for path in config["pattern_annotation"]["labels"]],
    output:
        weights=f"resources/{EDITION}/pattern_classifier.safetensors",
        tables=[
            table("kovaleva_pattern_classifier"),
            table("kovaleva_pattern_agreement"),
            table("kovaleva_pattern_predictions"),
            table("kovaleva_pattern_examples"),
        ],
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


rule kovaleva_patterns_of_task:
    """Tables of the shares of patterns on one task, by classifier and by rules (figure 2)."""
    input:
        pretrained_sequences=task_store("pretrained"),
        finetuned_sequences=task_store("finetuned"),
        classifier=rules.kovaleva_pattern_classifier.output.weights,
        predictions=table("kovaleva_pattern_predictions"),
    output:
        task_table("kovaleva_patterns"),
        task_table("kovaleva_pattern_disagreement"),
    log:
        log_file(f"{PER_MODEL}kovaleva_patterns.{{task}}"),
    benchmark:
        benchmark_file(f"{PER_MODEL}kovaleva_patterns.{{task}}")
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(3000),
        runtime=60,
    params:
        **code("kovaleva/kovaleva_patterns.py"),
        examples=100,  # of each task: 7,200 maps of an encoder of 72 heads
        seed=config["seed"],
    script:
        "../scripts/kovaleva/kovaleva_patterns.py"


use rule join_tables as kovaleva_patterns with:
    """Table of the shares of patterns on all tasks."""
    input:
        every_task(task_table("kovaleva_patterns")),
    pathvars:
        table="kovaleva_patterns",


use rule join_tables as kovaleva_pattern_disagreement with:
    """Table of how classifier and rules label the maps of all tasks."""
    input:
        every_task(task_table("kovaleva_pattern_disagreement")),
    pathvars:
        table="kovaleva_pattern_disagreement",


use rule draw_edition_figure as kovaleva_figure_1 with:
    """Figure 1: a map of each pattern."""
    input:
        kovaleva_pattern_examples=tables("kovaleva_pattern_examples"),
    pathvars:
        figure="kovaleva_figure_1_patterns",
    params:
        **drawn_by("figures.kovaleva.kovaleva_figure_1_patterns"),


use rule draw_figure as kovaleva_figure_2 with:
    """Figure 2: shares of patterns by task."""
    input:
        kovaleva_patterns=tables("kovaleva_patterns"),
    pathvars:
        figure="kovaleva_figure_2_patterns",
    params:
        **drawn_by("figures.kovaleva.kovaleva_figure_2_patterns"),


use rule print_edition_table as kovaleva_table_patterns with:
    """Section 4.1: how well patterns are told apart, as printed."""
    input:
        kovaleva_pattern_classifier=tables("kovaleva_pattern_classifier"),
        kovaleva_pattern_agreement=tables("kovaleva_pattern_agreement"),
        claims=claims("kovaleva"),
    pathvars:
        printed_table="kovaleva_table_patterns",
    params:
        **printed_by("paper.kovaleva_table_patterns"),
        values={"published": "kovaleva_pattern_classifier"},


use rule print_table as kovaleva_table_pattern_shares with:
    """Figure 2 as numbers."""
    input:
        kovaleva_patterns=tables("kovaleva_patterns"),
        claims=claims("kovaleva"),
    pathvars:
        printed_table="kovaleva_table_pattern_shares",
    params:
        **printed_by("paper.kovaleva_table_pattern_shares"),
        rows={"figure_2": "figure_2"},


# Predicates and frame elements (section 4.2).
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
    threads: 1
    resources:
        mem_mb=memory(3000),
        runtime=60,
        gpu=GPU,
    params:
        **code("kovaleva/kovaleva_frames.py"),
        device=config["device"],
        batch_size=config["attention"]["batch_size"],
        seed=config["seed"],
    script:
        "../scripts/kovaleva/kovaleva_frames.py"


use rule draw_figure as kovaleva_figure_3 with:
    """Fig. 3: attention between predicates and frame elements, by head."""
    input:
        kovaleva_frames=tables("kovaleva_frames"),
    pathvars:
        figure="kovaleva_figure_3_frames",
    params:
        **drawn_by("figures.kovaleva.kovaleva_figure_3_frames"),


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


# Change of attention by fine-tuning (section 4.3).
rule kovaleva_change_of_task:
    """Table of how much attention changes when an encoder is fine-tuned on a task (section 4.3)."""
    input:
        examples=model_corpus("tasks/{task}.jsonl"),
        tokenizer=model_file("tokenizer.json"),
        pretrained=model_file("model.safetensors"),
        finetuned=two_fine_tuned_models,
    output:
        task_table("kovaleva_change"),
    log:
        log_file(f"{PER_MODEL}kovaleva_change.{{task}}"),
    benchmark:
        benchmark_file(f"{PER_MODEL}kovaleva_change.{{task}}")
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
        padded_examples=50,  # each costs a run of 200 tokens in every model
        seed=config["seed"],
    script:
        "../scripts/kovaleva/kovaleva_change.py"


use rule join_tables as kovaleva_change with:
    """Table of how much attention changes by fine-tuning, for all tasks (section 4.3)."""
    input:
        every_task(task_table("kovaleva_change")),
    pathvars:
        table="kovaleva_change",


use rule draw_figure as kovaleva_figure_5 with:
    """Fig. 5: how much the attention of each head changes by fine-tuning."""
    input:
        kovaleva_change=tables("kovaleva_change"),
        claims=published_curves("kovaleva"),
    pathvars:
        figure="kovaleva_figure_5_change",
    params:
        **drawn_by("figures.kovaleva.kovaleva_figure_5_change"),


# Attention to linguistic features, between words, and from [CLS] (sections 4.4, 4.5).
use rule tabulate as kovaleva_features_of_task with:
    """Table of attention to linguistic features in the examples of a task (section 4.4)."""
    input:
        pretrained_sequences=task_store("pretrained"),
        finetuned_sequences=task_store("finetuned"),
        examples=model_corpus("tasks/{task}.jsonl"),
        parses=corpus("parsed/{task}.conllu"),
    output:
        task_table("<table>"),
    log:
        log_file(f"{PER_MODEL}<table>.{{task}}"),
    benchmark:
        benchmark_file(f"{PER_MODEL}<table>.{{task}}")
    pathvars:
        table="kovaleva_features",
    params:
        **tabulated_by("kovaleva.features.features"),
        arguments=lambda wildcards: {"task": wildcards.task, "seed": config["seed"]},


use rule join_tables as kovaleva_features with:
    """Table of attention to linguistic features, for all tasks (section 4.4)."""
    input:
        every_task(task_table("kovaleva_features")),
    pathvars:
        table="kovaleva_features",


use rule draw_figure as kovaleva_figure_6 with:
    """Fig. 6: attention of each head to [SEP] and [CLS]."""
    input:
        kovaleva_features=tables("kovaleva_features"),
        claims=published_curves("kovaleva"),
    pathvars:
        figure="kovaleva_figure_6_features",
    params:
        **drawn_by("figures.kovaleva.kovaleva_figure_6_features"),


use rule draw_figure as kovaleva_figure_6b with:
    """Fig. 6, further features: attention of each head to words with linguistic features."""
    input:
        kovaleva_features=tables("kovaleva_features"),
    pathvars:
        figure="kovaleva_figure_6b_features",
    params:
        **drawn_by("figures.kovaleva.kovaleva_figure_6b_features"),


use rule kovaleva_features_of_task as kovaleva_token_pairs_of_task with:
    """Table of attention between pairs of words in the examples of a task (section 4.5)."""
    pathvars:
        table="kovaleva_token_pairs",
    params:
        **tabulated_by("kovaleva.token_pairs.token_pairs"),


use rule join_tables as kovaleva_token_pairs with:
    """Table of attention between pairs of words, for all tasks (section 4.5)."""
    input:
        every_task(task_table("kovaleva_token_pairs")),
    pathvars:
        table="kovaleva_token_pairs",


use rule kovaleva_features_of_task as kovaleva_cls_of_task with:
    """Table of attention from [CLS] in the last layer in the examples of a task (section 4.5)."""
    pathvars:
        table="kovaleva_cls",
    params:
        **tabulated_by("kovaleva.cls.cls"),


use rule join_tables as kovaleva_cls with:
    """Table of attention from [CLS] in the last layer, for all tasks (section 4.5)."""
    input:
        every_task(task_table("kovaleva_cls")),
    pathvars:
        table="kovaleva_cls",


use rule draw_figure as kovaleva_figure_7 with:
    """Fig. 7: attention from [CLS] in the last layer."""
    input:
        kovaleva_cls=tables("kovaleva_cls"),
    pathvars:
        figure="kovaleva_figure_7_cls",
    params:
        **drawn_by("figures.kovaleva.kovaleva_figure_7_cls"),


# Disabled heads and layers (section 4.6).
rule kovaleva_disabled_heads_of_task:
    """Tables of how well the fine-tuned model does on a task without each head, each layer and random sets of heads."""
    input:
        examples=model_corpus("tasks/{task}.jsonl"),
        tokenizer=model_file("tokenizer.json"),
        weights=finetuned_file("model.safetensors"),
    output:
        task_table("kovaleva_disabled_heads"),
        task_table("kovaleva_disabled_layers"),
        task_table("kovaleva_disabled_random"),
        task_table("kovaleva_disabled_gains"),
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
        device=config["device"],
        segment_ids=segment_ids("kovaleva"),
        seed=config["seed"],
    script:
        "../scripts/kovaleva/kovaleva_disabled_heads.py"


use rule join_tables as kovaleva_disabled_heads with:
    """Table of the fine-tuned model's performance without each head, for all tasks (figure 8)."""
    input:
        every_task(task_table("kovaleva_disabled_heads")),
    pathvars:
        table="kovaleva_disabled_heads",


use rule join_tables as kovaleva_disabled_layers with:
    """Table of the fine-tuned model's performance without each layer, for all tasks (figure 9)."""
    input:
        every_task(task_table("kovaleva_disabled_layers")),
    pathvars:
        table="kovaleva_disabled_layers",


use rule join_tables as kovaleva_disabled_random with:
    """Table of the same without random sets of heads, for all tasks."""
    input:
        every_task(task_table("kovaleva_disabled_random")),
    pathvars:
        table="kovaleva_disabled_random",


use rule join_tables as kovaleva_disabled_gains with:
    """Table of what disabling heads and layers gains, also on held-out data, for all tasks."""
    input:
        every_task(task_table("kovaleva_disabled_gains")),
    pathvars:
        table="kovaleva_disabled_gains",


use rule draw_figure as kovaleva_figure_8 with:
    """Figure 8: performance without each head."""
    input:
        kovaleva_disabled_heads=tables("kovaleva_disabled_heads"),
    pathvars:
        figure="kovaleva_figure_8_disabled_heads",
    params:
        **drawn_by("figures.kovaleva.kovaleva_figure_8_disabled_heads"),


use rule draw_figure as kovaleva_figure_9 with:
    """Figure 9: performance without each layer."""
    input:
        kovaleva_disabled_layers=tables("kovaleva_disabled_layers"),
        kovaleva_disabled_random=tables("kovaleva_disabled_random"),
        claims=published_curves("kovaleva"),
    pathvars:
        figure="kovaleva_figure_9_disabled_layers",
    params:
        **drawn_by("figures.kovaleva.kovaleva_figure_9_disabled_layers"),


# Heads that tasks share, and attention to words that both sentences have (section 5).
use rule tabulate as kovaleva_shared_heads with:
    """Table of the heads without which the model does worst on two tasks (section 5)."""
    input:
        kovaleva_disabled_heads=table("kovaleva_disabled_heads"),
    pathvars:
        table="kovaleva_shared_heads",
    localrule: True
    params:
        **tabulated_by("kovaleva.shared_heads.shared_heads"),
        arguments={"seed": config["seed"]},


use rule kovaleva_features_of_task as kovaleva_repeated_words_of_task with:
    """Table of attention to words of the other sentence that are the same, in the examples of a task (section 5)."""
    input:
        pretrained_sequences=task_store("pretrained"),
        finetuned_sequences=task_store("finetuned"),
        examples=model_corpus("tasks/{task}.jsonl"),
    pathvars:
        table="kovaleva_repeated_words",
    params:
        **tabulated_by("kovaleva.repeated_words.repeated_words"),


use rule join_tables as kovaleva_repeated_words with:
    """Table of attention to words that both sentences have, for all tasks of pairs (section 5)."""
    input:
        every_task(task_table("kovaleva_repeated_words"), PAIR_TASKS),
    pathvars:
        table="kovaleva_repeated_words",


rule kovaleva:
    """All tables and figures of Kovaleva et al. 2019."""
    input:
        results_of("kovaleva"),
    localrule: True
