"""Kovaleva, Romanov, Rogers and Rumshisky 2019, "Revealing the Dark Secrets of BERT".

Most tables are made task by task, then joined: resources/<edition>/tasks/<task>/<table>.csv -> results/<edition>/tables/<table>.csv.
"""


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
    threads: 1  # few short sentences: the same tables, to the byte, on any number of cores
    resources:
        mem_mb=3000,
        runtime=60,
        gpu=GPU,
    params:
        **code("kovaleva/kovaleva_frames.py"),
        device=config["device"],
        batch_size=config["attention"]["batch_size"],
        seed=config["seed"],
    script:
        "../scripts/kovaleva/kovaleva_frames.py"


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


use rule draw_figure as kovaleva_figure_3 with:
    """Fig. 3: attention between predicates and frame elements, by head."""
    input:
        kovaleva_frames=tables("kovaleva_frames"),
    pathvars:
        figure="kovaleva_figure_3_frames",
    params:
        **drawn_by("figures.kovaleva.kovaleva_figure_3_frames"),


rule kovaleva:
    """All tables and figures of Kovaleva et al. 2019."""
    input:
        results_of("kovaleva"),
    localrule: True
