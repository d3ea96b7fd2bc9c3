"""Corpora: from their sources into the library's types.

Outputs: resources/<edition>/corpora/wikipedia.jsonl    articles in paragraphs of sentences
         resources/<edition>/corpora/segments.jsonl     two-part segments of wordpieces, for a model
"""


rule wikipedia:
    """Read running text out of the edition's Wikipedia dump."""
    output:
        corpus("wikipedia"),
    log:
        logged("wikipedia"),
    benchmark:
        measured("wikipedia")
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        **code("corpora/wikipedia.py"),
        **of_corpus("wikipedia", "source", "sha256"),
    script:
        "../scripts/corpora/wikipedia.py"


rule segments:
    """Cut Wikipedia into two-part segments, as Clark et al. 2019 do."""
    input:
        articles=corpus("wikipedia"),
        tokenizer=model_file("tokenizer.json"),
    output:
        model_corpus("segments"),
    log:
        logged(f"{PER_MODEL}segments"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        **code("corpora/segments.py"),
        **of_corpus("wikipedia", "spans", "segments", "max_wordpieces"),
        seed=config["seed"],
    script:
        "../scripts/corpora/segments.py"
