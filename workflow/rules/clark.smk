"""Clark, Khandelwal, Levy and Manning 2019, "What Does BERT Look At?".

Tables:  results/<edition>/tables/clark_{positions,importance,entropy,pattern_examples}.csv             section 3
         results/<edition>/tables/clark_{dependency_heads,examples,coreference,coreference_examples}.csv   section 4
         results/<edition>/tables/clark_{probes,head_distances,head_map,head_clusters}.csv              sections 5, 6
         results/<edition>/tables/clark_table_{1_dependency_heads,2_coreference,3_probes,clusters}.{md,tex}      as printed
Figures: results/<edition>/figures/clark_figure_{1_patterns,2_positions,3_importance,4_entropy,5_linguistic_heads,
         6_clusters}.{pdf,png}
"""

CLARK = "Clark et al. 2019, What Does BERT Look At?"
CLARK_TABLES = [
    f"clark_{what}"
    for what in (
        *("positions", "importance", "entropy", "pattern_examples", "dependency_heads", "examples", "coreference"),
        *("coreference_examples", "probes", "head_distances", "random_head_distances", "head_map", "head_clusters"),
    )
]


use rule tabulate as clark_positions with:
    """Table of attention to positions and token types (sections 3.1-3.2)."""
    output:
        table("clark_positions"),
    log:
        logged(f"{PER_MODEL}clark_positions"),
    benchmark:
        measured(f"{PER_MODEL}clark_positions")
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
        logged(f"{PER_MODEL}clark_importance"),
    benchmark:
        measured(f"{PER_MODEL}clark_importance")
    conda:
        "../../envs/attention.yaml"
    threads: 8
    resources:
        mem_mb=4000,
        runtime=240,
        gpu=GPU,
    params:
        **code("clark/clark_importance.py"),
        device=config["device"],
        segment_ids=config["segment_ids"],
        batch_size=config["attention"]["batch_size"],
        seed=config["seed"],
    script:
        "../scripts/clark/clark_importance.py"


use rule tabulate as clark_entropy with:
    """Table of the entropy of attention (section 3.3)."""
    output:
        table("clark_entropy"),
    log:
        logged(f"{PER_MODEL}clark_entropy"),
    benchmark:
        measured(f"{PER_MODEL}clark_entropy")
    params:
        **tabulated_by("clark.entropy.entropy"),


rule clark_pattern_examples:
    """Table of the attention of four typical heads in one segment (figure 1)."""
    input:
        sequences=store("segments"),
        tokenizer=model_file("tokenizer.json"),
        positions=table("clark_positions"),
        entropy=table("clark_entropy"),
    output:
        table("clark_pattern_examples"),
    log:
        logged(f"{PER_MODEL}clark_pattern_examples"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        **code("clark/clark_pattern_examples.py"),
    script:
        "../scripts/clark/clark_pattern_examples.py"


use rule tabulate as clark_dependency_heads with:
    """Table of the best heads for each dependency relation (section 4.2)."""
    input:
        sequences=store("treebank_dev"),
        treebank=model_corpus("treebank_dev.conllu"),
    output:
        table("clark_dependency_heads"),
    log:
        logged(f"{PER_MODEL}clark_dependency_heads"),
    benchmark:
        measured(f"{PER_MODEL}clark_dependency_heads")
    params:
        **tabulated_by("clark.dependency_heads.dependency_heads"),
        arguments={"seed": config["seed"]},


use rule tabulate as clark_examples with:
    """Table of the attention of the best heads in example sentences (figure 5)."""
    input:
        sequences=store("treebank_dev"),
        treebank=model_corpus("treebank_dev.conllu"),
        clark_dependency_heads=table("clark_dependency_heads"),
    output:
        table("clark_examples"),
    log:
        logged(f"{PER_MODEL}clark_examples"),
    benchmark:
        measured(f"{PER_MODEL}clark_examples")
    params:
        **tabulated_by("clark.examples.examples"),


use rule tabulate as clark_coreference with:
    """Table of the best heads and simple systems that find antecedents (section 4.3)."""
    input:
        sequences=store("coreference"),
        documents=model_corpus("coreference.conllu"),
    output:
        table("clark_coreference"),
    log:
        logged(f"{PER_MODEL}clark_coreference"),
    benchmark:
        measured(f"{PER_MODEL}clark_coreference")
    params:
        **tabulated_by("clark.coreference.coreference"),
        arguments={"seed": config["seed"]},


use rule tabulate as clark_coreference_examples with:
    """Table of the attention of the head that finds antecedents best, in example passages (figure 5)."""
    input:
        sequences=store("coreference"),
        documents=model_corpus("coreference.conllu"),
        clark_coreference=table("clark_coreference"),
    output:
        table("clark_coreference_examples"),
    log:
        logged(f"{PER_MODEL}clark_coreference_examples"),
    benchmark:
        measured(f"{PER_MODEL}clark_coreference_examples")
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
        logged(f"{PER_MODEL}clark_probes"),
    benchmark:
        measured(f"{PER_MODEL}clark_probes")
    conda:
        "../../envs/attention.yaml"
    threads: 1
    resources:
        mem_mb=4000,
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
    output:
        table("clark_head_distances"),
    log:
        logged(f"{PER_MODEL}clark_head_distances"),
    benchmark:
        measured(f"{PER_MODEL}clark_head_distances")
    threads: 2
    params:
        **tabulated_by("clark.head_distances.head_distances"),
        arguments=lambda wildcards, threads: {"threads": threads},


use rule clark_head_distances as clark_random_head_distances with:
    """Table of the divergence between any two heads of random weights (section 6)."""
    input:
        sequences=store("random_segments"),
    output:
        table("clark_random_head_distances"),
    log:
        logged(f"{PER_MODEL}clark_random_head_distances"),
    benchmark:
        measured(f"{PER_MODEL}clark_random_head_distances")


use rule tabulate as clark_head_map with:
    """Table of a map of all heads (section 6)."""
    input:
        distances=table("clark_head_distances"),
        positions=table("clark_positions"),
        entropy=table("clark_entropy"),
        examples=table("clark_examples"),
        coreference_examples=table("clark_coreference_examples"),
    output:
        table("clark_head_map"),
    log:
        logged(f"{PER_MODEL}clark_head_map"),
    benchmark:
        measured(f"{PER_MODEL}clark_head_map")
    params:
        **tabulated_by("clark.head_map.head_map"),
        arguments={"seed": config["seed"]},


use rule tabulate as clark_head_clusters with:
    """Table of whether heads of one layer lie together, and whether those of random weights do (section 6)."""
    input:
        distances=table("clark_head_distances"),
        random_distances=table("clark_random_head_distances"),
    output:
        table("clark_head_clusters"),
    log:
        logged(f"{PER_MODEL}clark_head_clusters"),
    benchmark:
        measured(f"{PER_MODEL}clark_head_clusters")
    params:
        **tabulated_by("clark.head_map.head_clusters"),
        arguments={"seed": config["seed"]},


use rule print_table as clark_table_1 with:
    """Table 1: the best head for each dependency relation, as printed."""
    input:
        clark_dependency_heads=tables("clark_dependency_heads"),
        claims=beside(ROOT / "workflow" / "claims" / "clark.yaml"),
    output:
        md=printed("clark_table_1_dependency_heads", "md"),
        tex=printed("clark_table_1_dependency_heads", "tex"),
    log:
        logged("clark_table_1"),
    params:
        **printed_by("paper_tables.clark.table_1"),
        rows={"published": "table_1", "notebook": "table_1_notebook"},


use rule print_table as clark_table_2 with:
    """Table 2: who finds antecedents, as printed."""
    input:
        clark_coreference=tables("clark_coreference"),
        claims=beside(ROOT / "workflow" / "claims" / "clark.yaml"),
    output:
        md=printed("clark_table_2_coreference", "md"),
        tex=printed("clark_table_2_coreference", "tex"),
    log:
        logged("clark_table_2"),
    params:
        **printed_by("paper_tables.clark_coreference.table_2"),
        rows={"published": "table_2"},


use rule print_table as clark_table_3 with:
    """Table 3: unlabelled attachment scores of probes, as printed."""
    input:
        clark_probes=tables("clark_probes"),
        claims=beside(ROOT / "workflow" / "claims" / "clark.yaml"),
    output:
        md=printed("clark_table_3_probes", "md"),
        tex=printed("clark_table_3_probes", "tex"),
    log:
        logged("clark_table_3"),
    params:
        **printed_by("paper_tables.clark_probes.table_3"),
        rows={"published": "table_3"},


use rule print_table as clark_table_clusters with:
    """Section 6 in numbers: whether heads of one layer lie together, trained and at random."""
    input:
        clark_head_clusters=tables("clark_head_clusters"),
    output:
        md=printed("clark_table_clusters", "md"),
        tex=printed("clark_table_clusters", "tex"),
    log:
        logged("clark_table_clusters"),
    params:
        **printed_by("paper_tables.clark_clusters.table_clusters"),
        rows={},


use rule draw_figure as clark_figure_1 with:
    """Fig. 1: heads of four patterns in one segment."""
    input:
        clark_pattern_examples=tables("clark_pattern_examples"),
    output:
        pdf=figure("clark_figure_1_patterns", "pdf"),
        png=report(
            figure("clark_figure_1_patterns", "png"),
            caption="../report/clark_figure_1.rst",
            category=CLARK,
            labels={"figure": "1: heads of four patterns"},
        ),
    log:
        logged("clark_figure_1"),
    params:
        **drawn_by("figures.clark_dependency.figure_1"),
        figure=1,


use rule draw_figure as clark_figure_2 with:
    """Fig. 2: attention to special tokens, punctuation and neighbours, by layer."""
    input:
        clark_positions=tables("clark_positions"),
        claims=published("clark"),
    output:
        pdf=figure("clark_figure_2_positions", "pdf"),
        png=report(
            figure("clark_figure_2_positions", "png"),
            caption="../report/clark_figure_2.rst",
            category=CLARK,
            labels={"figure": "2: attention to positions and token types"},
        ),
    log:
        logged("clark_figure_2"),
    params:
        **drawn_by("figures.clark.figure_2"),
        figure=2,


use rule draw_figure as clark_figure_3 with:
    """Fig. 3: gradients by attention to token types, by layer."""
    input:
        clark_importance=tables("clark_importance"),
    output:
        pdf=figure("clark_figure_3_importance", "pdf"),
        png=report(
            figure("clark_figure_3_importance", "png"),
            caption="../report/clark_figure_3.rst",
            category=CLARK,
            labels={"figure": "3: gradients by attention"},
        ),
    log:
        logged("clark_figure_3"),
    params:
        **drawn_by("figures.clark_importance.figure_3"),
        figure=3,


use rule draw_figure as clark_figure_4 with:
    """Fig. 4: entropy of every head's attention, by layer."""
    input:
        clark_entropy=tables("clark_entropy"),
        claims=published("clark"),
    output:
        pdf=figure("clark_figure_4_entropy", "pdf"),
        png=report(
            figure("clark_figure_4_entropy", "png"),
            caption="../report/clark_figure_4.rst",
            category=CLARK,
            labels={"figure": "4: entropy of attention"},
        ),
    log:
        logged("clark_figure_4"),
    params:
        **drawn_by("figures.clark.figure_4"),
        figure=4,


use rule draw_figure as clark_figure_5 with:
    """Fig. 5: the best heads of some dependency relations and of coreference in examples."""
    input:
        clark_examples=tables("clark_examples"),
        clark_dependency_heads=tables("clark_dependency_heads"),
        clark_coreference_examples=tables("clark_coreference_examples"),
        clark_coreference=tables("clark_coreference"),
    output:
        pdf=figure("clark_figure_5_linguistic_heads", "pdf"),
        png=report(
            figure("clark_figure_5_linguistic_heads", "png"),
            caption="../report/clark_figure_5.rst",
            category=CLARK,
            labels={"figure": "5: heads of relations and of coreference"},
        ),
    log:
        logged("clark_figure_5"),
    params:
        **drawn_by("figures.clark_dependency.figure_5"),
        figure=5,


use rule draw_figure as clark_figure_6 with:
    """Fig. 6: a map of all heads, by behaviour and by layer."""
    input:
        clark_head_map=tables("clark_head_map"),
    output:
        pdf=figure("clark_figure_6_clusters", "pdf"),
        png=report(
            figure("clark_figure_6_clusters", "png"),
            caption="../report/clark_figure_6.rst",
            category=CLARK,
            labels={"figure": "6: a map of all heads"},
        ),
    log:
        logged("clark_figure_6"),
    params:
        **drawn_by("figures.clark_clusters.figure_6"),
        figure=6,


rule clark:
    """All tables and figures of Clark et al. 2019."""
    input:
        [file for name in CLARK_TABLES for file in tables(name)],
        [file for name in FITTED_HEADS for file in collect(table("mlm_head"), model=name)],
        rules.clark_table_1.output,
        rules.clark_table_2.output,
        rules.clark_table_3.output,
        rules.clark_table_clusters.output,
        rules.clark_figure_1.output,
        rules.clark_figure_2.output,
        rules.clark_figure_3.output,
        rules.clark_figure_4.output,
        rules.clark_figure_5.output,
        rules.clark_figure_6.output,
    localrule: True
