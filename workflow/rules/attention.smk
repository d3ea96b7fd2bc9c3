"""Attention: one forward pass of the encoder over each corpus, into an attention store that all analyses read.

Outputs: resources/<edition>/attention/<corpus>/<i>-of-<n>.safetensors
"""

tabulated_by = partial(calls, script="attention/tabulate.py")


rule extract_attention:
    """Run the encoder over a shard of the segments: attention and value norms, on a GPU where there is one."""
    input:
        segments=model_corpus("segments"),
        tokenizer=model_file("tokenizer.json"),
        weights=model_file("model.safetensors"),
    output:
        store_shard("segments") if config["keep_attention"] else temp(store_shard("segments")),
    log:
        logged(f"{PER_MODEL}extract_attention.{{scatteritem}}"),
    benchmark:
        measured(f"{PER_MODEL}extract_attention.{{scatteritem}}")
    conda:
        "../../envs/attention.yaml"
    threads: 8
    resources:
        mem_mb=3000,
        runtime=240,
        gpu=0 if config["device"] == "cpu" else 1,
    params:
        **code("attention/extract_attention.py"),
        device=config["device"],
        segment_ids=config["segment_ids"],
        batch_size=config["attention"]["batch_size"],
        model=of_model("name"),
    script:
        "../scripts/attention/extract_attention.py"


rule tabulate:
    """(base of the rules that turn an attention store into a table)"""
    input:
        attention=store("segments"),
    log:
        logged("tabulate"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=2000,
        runtime=60,
    script:
        "../scripts/attention/tabulate.py"
