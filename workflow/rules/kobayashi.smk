"""Kobayashi, Kuribayashi, Yokoi and Inui 2020, "Attention is Not Only a Weight", and their measures of 2021.

Here are the tables that have a script of their own. The paper's numbers of figures and tables could not be read, so results
are named by what they show.
"""


rule kobayashi_expansion:
    """Table of the expansion rate of value and output projection, from weights alone (2021, section 4.4)."""
    input:
        weights=encoder_files,
    output:
        table("kobayashi_expansion"),
    log:
        log_file(f"{PER_MODEL}kobayashi_expansion"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(3000),
        runtime=30,
    params:
        **code("kobayashi/kobayashi_expansion.py"),
    script:
        "../scripts/kobayashi/kobayashi_expansion.py"


rule kobayashi_alignment:
    """Tables of word alignment by the cross-attention of translation models (section 5)."""
    input:
        **ALIGNMENT,
        models=translation_model_files,
    output:
        table_files("kobayashi_alignment"),
        table_files("kobayashi_alignment_summary"),
        table("kobayashi_alignment_examples"),
    log:
        log_file("kobayashi_alignment"),
    benchmark:
        benchmark_file("kobayashi_alignment")
    conda:
        "../../envs/attention.yaml"
    threads: 1
    resources:
        mem_mb=memory(6000),
        runtime=120,
        gpu=GPU,
    params:
        **code("kobayashi/kobayashi_alignment.py"),
        **read_from_translation_models(),
        device=config["device"],
    script:
        "../scripts/kobayashi/kobayashi_alignment.py"


# The parallel text on which the edition trains its translation models; ready models come without theirs.
TRAINS_TRANSLATION = any(model["seed"] is not None for model in TRANSLATION_MODELS.values())


rule kobayashi_aligners:
    """Table of word alignment by a statistical aligner, the baseline of section 5."""
    input:
        **ALIGNMENT,
        train=rules.miniature_translations.output.train if TRAINS_TRANSLATION else [],
    output:
        table_files("kobayashi_aligners"),
    log:
        log_file("kobayashi_aligners"),
    benchmark:
        benchmark_file("kobayashi_aligners")
    conda:
        "../../envs/corpora.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        **code("kobayashi/kobayashi_aligners.py"),
    script:
        "../scripts/kobayashi/kobayashi_aligners.py"
