"""Parsing of raw text by Stanza, with a pipeline that is downloaded or trained here.

Outputs: resources/<edition>/trained/stanza/                 a small pipeline, trained on the miniature
         resources/<edition>/corpora/parsed/<text>.conllu    the sentences of a raw text
         results/<edition>/tables/parser_accuracy.csv        how well the pipeline parses the treebank
"""


rule stanza_pipeline:
    """Train a small Stanza pipeline on the miniature, with Stanza's own training code."""
    input:
        train=rules.miniature.output.train,
        dev=rules.miniature.output.dev,
    output:
        directory(trained_file("stanza")),
    log:
        log_file("stanza_pipeline"),
    benchmark:
        benchmark_file("stanza_pipeline")
    priority: 2  # it takes long, and parsing waits for it
    conda:
        "../../envs/parsing.yaml"
    threads: 1  # its trainers are slower on more
    resources:
        mem_mb=memory(4000),
        runtime=60,
    params:
        **code("parsing/stanza_pipeline.py"),
        seed=config["seed"],
        effort=config["training_effort"],
    script:
        "../scripts/parsing/stanza_pipeline.py"


rule parse_text:
    """(base of the rules that parse raw text)"""
    log:
        log_file("parse_text"),
    conda:
        "../../envs/parsing.yaml"
    threads: 1
    resources:
        mem_mb=memory(6000),
        runtime=240,
        gpu=GPU,
    params:
        **code("parsing/parse_text.py"),
        **read_from("stanza"),
        device=config["device"],
        analysed=config["corpora"]["task_examples"]["analysed"],
        seed=config["seed"],
        untagged=edition.untagged_tasks,
    script:
        "../scripts/parsing/parse_text.py"


use rule parse_text as parse_tasks with:
    """Parse the sentences of all tasks' examples that are analysed."""
    input:
        source_files("stanza"),
        texts=every_task(corpus("tasks/{task}")),
    output:
        every_task(corpus("parsed/{task}.conllu")),
    log:
        log_file("parse_tasks"),
    benchmark:
        benchmark_file("parse_tasks")


use rule parse_text as parse_wikipedia with:
    """Parse the paragraphs of the Wikipedia text."""
    input:
        source_files("stanza"),
        texts=[corpus("wikipedia.jsonl")],
    output:
        corpus("parsed/wikipedia.conllu"),
    log:
        log_file("parse_wikipedia"),
    benchmark:
        benchmark_file("parse_wikipedia")


rule parser_accuracy:
    """Table of how well the Stanza pipeline parses the treebank's dev part, from words and from raw text."""
    input:
        source_files("stanza"),
        treebank=corpus("treebank/dev.conllu"),
    output:
        table_files("parser_accuracy"),
    log:
        log_file("parser_accuracy"),
    conda:
        "../../envs/parsing.yaml"
    threads: 1
    resources:
        mem_mb=memory(6000),
        runtime=120,
        gpu=GPU,
    params:
        **code("parsing/parser_accuracy.py"),
        **read_from("stanza"),
        treebank=config["corpora"]["treebank"],
        device=config["device"],
    script:
        "../scripts/parsing/parser_accuracy.py"
