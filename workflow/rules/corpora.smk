"""Corpora: from their sources into the library's types, written in the field's formats.

Outputs: resources/<edition>/corpora/
           miniature/                           small English and German with everything gold, made by a generator
           wikipedia.jsonl                      articles in paragraphs of sentences
           segments.jsonl                       two-part segments of wordpieces, for a model
           token_ranks.npy                      frequency rank of each token of a model
           treebank/{train,dev}.conllu          trees (CoNLL-U)
           treebank_{train,dev}.conllu          those of them that a model takes
           coreference/documents.conllu         documents with coreference (CorefUD)
           coreference.conllu                   their beginnings that a model takes at once
           tasks/<task>/*.parquet               tasks of GLUE, in the hub's layout
           tasks/<task>.jsonl                   their validation examples as a model takes them
           frames.jsonl                         sentences with frames
           vectors.txt                          word vectors (GloVe's format)
           alignment/{source,target,links}.txt  translations with word alignments (RWTH's notation)
"""

from bert_attention.corpora.types import LAYOUTS

ALIGNMENT = {
    "source_text": corpus("alignment/source.txt"),
    "target_text": corpus("alignment/target.txt"),
    "links": corpus("alignment/links.txt"),
}
COUNTS_ARE_GIVEN = config["corpora"]["token_frequency"]["source"] != "counted:wikipedia"
# The tasks that the edition takes from the miniature.
TASK_SOURCES = [config["corpora"]["tasks"][task]["source"] for task in TASKS]
MINIATURE_TASKS = [name for name in LAYOUTS if f"miniature:tasks/{name}" in TASK_SOURCES]

# What reads a format. A rule carries the code of its edition's reader and of no other.
READER_OF_FORMAT = {
    "corefud": "corpora.corefud.read_corefud",
    "conll2012": "corpora.conll2012.read_conll2012",
    "jsonl": "corpora.frames.read_framed",
    "framenet": "corpora.framenet.read_framenet",
}


rule miniature:
    """Make the miniature's English: trees, coreference, frames and tasks, all gold."""
    output:
        train=f"{MINIATURE}/train.conllu",
        dev=f"{MINIATURE}/dev.conllu",
        frames=f"{MINIATURE}/frames.jsonl",
        tasks=[directory(f"{MINIATURE}/tasks/{task}") for task in MINIATURE_TASKS],
    log:
        log_file("miniature"),
    benchmark:
        benchmark_file("miniature")
    priority: 2  # the parser waits for it
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        **code("corpora/miniature.py"),
        **corpus_settings("miniature", "sentences", "task_examples"),
        seed=config["seed"],
    script:
        "../scripts/corpora/miniature.py"


rule miniature_translations:
    """Make the miniature's translations, with gold word alignments."""
    output:
        train=collect(f"{MINIATURE}/translations/train.{{file}}", file=["de", "en", "links"]),
        test=collect(f"{MINIATURE}/translations/test.{{file}}", file=["de", "en", "links"]),
    log:
        log_file("miniature_translations"),
    benchmark:
        benchmark_file("miniature_translations")
    priority: 3  # the translation model waits for it
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        **code("corpora/miniature_translations.py"),
        **corpus_settings("miniature", "translations"),
        seed=config["seed"],
    script:
        "../scripts/corpora/miniature_translations.py"


rule wikipedia:
    """Read running text out of the edition's Wikipedia dump, WikiText or plain text."""
    input:
        source_files("corpora", "wikipedia"),
    output:
        corpus("wikipedia.jsonl"),
    log:
        log_file("wikipedia"),
    benchmark:
        benchmark_file("wikipedia")
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=60,
    params:
        **code("corpora/wikipedia.py"),
        **corpus_settings("wikipedia", "format", "articles"),
        **read_from("corpora", "wikipedia"),
    script:
        "../scripts/corpora/wikipedia.py"


rule segments:
    """Cut Wikipedia into two-part segments, as Clark et al. 2019 do."""
    input:
        articles=corpus("wikipedia.jsonl"),
        tokenizer=tokenizer_files,
    output:
        model_corpus("segments.jsonl"),
    log:
        log_file(f"{PER_MODEL}segments"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        **code("corpora/segments.py"),
        **corpus_settings("wikipedia", "spans", "segments", "max_wordpieces"),
        seed=config["seed"],
    script:
        "../scripts/corpora/segments.py"


if config["corpora"]["treebank"]["trees"] == "gold":

    rule treebank:
        """Read both parts of the treebank."""
        input:
            source_files("corpora", "treebank", "train"),
            source_files("corpora", "treebank", "dev"),
        output:
            train=corpus("treebank/train.conllu"),
            dev=corpus("treebank/dev.conllu"),
        log:
            log_file("treebank"),
        conda:
            "../../envs/corpora.yaml"
        resources:
            mem_mb=memory(2000),
            runtime=30,
        params:
            **code("corpora/treebank.py"),
            **corpus_settings("treebank", "relations", "ptb_escapes", "sentences"),
            **read_from_each({split: ("corpora", "treebank", split) for split in ("train", "dev")}),
            on_bad_input=config["on_bad_input"],
            seed=config["seed"],
        script:
            "../scripts/corpora/treebank.py"

else:

    rule silver_treebank:
        """Take the Wikipedia text, as Stanza parses it, for a treebank of two parts."""
        input:
            corpus("parsed/wikipedia.conllu"),
        output:
            train=corpus("treebank/train.conllu"),
            dev=corpus("treebank/dev.conllu"),
        log:
            log_file("treebank"),
        conda:
            "../../envs/corpora.yaml"
        resources:
            mem_mb=memory(4000),
            runtime=30,
        params:
            **code("corpora/silver_treebank.py"),
            **corpus_settings("treebank", "relations", "sentences"),
            seed=config["seed"],
        script:
            "../scripts/corpora/silver_treebank.py"


rule coreference:
    """Read documents with coreference."""
    input:
        source_files("corpora", "coreference"),
    output:
        corpus("coreference/documents.conllu"),
    log:
        log_file("coreference"),
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        **library_call(READER_OF_FORMAT[config["corpora"]["coreference"]["format"]], "corpora/coreference.py"),
        **corpus_settings("coreference", "documents"),
        **read_from("corpora", "coreference"),
        on_bad_input=config["on_bad_input"],
        seed=config["seed"],
    script:
        "../scripts/corpora/coreference.py"


rule treebank_for_model:
    """Take the sentences of the treebank that a model takes whole."""
    input:
        train=corpus("treebank/train.conllu"),
        dev=corpus("treebank/dev.conllu"),
        tokenizer=tokenizer_files,
    output:
        train=model_corpus("treebank_train.conllu"),
        dev=model_corpus("treebank_dev.conllu"),
    log:
        log_file(f"{PER_MODEL}treebank_for_model"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        **code("corpora/treebank_for_model.py"),
        **corpus_settings("treebank", "max_wordpieces"),
        on_bad_input=config["on_bad_input"],
    script:
        "../scripts/corpora/treebank_for_model.py"


rule coreference_for_model:
    """Cut documents with coreference to what a model takes at once."""
    input:
        corpus=corpus("coreference/documents.conllu"),
        tokenizer=tokenizer_files,
        weights=encoder_files,
    output:
        model_corpus("coreference.conllu"),
    log:
        log_file(f"{PER_MODEL}coreference_for_model"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        **code("corpora/coreference_for_model.py"),
        **corpus_settings("coreference", "max_wordpieces"),
        on_bad_input=config["on_bad_input"],
    script:
        "../scripts/corpora/coreference_for_model.py"


rule token_ranks:
    """Rank a model's tokens by frequency; counts of another vocabulary than the model's are not used."""
    input:
        source_files("corpora", "token_frequency"),
        articles=corpus("wikipedia.jsonl"),
        tokenizer=tokenizer_files,
    output:
        ranks=model_corpus("token_ranks.npy"),
        counts=table("kobayashi_token_counts"),
    log:
        log_file(f"{PER_MODEL}token_ranks"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=60,
    params:
        **code("corpora/token_ranks.py"),
        **(read_from("corpora", "token_frequency") if COUNTS_ARE_GIVEN else {"origin": None}),
        vocabulary=config["corpora"]["token_frequency"]["vocabulary"],
    script:
        "../scripts/corpora/token_ranks.py"


rule task:
    """Read one task of GLUE."""
    input:
        source_files("corpora", "tasks", "{task}"),
    output:
        directory(corpus("tasks/{task}")),
    log:
        log_file("task.{task}"),
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=30,
    params:
        **code("corpora/task.py"),
        **read_from("corpora", "tasks", "{task}"),
        examples={split: config["corpora"]["task_examples"][split] for split in ("train", "dev")},
        on_bad_input=config["on_bad_input"],
        seed=config["seed"],
    script:
        "../scripts/corpora/task.py"


rule tasks_for_model:
    """Cut the examples of all tasks that are analysed into the wordpieces that a model takes."""
    input:
        tasks=every_task(corpus("tasks/{task}")),
        tokenizer=tokenizer_files,
    output:
        every_task(model_corpus("tasks/{task}.jsonl")),
    log:
        log_file(f"{PER_MODEL}tasks_for_model"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        **code("corpora/tasks_for_model.py"),
        **corpus_settings("task_examples", "analysed", "max_wordpieces"),
        seed=config["seed"],
    script:
        "../scripts/corpora/tasks_for_model.py"


rule frames:
    """Read sentences with frames, and select those that Kovaleva et al. 2019 take."""
    input:
        source_files("corpora", "frames"),
    output:
        sentences=corpus("frames.jsonl"),
        counts=table("kovaleva_frame_selection"),
    log:
        log_file("frames"),
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=60,
    params:
        **library_call(READER_OF_FORMAT[config["corpora"]["frames"]["format"]], "corpora/frames.py"),
        **corpus_settings("frames", "selection", "sentences"),
        **read_from("corpora", "frames"),
        settings={"on_bad_input": config["on_bad_input"]} if config["corpora"]["frames"]["format"] == "jsonl" else {},
        seed=config["seed"],
    script:
        "../scripts/corpora/frames.py"


rule trained_vectors:
    """Train word vectors on the Wikipedia text."""
    input:
        corpus("wikipedia.jsonl"),
    output:
        trained_file("vectors"),
    log:
        log_file("trained_vectors"),
    benchmark:
        benchmark_file("trained_vectors")
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=120,
    params:
        **code("corpora/trained_vectors.py"),
        **corpus_settings("vectors", "dimensions"),
        seed=config["seed"],
    script:
        "../scripts/corpora/trained_vectors.py"


rule vectors:
    """Read word vectors."""
    input:
        source_files("corpora", "vectors"),
    output:
        corpus("vectors.txt"),
    log:
        log_file("vectors"),
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=memory(6000),
        runtime=60,
    params:
        **code("corpora/vectors.py"),
        **read_from("corpora", "vectors"),
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
    log:
        log_file("alignment"),
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=30,
    params:
        **code("corpora/alignment.py"),
        **corpus_settings("alignment", "notation", "base", "encoding", "pairs"),
        **read_from_each({part: ("corpora", "alignment", part) for part in ALIGNMENT}),
        on_bad_input=config["on_bad_input"],
        seed=config["seed"],
    script:
        "../scripts/corpora/alignment.py"
