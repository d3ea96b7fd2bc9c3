"""Corpora: from their sources into the library's types, written in the field's formats.

Outputs: resources/<edition>/corpora/
           stand_ins/                           coreference, frames and translations made from the treebank's sentences
           wikipedia.jsonl                      articles in paragraphs of sentences
           segments.jsonl                       two-part segments of wordpieces, for a model
           treebank/{train,dev}.conllu          trees (CoNLL-U): gold ones, or those of parsed Wikipedia text
           treebank_{train,dev}.conllu          those of them that a model takes
           coreference/documents.conllu         documents with coreference (CorefUD)
           coreference.conllu                   their beginnings that a model takes at once
           tasks/<task>/*.parquet               tasks, in the layout of GLUE on the hub
           tasks/<task>.jsonl                   their validation examples as a model takes them
           vectors.txt                          word vectors (GloVe's format)
           alignment/{source,target,links}.txt  translations with word alignments (RWTH's notation)
           summaries/<corpus>.jsonl             the size of each corpus, what was left out, and an example, for people
"""

ALIGNMENT = {
    "source_text": corpus("alignment/source.txt"),
    "target_text": corpus("alignment/target.txt"),
    "links": corpus("alignment/links.txt"),
}

# The reader of each format. A rule depends only on the code of the reader that its edition uses.
READER_OF_COREFERENCE = {
    "corefud": "bert_attention.corpora.corefud.read_corefud",
    "conll2012": "bert_attention.corpora.conll2012.read_conll2012",
}[SETTINGS["corpora"]["coreference"]["format"]]


rule wikipedia:
    """Read the articles of the edition's running text, in any of its formats."""
    input:
        source_files("corpora", "wikipedia"),
    output:
        corpus("wikipedia.jsonl"),
        summary=corpus("summaries/wikipedia.jsonl"),
    log:
        log_file("wikipedia"),
    priority: SHOWN_FIRST
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=60,
    params:
        **corpus_settings("wikipedia", "format", "articles"),
        **read_from("corpora", "wikipedia"),
        code=code("corpora/wikipedia.py"),
    script:
        "../scripts/corpora/wikipedia.py"


rule segments:
    """Cut Wikipedia into two-part segments, as Clark et al. 2019 do, the same for each model."""
    input:
        articles=text_for("segments"),
        tokenizer=TOKENIZER,
        other_tokenizers=other_tokenizers,
    output:
        model_corpus("segments.jsonl"),
        summary=model_corpus("summaries/wikipedia.jsonl"),
    log:
        log_file("{model}/segments"),
    priority: SHOWN_FIRST
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        **named(**corpus_settings("wikipedia", "spans", "segments", "max_wordpieces"), seed=SETTINGS["seed"]),
        code=code("corpora/segments.py"),
        mlm_head=edition.mlm_head_of_all,  # so that all models read as many segments
    script:
        "../scripts/corpora/segments.py"


if SETTINGS["corpora"]["treebank"]["trees"] == "gold":

    rule treebank:
        """Read both parts of the treebank."""
        input:
            source_files("corpora", "treebank", "train"),
            source_files("corpora", "treebank", "dev"),
        output:
            train=corpus("treebank/train.conllu"),
            dev=corpus("treebank/dev.conllu"),
            summary=corpus("summaries/treebank.jsonl"),
        log:
            log_file("treebank"),
        conda:
            "../../envs/corpora.yaml"
        resources:
            mem_mb=memory(2000),
            runtime=30,
        params:
            **corpus_settings("treebank", "relations", "ptb_escapes", "sentences"),
            **read_from_each({split: ("corpora", "treebank", split) for split in ("train", "dev")}),
            code=code("corpora/treebank.py"),
            on_bad_input=SETTINGS["on_bad_input"],
            seed=SETTINGS["seed"],
        script:
            "../scripts/corpora/treebank.py"

elif SETTINGS["corpora"]["treebank"]["trees"] == "stanza":

    rule silver_treebank:
        """Take sentences of the Wikipedia text, as Stanza parses it, for a treebank of two parts."""
        input:
            text_for("trees", corpus("parsed/wikipedia.conllu")),
        output:
            train=corpus("treebank/train.conllu"),
            dev=corpus("treebank/dev.conllu"),
            summary=corpus("summaries/treebank.jsonl"),
        log:
            log_file("treebank"),
        conda:
            "../../envs/corpora.yaml"
        resources:
            mem_mb=memory(4000),
            runtime=30,
        params:
            **corpus_settings("treebank", "relations", "sentences"),
            code=code("corpora/silver_treebank.py"),
            seed=SETTINGS["seed"],
        script:
            "../scripts/corpora/silver_treebank.py"


rule stand_in_coreference:
    """Make documents with coreference: repeated names, masked where they are repeated."""
    input:
        corpus("treebank/dev.conllu"),
    output:
        corpus("stand_ins/coreference.conllu"),
    log:
        log_file("stand_in_coreference"),
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        code=code("corpora/stand_in_coreference.py"),
    script:
        "../scripts/corpora/stand_in_coreference.py"


rule stand_in_frames:
    """Make sentences with frames: a verb, and its arguments."""
    input:
        corpus("treebank/train.conllu"),
        corpus("treebank/dev.conllu"),
    output:
        corpus("stand_ins/frames.jsonl"),
    log:
        log_file("stand_in_frames"),
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        code=code("corpora/stand_in_frames.py"),
    script:
        "../scripts/corpora/stand_in_frames.py"


rule stand_in_translations:
    """Make sentences in an invented language beside English ones, with the links between their words."""
    input:
        train=corpus("treebank/train.conllu"),
        dev=corpus("treebank/dev.conllu"),
    output:
        train=collect(corpus("stand_ins/translations/train.{file}"), file=["source", "target", "links"]),
        test=collect(corpus("stand_ins/translations/test.{file}"), file=["source", "target", "links"]),
    log:
        log_file("stand_in_translations"),
    priority: 3  # the translation model waits for these sentences
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        **named(pairs=SETTINGS["corpora"]["stand_ins"]["translations"], seed=SETTINGS["seed"]),
        code=code("corpora/stand_in_translations.py"),
    script:
        "../scripts/corpora/stand_in_translations.py"


rule coreference:
    """Read documents with coreference."""
    input:
        source_files("corpora", "coreference"),
    output:
        corpus("coreference/documents.conllu"),
        summary=corpus("summaries/coreference.jsonl"),
    log:
        log_file("coreference"),
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        **named(**corpus_settings("coreference", "documents"), seed=SETTINGS["seed"]),
        **read_from("corpora", "coreference"),
        function=READER_OF_COREFERENCE,
        code=code("corpora/coreference.py", READER_OF_COREFERENCE),
        on_bad_input=SETTINGS["on_bad_input"],
    script:
        "../scripts/corpora/coreference.py"


rule treebank_for_model:
    """Take the sentences of the treebank that fit into a model."""
    input:
        train=corpus("treebank/train.conllu"),
        dev=corpus("treebank/dev.conllu"),
        tokenizer=TOKENIZER,
    output:
        train=model_corpus("treebank_train.conllu"),
        dev=model_corpus("treebank_dev.conllu"),
        summary=model_corpus("summaries/treebank.jsonl"),
    log:
        log_file("{model}/treebank_for_model"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        **corpus_settings("treebank", "max_wordpieces"),
        code=code("corpora/treebank_for_model.py"),
        on_bad_input=SETTINGS["on_bad_input"],
    script:
        "../scripts/corpora/treebank_for_model.py"


rule coreference_for_model:
    """Cut documents with coreference to a model's maximum length."""
    input:
        corpus=corpus("coreference/documents.conllu"),
        tokenizer=TOKENIZER,
        weights=ENCODER,
    output:
        model_corpus("coreference.conllu"),
        summary=model_corpus("summaries/coreference.jsonl"),
    log:
        log_file("{model}/coreference_for_model"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        **corpus_settings("coreference", "max_wordpieces"),
        code=code("corpora/coreference_for_model.py"),
        on_bad_input=SETTINGS["on_bad_input"],
    script:
        "../scripts/corpora/coreference_for_model.py"


rule task:
    """Read one task."""
    input:
        task_text,
    output:
        directory(corpus("tasks/{task}")),
        summary=corpus("summaries/tasks/{task}.jsonl"),
    log:
        log_file("task.{task}"),
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=30,
    params:
        **read_from("corpora", "tasks", "{task}"),
        code=code("corpora/task.py"),
        columns=lambda wildcards: edition.columns(wildcards.task),
        examples=lambda wildcards: {
            "train": edition.fine_tuning_on(wildcards.task)["examples"],
            "dev": SETTINGS["corpora"]["task_examples"]["dev"],
        },
        on_bad_input=SETTINGS["on_bad_input"],
        seed=SETTINGS["seed"],
    script:
        "../scripts/corpora/task.py"


rule tasks_for_model:
    """Tokenize the analyzed examples of all tasks, and cut them to a model's maximum length."""
    input:
        tasks=every_task(corpus("tasks/{task}")),
        tokenizer=TOKENIZER,
    output:
        inputs=every_task(model_corpus("tasks/{task}.jsonl")),
        summary=model_corpus("summaries/tasks.jsonl"),
    log:
        log_file("{model}/tasks_for_model"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        **named(**corpus_settings("task_examples", "analyzed", "max_wordpieces"), seed=SETTINGS["seed"]),
        code=code("corpora/tasks_for_model.py"),
    script:
        "../scripts/corpora/tasks_for_model.py"


rule trained_vectors:
    """Train word vectors on the Wikipedia text."""
    input:
        corpus("wikipedia.jsonl"),
    output:
        trained_file("vectors"),
    log:
        log_file("trained_vectors"),
    priority: 2  # probes wait for the vectors, and keep stores until then
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=120,
    params:
        **named(**corpus_settings("vectors", "dimensions"), seed=SETTINGS["seed"]),
        code=code("corpora/trained_vectors.py"),
    script:
        "../scripts/corpora/trained_vectors.py"


rule vectors:
    """Read word vectors, and check that they know the words of the treebank."""
    input:
        source_files("corpora", "vectors"),
        treebank=[corpus("treebank/train.conllu"), corpus("treebank/dev.conllu")],
    output:
        corpus("vectors.txt"),
        summary=corpus("summaries/vectors.jsonl"),
    log:
        log_file("vectors"),
    priority: 2
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=memory(6000),
        runtime=60,
    params:
        **read_from("corpora", "vectors"),
        code=code("corpora/vectors.py"),
    script:
        "../scripts/corpora/vectors.py"


rule alignment:
    """Read translations with gold word alignments."""
    input:
        source_files("corpora", "alignment", "source_text"),
        source_files("corpora", "alignment", "target_text"),
        source_files("corpora", "alignment", "links"),
    output:
        **ALIGNMENT,
        summary=corpus("summaries/alignment.jsonl"),
    log:
        log_file("alignment"),
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=30,
    params:
        **corpus_settings("alignment", "notation", "base", "encoding", "pairs"),
        **read_from_each({part: ("corpora", "alignment", part) for part in ALIGNMENT}),
        code=code("corpora/alignment.py"),
        on_bad_input=SETTINGS["on_bad_input"],
        seed=SETTINGS["seed"],
    script:
        "../scripts/corpora/alignment.py"
