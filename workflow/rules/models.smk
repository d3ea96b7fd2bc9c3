"""Models: copied from the edition's sources into folders of a standard form, or trained here.

Outputs: resources/<edition>/<model>/encoder/{config.json, model.safetensors, tokenizer.json, tokenizer_config.json}
         resources/<edition>/<model>/mlm_head.safetensors                   the head of a masked language model, fitted to the encoder
         resources/<edition>/<model>/tasks/<task>/finetuned/{pretrained,random}_<seed>/    an encoder fine-tuned on a task, in float16
         resources/<edition>/trained/<translation model>/           a small translation model
         results/<edition>/<model>/tables/mlm_head.csv              how well the fitted head has learned
         results/<edition>/edition/tables/translation_accuracy.csv  how well the translation models have learned
"""

from bert_attention.models.model_folder import MODEL_FILES

ENCODER_FILES = [edition.encoder_file(file) for file in MODEL_FILES]
# Tables with the scores of the masked-language-model heads that are tried or fitted here.
MLM_HEAD_TABLES = collect(
    table("mlm_head"), model=[name for name, model in MODELS.items() if model["mlm_head"] != "own"]
)


rule model:
    """Copy an encoder into the edition's folder, its weights checked by hash."""
    input:
        source_files("models", "{model}"),
    output:
        ENCODER_FILES,
    log:
        log_file("model.{model}"),
    priority: SHOWN_FIRST
    localrule: True
    conda:
        "../../envs/attention.yaml"
    resources:
        submit_host=1,
        mem_mb=memory(500),
        runtime=30,
    params:
        **read_from("models", "{model}"),
        code=code("models/model.py"),
        segment_types=lambda wildcards: ENCODERS[wildcards.model].segment_types,
        model_type=lambda wildcards: ENCODERS[wildcards.model].model_type,
    script:
        "../scripts/models/model.py"


rule fit_mlm_head:
    """Fit a masked-language-model head to an encoder that has none that works, on Wikipedia text."""
    input:
        articles=text_for("segments"),
        tokenizer=TOKENIZER,
        other_tokenizers=other_tokenizers,
        weights=ENCODER,
    output:
        head=edition.mlm_head_file,
        scores=table_files("mlm_head"),
    log:
        log_file("{model}/fit_mlm_head"),
    priority: SHOWN_FIRST
    conda:
        "../../envs/attention.yaml"
    resources:
        **GPU,
        mem_mb=memory(4000),
        runtime=120,
    params:
        **named(
            **corpus_settings("wikipedia", "spans", "max_wordpieces"),
            **SETTINGS["mlm_head"],
            analyzed=SETTINGS["corpora"]["wikipedia"]["segments"],
            seed=SETTINGS["seed"],
        ),
        code=code("models/mlm_head.py"),
        device=SETTINGS["device"],
        head=lambda wildcards: MODELS[wildcards.model]["mlm_head"],
        segment_ids=segment_ids("clark"),
    script:
        "../scripts/models/mlm_head.py"


# A model for each seed, so that several cores train side by side. A checkpoint of the edition replaces the models that begin
# with the encoder's own weights.
rule fine_tuned_model:
    """Fine-tune an encoder on a task, from its own weights or from random ones; or copy a fine-tuned checkpoint."""
    input:
        ready_files,
        task=corpus("tasks/{task}"),
        tokenizer=TOKENIZER,
        weights=ENCODER,
    output:
        config=finetuned_file("config.json", "{initialisation}", "{seed}"),
        weights=finetuned_file("model.safetensors", "{initialisation}", "{seed}"),
    log:
        log_file("{model}/fine_tuned_model.{task}.{initialisation}_{seed}"),
    wildcard_constraints:
        initialisation="pretrained|random",
        seed=r"\d+",
    priority: 1  # fine-tuning is slow, and slow analyses wait for the model
    conda:
        "../../envs/attention.yaml"
    threads: 1  # the weights depend on this number; for large models without a GPU, set --set-threads fine_tuned_model=8
    resources:
        **GPU,
        mem_mb=memory(6000),
        runtime=720,
    params:
        code=code("models/fine_tuned_model.py"),
        recipe=recipe,
        max_wordpieces=SETTINGS["corpora"]["task_examples"]["max_wordpieces"],
        segment_ids=segment_ids("kovaleva"),
        device=SETTINGS["device"],
        origin=ready_origin,
        content=ready_content,
    script:
        "../scripts/models/fine_tuned_model.py"


rule translation_model:
    """Train a small translation model on the invented language and English."""
    input:
        train=rules.stand_in_translations.output.train,
        test=rules.stand_in_translations.output.test,
    output:
        directory(trained_file("{translation_model}")),
    log:
        log_file("translation_model.{translation_model}"),
    priority: 3  # training is slow, so other jobs should run beside it
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=60,
    params:
        **named(
            seed=lambda wildcards: TRANSLATION_MODELS[wildcards.translation_model]["seed"],
            effort=SETTINGS["training_effort"],
        ),
        code=code("models/translation_model.py"),
    script:
        "../scripts/models/translation_model.py"


rule translation_accuracy:
    """Table of how well each translation model predicts the next token of the aligned translations."""
    input:
        **ALIGNMENT,
        models=translation_model_files,
    output:
        table_files("translation_accuracy"),
    log:
        log_file("translation_accuracy"),
    conda:
        "../../envs/attention.yaml"
    resources:
        **GPU,
        mem_mb=memory(6000),
        runtime=60,
    params:
        **read_from_translation_models(),
        code=code("models/translation_accuracy.py"),
        device=SETTINGS["device"],
    script:
        "../scripts/models/translation_accuracy.py"
