"""Clark, Khandelwal, Levy and Manning 2019, "What Does BERT Look At?".

Tables:  results/<edition>/tables/clark_{positions,importance,entropy,pattern_examples}.csv             section 3
         results/<edition>/tables/clark_{split_words,special_tokens}.csv                                section 4.1
         results/<edition>/tables/clark_{dependency_heads,examples,coreference,coreference_examples}.csv   section 4
         results/<edition>/tables/clark_{probes,head_distances,head_map,head_clusters}.csv              sections 5, 6
         results/<edition>/tables/clark_table_{1_dependency_heads,2_coreference,3_probes,clusters}.{md,tex,typ}      as printed
Figures: results/<edition>/figures/clark_figure_{1_patterns,2_positions,3_importance,4_entropy,5_linguistic_heads,
         6_clusters}.{pdf,png}
"""


use rule tabulate as clark_positions with:
    """Table of attention to positions and token types (sections 3.1-3.2)."""
    pathvars:
        table="clark_positions",
    params:
        **tabulated_by("clark.positions.positions"),


rule clark_importance:
    """Table of gradients by attention to token types (section 3.2)."""
    input:
        segments=model_corpus("segments.jsonl"),
        tokenizer=model_file("tokenizer.json"),
        weights=masked_language_model,
    output:
        table("clark_importance"),
    log:
        log_file(f"{PER_MODEL}clark_importance"),
    benchmark:
        benchmark_file(f"{PER_MODEL}clark_importance")
    conda:
        "../../envs/attention.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=240,
        gpu=GPU,
    params:
        **code("clark/clark_importance.py"),
        device=config["device"],
        segment_ids=segment_ids("clark"),
        batch_size=config["attention"]["batch_size"],
        seed=config["seed"],
    script:
        "../scripts/clark/clark_importance.py"


use rule tabulate as clark_entropy with:
    """Table of the entropy of attention (section 3.3)."""
    pathvars:
        table="clark_entropy",
    params:
        **tabulated_by("clark.entropy.entropy"),


rule clark_pattern_examples:
    """Table of the attention of four typical heads in one segment (figure 1)."""
    input:
        sequences=segments_for("clark"),
        tokenizer=model_file("tokenizer.json"),
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
    script:
        "../scripts/clark/clark_pattern_examples.py"


rule clark_split_words:
    """Table of how many words the tokenizer splits (section 4.1)."""
    input:
        tokenizer=model_file("tokenizer.json"),
        treebank_train=model_corpus("treebank_train.conllu"),
        treebank_dev=model_corpus("treebank_dev.conllu"),
        coreference=model_corpus("coreference.conllu"),
    output:
        table("clark_split_words"),
    log:
        log_file(f"{PER_MODEL}clark_split_words"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        **code("clark/clark_split_words.py"),
        seed=config["seed"],
    script:
        "../scripts/clark/clark_split_words.py"


use rule tabulate as clark_special_tokens with:
    """Table of what heads gain if [CLS] and [SEP] do not count as predictions (section 4.1)."""
    input:
        sequences=store("treebank_dev"),
        treebank=model_corpus("treebank_dev.conllu"),
    pathvars:
        table="clark_special_tokens",
    params:
        **tabulated_by("clark.special_tokens.special_tokens"),
        arguments={"seed": config["seed"]},


use rule tabulate as clark_dependency_heads with:
    """Table of the best heads for each dependency relation (section 4.2)."""
    input:
        sequences=store("treebank_dev"),
        treebank=model_corpus("treebank_dev.conllu"),
    pathvars:
        table="clark_dependency_heads",
    params:
        **tabulated_by("clark.dependency_heads.dependency_heads"),
        arguments={"seed": config["seed"]},


use rule tabulate as clark_examples with:
    """Table of the attention of the best heads in example sentences (figure 5)."""
    input:
        sequences=store("treebank_dev"),
        treebank=model_corpus("treebank_dev.conllu"),
        clark_dependency_heads=table("clark_dependency_heads"),
    pathvars:
        table="clark_examples",
    params:
        **tabulated_by("clark.examples.examples"),


use rule tabulate as clark_coreference with:
    """Table of the best heads and simple systems that find antecedents (section 4.3)."""
    input:
        sequences=store("coreference"),
        documents=model_corpus("coreference.conllu"),
    pathvars:
        table="clark_coreference",
    params:
        **tabulated_by("clark.coreference.coreference"),
        arguments={"seed": config["seed"]},


use rule tabulate as clark_coreference_examples with:
    """Table of the attention of the head that finds antecedents best, in example passages (figure 5)."""
    input:
        sequences=store("coreference"),
        documents=model_corpus("coreference.conllu"),
        clark_coreference=table("clark_coreference"),
    pathvars:
        table="clark_coreference_examples",
    params:
        **tabulated_by("clark.examples.coreference_examples"),


rule clark_probes:
    """Table of probes that predict heads of words from attention (section 5)."""
    input:
        train=model_corpus("treebank_train.conllu"),
        dev=model_corpus("treebank_dev.conllu"),
        train_sequences=store("treebank_train"),
        dev_sequences=store("treebank_dev"),
        random_train_sequences=store("random_treebank_train"),
        random_dev_sequences=store("random_treebank_dev"),
        vectors=corpus("vectors.txt"),
    output:
        table("clark_probes"),
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
        device=config["device"],
        seed=config["seed"],
    script:
        "../scripts/clark/clark_probes.py"


use rule tabulate as clark_head_distances with:
    """Table of the divergence between any two heads (section 6)."""
    pathvars:
        table="clark_head_distances",
    threads: 2
    params:
        **tabulated_by("clark.head_distances.head_distances"),
        arguments=lambda wildcards, threads: {"threads": threads},


use rule clark_head_distances as clark_random_head_distances with:
    """Table of the divergence between any two heads of random weights (section 6)."""
    input:
        sequences=store("random_segments"),
    pathvars:
        table="clark_random_head_distances",


use rule tabulate as clark_head_map with:
    """Table of a map of all heads (section 6)."""
    input:
        distances=table("clark_head_distances"),
        positions=table("clark_positions"),
        entropy=table("clark_entropy"),
        dependency_examples=table("clark_examples"),
        coreference_examples=table("clark_coreference_examples"),
    pathvars:
        table="clark_head_map",
    localrule: True
    params:
        **tabulated_by("clark.head_map.head_map"),
        arguments={"seed": config["seed"]},


use rule tabulate as clark_head_clusters with:
    """Table of whether heads of one layer lie together, and whether those of random weights do (section 6)."""
    input:
        distances=table("clark_head_distances"),
        random_distances=table("clark_random_head_distances"),
    pathvars:
        table="clark_head_clusters",
    localrule: True
    params:
        **tabulated_by("clark.head_map.head_clusters"),
        arguments={"seed": config["seed"]},


use rule print_table as clark_table_1 with:
    """Table 1: the best head for each dependency relation, as printed."""
    input:
        clark_dependency_heads=tables("clark_dependency_heads"),
        claims=claims("clark"),
    pathvars:
        printed_table="clark_table_1_dependency_heads",
    params:
        **printed_by("paper.clark_table_1_dependency_heads"),
        rows={"published": "table_1", "notebook": "table_1_notebook"},


use rule print_table as clark_table_2 with:
    """Table 2: who finds antecedents, as printed."""
    input:
        clark_coreference=tables("clark_coreference"),
        claims=claims("clark"),
    pathvars:
        printed_table="clark_table_2_coreference",
    params:
        **printed_by("paper.clark_table_2_coreference"),
        rows={"published": "table_2"},


use rule print_table as clark_table_3 with:
    """Table 3: unlabelled attachment scores of probes, as printed."""
    input:
        clark_probes=tables("clark_probes"),
        claims=claims("clark"),
    pathvars:
        printed_table="clark_table_3_probes",
    params:
        **printed_by("paper.clark_table_3_probes"),
        rows={"published": "table_3"},


use rule print_table as clark_table_clusters with:
    """Section 6 in numbers: whether heads of one layer lie together, trained and at random."""
    input:
        clark_head_clusters=tables("clark_head_clusters"),
    pathvars:
        printed_table="clark_table_clusters",
    params:
        **printed_by("paper.clark_table_clusters"),


use rule draw_figure as clark_figure_1 with:
    """Fig. 1: heads of four patterns in one segment."""
    input:
        clark_pattern_examples=tables("clark_pattern_examples"),
    pathvars:
        figure="clark_figure_1_patterns",
    params:
        **drawn_by("figures.clark.clark_figure_1_patterns"),


use rule draw_figure as clark_figure_2 with:
    """Fig. 2: attention to special tokens, punctuation and neighbours, by layer."""
    input:
        clark_positions=tables("clark_positions"),
        claims=published_curves("clark"),
    pathvars:
        figure="clark_figure_2_positions",
    params:
        **drawn_by("figures.clark.clark_figure_2_positions"),


use rule draw_figure as clark_figure_3 with:
    """Fig. 3: gradients by attention to token types, by layer."""
    input:
        clark_importance=tables("clark_importance"),
    pathvars:
        figure="clark_figure_3_importance",
    params:
        **drawn_by("figures.clark.clark_figure_3_importance"),


use rule draw_figure as clark_figure_4 with:
    """Fig. 4: entropy of every head's attention, by layer."""
    input:
        clark_entropy=tables("clark_entropy"),
        claims=published_curves("clark"),
    pathvars:
        figure="clark_figure_4_entropy",
    params:
        **drawn_by("figures.clark.clark_figure_4_entropy"),


use rule draw_figure as clark_figure_5 with:
    """Fig. 5: the best heads of some dependency relations and of coreference in examples."""
    input:
        clark_examples=tables("clark_examples"),
        clark_dependency_heads=tables("clark_dependency_heads"),
        clark_coreference_examples=tables("clark_coreference_examples"),
        clark_coreference=tables("clark_coreference"),
    pathvars:
        figure="clark_figure_5_linguistic_heads",
    params:
        **drawn_by("figures.clark.clark_figure_5_linguistic_heads"),


use rule draw_figure as clark_figure_6 with:
    """Fig. 6: a map of all heads, by behaviour and by layer."""
    input:
        clark_head_map=tables("clark_head_map"),
    pathvars:
        figure="clark_figure_6_clusters",
    params:
        **drawn_by("figures.clark.clark_figure_6_clusters"),


rule clark:
    """All tables and figures of Clark et al. 2019."""
    input:
        results_of("clark"),
        MLM_HEAD_TABLES,
    localrule: True
