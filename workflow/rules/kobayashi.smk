"""Kobayashi, Kuribayashi, Yokoi and Inui 2020, "Attention is Not Only a Weight", and their measures of 2021.

Here are the analyses that have a script of their own. The numbers of the figures and tables in the
paper could not be read, so results are named by what they show.

Outputs: results/<edition>/explorer_<translation model>.html    a page to look at its cross-attention
"""

from bert_attention.explorer.page import PARTS

COUNTS_ARE_GIVEN = SETTINGS["corpora"]["token_frequency"]["source"] != "counted:wikipedia"


rule token_ranks:
    """Rank a model's tokens by frequency. Counts of another vocabulary are not used."""
    input:
        source_files("corpora", "token_frequency") if COUNTS_ARE_GIVEN else [],
        articles=corpus("wikipedia.jsonl"),
        tokenizer=TOKENIZER,
    output:
        ranks=model_corpus("token_ranks.npy"),
        counts=table("kobayashi_token_counts"),
    log:
        log_file("{model}/token_ranks"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=60,
    params:
        **(read_from("corpora", "token_frequency") if COUNTS_ARE_GIVEN else {"origin": None}),
        code=code("kobayashi/token_ranks.py"),
        vocabulary=edition.counted_vocabulary,
    script:
        "../scripts/kobayashi/token_ranks.py"


rule tabulate_kobayashi_expansion:
    """Table of the expansion rate of value and output projection, from weights alone (2021, section 4.4)."""
    input:
        weights=ENCODER,
    output:
        table("kobayashi_expansion"),
    log:
        log_file("{model}/kobayashi_expansion"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(3000),
        runtime=30,
    params:
        code=code("kobayashi/kobayashi_expansion.py"),
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
    conda:
        "../../envs/attention.yaml"
    resources:
        **GPU,
        mem_mb=memory(6000),
        runtime=120,
    params:
        **read_from_translation_models(),
        code=code("kobayashi/kobayashi_alignment.py"),
        device=SETTINGS["device"],
    script:
        "../scripts/kobayashi/kobayashi_alignment.py"


# The parallel text that the edition trains its translation models on. Ready models come without one.
TRAINS_TRANSLATION = any(model["seed"] is not None for model in TRANSLATION_MODELS.values())


rule kobayashi_aligners:
    """Table of word alignment by a statistical aligner, the baseline of section 5."""
    input:
        **ALIGNMENT,
        train=rules.stand_in_translations.output.train if TRAINS_TRANSLATION else [],
    output:
        table_files("kobayashi_aligners"),
    log:
        log_file("kobayashi_aligners"),
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        code=code("kobayashi/kobayashi_aligners.py"),
    script:
        "../scripts/kobayashi/kobayashi_aligners.py"


# If a model is trained from several seeds, the explorer shows the first.
TRANSLATED = {model["model"]: name for name, model in reversed(TRANSLATION_MODELS.items())}.values()
FURTHER_RESULTS["kobayashi"] += [f"results/{EDITION}/explorer_{name}.html" for name in TRANSLATED]


rule explorer_of_translations:
    """Make a page to look at a translation model's cross-attention, by weight and by norm, with gold links."""
    input:
        **ALIGNMENT,
        alignment=table("kobayashi_alignment"),
        model=source_files("translation_models", "{translation_model}"),
        parts=[project_file("workflow", "bert_attention", "explorer", part) for part in PARTS],
    output:
        f"results/{EDITION}/explorer_{{translation_model}}.html",
    log:
        log_file("explorer_of_translations.{translation_model}"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(6000),
        runtime=30,
    params:
        **read_from("translation_models", "{translation_model}"),
        code=code("kobayashi/explorer_of_translations.py"),
        model=lambda wildcards: TRANSLATION_MODELS[wildcards.translation_model],
        edition=SETTINGS,
        about="Lines go from the words of a translation to those of the source. The decoder predicts a word in one row and reads it in the next: each pair is shown by both rows.",
        lacks="only pages of encoders have them",
    script:
        "../scripts/kobayashi/explorer_of_translations.py"
