"""Models: from wherever the edition has them into a folder of standard form.

Output: resources/models/<model>/{config.json, model.safetensors, tokenizer.json, tokenizer_config.json}
"""


rule model:
    """Bring an encoder into resources/models, its weights checked by hash."""
    output:
        "resources/models/{model}/config.json",
        "resources/models/{model}/model.safetensors",
        "resources/models/{model}/tokenizer.json",
        "resources/models/{model}/tokenizer_config.json",
    log:
        logged("model.{model}"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=500,
        runtime=30,
    params:
        **code("models/model.py"),
        source=of_model("source"),
        sha256=of_model("sha256"),
    script:
        "../scripts/models/model.py"
