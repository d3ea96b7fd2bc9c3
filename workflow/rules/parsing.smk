"""Parsing of raw text: Wikipedia sentences by spaCy, the tasks' sentences by Stanza, with a pipeline downloaded or trained here.

Outputs: resources/<edition>/trained/stanza/                       a small pipeline, trained on the treebank
         resources/<edition>/corpora/treebank/{train,dev}.conllu   sentences of the Wikipedia text as spaCy parses them
         resources/<edition>/corpora/parsed/<text>.conllu          a raw text as Stanza parses it
         results/<edition>/edition/tables/parser_accuracy.csv      how well the pipeline parses the treebank
"""

if SETTINGS["corpora"]["treebank"]["trees"] == "spacy":

    rule parse_wikipedia_with_spacy:
        """Parse sentences of the Wikipedia text by spaCy, for a treebank of two parts."""
        input:
            source_files("spacy"),
            articles=text_for("trees"),
        output:
            train=corpus("treebank/train.conllu"),
            dev=corpus("treebank/dev.conllu"),
            summary=corpus("summaries/treebank.jsonl"),
        log:
            log_file("parse_wikipedia_with_spacy"),
        priority: 3  # many jobs wait for the parses
        conda:
            "../../envs/parsing.yaml"
        resources:
            mem_mb=memory(3000),
            runtime=60,
        params:
            **named(**corpus_settings("treebank", "relations", "sentences"), seed=SETTINGS["seed"]),
            **read_from("spacy"),
            code=code("parsing/parse_with_spacy.py"),
        script:
            "../scripts/parsing/parse_with_spacy.py"


rule stanza_pipeline:
    """Train a small Stanza pipeline on the treebank, with Stanza's own training code."""
    input:
        train=corpus("treebank/train.conllu"),
        dev=corpus("treebank/dev.conllu"),
    output:
        directory(trained_file("stanza")),
    log:
        log_file("stanza_pipeline"),
    priority: 2  # training is slow, and parsing waits for the pipeline
    conda:
        "../../envs/parsing.yaml"
    threads: 1  # Stanza's training is slower on several threads
    resources:
        mem_mb=memory(4000),
        runtime=60,
    params:
        **named(seed=SETTINGS["seed"], effort=SETTINGS["training_effort"]),
        code=code("parsing/stanza_pipeline.py"),
    script:
        "../scripts/parsing/stanza_pipeline.py"


rule parse_tasks:
    """Parse the analyzed examples of all tasks."""
    input:
        source_files("stanza"),
        texts=every_task(corpus("tasks/{task}")),
    output:
        every_task(corpus("parsed/{task}.conllu")),
    log:
        log_file("parse_tasks"),
    conda:
        "../../envs/parsing.yaml"
    resources:
        **GPU,
        mem_mb=memory(6000),
        runtime=240,
    params:
        **read_from("stanza"),
        **named(analyzed=SETTINGS["corpora"]["task_examples"]["analyzed"], seed=SETTINGS["seed"]),
        code=code("parsing/parse_text.py"),
        device=SETTINGS["device"],
    script:
        "../scripts/parsing/parse_text.py"


use rule parse_tasks as parse_wikipedia with:
    """Parse the paragraphs of the Wikipedia text."""
    input:
        source_files("stanza"),
        texts=[corpus("wikipedia.jsonl")],
    output:
        corpus("parsed/wikipedia.conllu"),
    log:
        log_file("parse_wikipedia"),


rule parser_accuracy:
    """Table of the Stanza pipeline's accuracy on the treebank's dev part, from words and from raw text."""
    input:
        source_files("stanza"),
        treebank=corpus("treebank/dev.conllu"),
    output:
        table_files("parser_accuracy"),
    log:
        log_file("parser_accuracy"),
    conda:
        "../../envs/parsing.yaml"
    resources:
        **GPU,
        mem_mb=memory(6000),
        runtime=120,
    params:
        **read_from("stanza"),
        **named(sentences=500, seed=SETTINGS["seed"]),  # all of the dev part would take longer than the tasks
        code=code("parsing/parser_accuracy.py"),
        treebank=SETTINGS["corpora"]["treebank"],
        device=SETTINGS["device"],
    script:
        "../scripts/parsing/parser_accuracy.py"


# A treebank that the pipeline itself has parsed cannot score the pipeline.
PARSER_ACCURACY = rules.parser_accuracy.output[:1] if SETTINGS["corpora"]["treebank"]["trees"] != "stanza" else []
