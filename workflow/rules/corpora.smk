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
           frames.jsonl                         sentences with frames
           vectors.txt                          word vectors (GloVe's format)
           alignment/{source,target,links}.txt  translations with word alignments (RWTH's notation)
"""

ALIGNMENT = {
    "source_text": corpus("alignment/source.txt"),
    "target_text": corpus("alignment/target.txt"),
    "links": corpus("alignment/links.txt"),
}
MINIATURE_TASKS = ("mrpc", "rte", "stsb", "sst2", "qnli", "mnli", "qqp")


rule miniature:
    """Make the miniature: trees, coreference, frames, tasks and translations, all gold."""
    output:
        train=f"{MINIATURE}/train.conllu",
        dev=f"{MINIATURE}/dev.conllu",
        frames=f"{MINIATURE}/frames.jsonl",
        tasks=[directory(f"{MINIATURE}/tasks/{task}") for task in MINIATURE_TASKS],
        translations_train=collect(f"{MINIATURE}/translations/train.{{file}}", file=["de", "en", "links"]),
        translations_test=collect(f"{MINIATURE}/translations/test.{{file}}", file=["de", "en", "links"]),
    log:
        logged("miniature"),
    benchmark:
        measured("miniature")
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        **code("corpora/miniature.py"),
        **of_corpus("miniature", "sentences", "task_examples", "translations"),
        seed=config["seed"],
    script:
        "../scripts/corpora/miniature.py"


rule wikipedia:
    """Read running text out of the edition's Wikipedia dump."""
    input:
        source_files("corpora", "wikipedia"),
    output:
        corpus("wikipedia.jsonl"),
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
        **of_corpus("wikipedia", "format"),
        origin=given("corpora", "wikipedia"),
    script:
        "../scripts/corpora/wikipedia.py"


rule segments:
    """Cut Wikipedia into two-part segments, as Clark et al. 2019 do."""
    input:
        articles=corpus("wikipedia.jsonl"),
        tokenizer=model_file("tokenizer.json"),
    output:
        model_corpus("segments.jsonl"),
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


if config["corpora"]["treebank"]["trees"] == "gold":

    rule treebank:
        """Read one part of the treebank."""
        input:
            source_files("corpora", "treebank", "{split}"),
        output:
            corpus("treebank/{split}.conllu"),
        log:
            logged("treebank.{split}"),
        conda:
            "../../envs/corpora.yaml"
        resources:
            mem_mb=2000,
            runtime=30,
        params:
            **code("corpora/treebank.py"),
            **of_corpus("treebank", "relations", "ptb_escapes", "sentences"),
            origin=given("corpora", "treebank", "{split}"),
            on_bad_input=config["on_bad_input"],
            seed=config["seed"],
        script:
            "../scripts/corpora/treebank.py"

else:

    rule silver_treebank:
        """Take one part of the Wikipedia text, as Stanza parses it, for a treebank."""
        input:
            corpus("parsed/wikipedia.conllu"),
        output:
            corpus("treebank/{split}.conllu"),
        log:
            logged("treebank.{split}"),
        conda:
            "../../envs/corpora.yaml"
        resources:
            mem_mb=4000,
            runtime=30,
        params:
            **code("corpora/silver_treebank.py"),
            **of_corpus("treebank", "relations", "sentences"),
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
        logged("coreference"),
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        **code("corpora/coreference.py"),
        **of_corpus("coreference", "format", "documents"),
        origin=given("corpora", "coreference"),
        on_bad_input=config["on_bad_input"],
        seed=config["seed"],
    script:
        "../scripts/corpora/coreference.py"


rule fitting_treebank:
    """Take the sentences of the treebank that a model takes whole."""
    input:
        corpus=corpus("treebank/{split}.conllu"),
        tokenizer=model_file("tokenizer.json"),
    output:
        model_corpus("treebank_{split}.conllu"),
    log:
        logged(f"{PER_MODEL}fitting_treebank.{{split}}"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        **code("corpora/fitting_treebank.py"),
        **of_corpus("treebank", "max_wordpieces"),
        on_bad_input=config["on_bad_input"],
    script:
        "../scripts/corpora/fitting_treebank.py"


rule coreference_windows:
    """Cut documents with coreference to what a model takes at once."""
    input:
        corpus=corpus("coreference/documents.conllu"),
        tokenizer=model_file("tokenizer.json"),
        weights=model_file("model.safetensors"),
    output:
        model_corpus("coreference.conllu"),
    log:
        logged(f"{PER_MODEL}coreference_windows"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        **code("corpora/coreference_windows.py"),
        **of_corpus("coreference", "max_wordpieces"),
        on_bad_input=config["on_bad_input"],
    script:
        "../scripts/corpora/coreference_windows.py"


if config["corpora"]["token_frequency"]["source"] == "counted:wikipedia":

    rule counted_tokens:
        """Count a model's tokens in the Wikipedia text."""
        input:
            articles=corpus("wikipedia.jsonl"),
            tokenizer=model_file("tokenizer.json"),
        output:
            model_corpus("token_ranks.npy"),
        log:
            logged(f"{PER_MODEL}counted_tokens"),
        conda:
            "../../envs/attention.yaml"
        resources:
            mem_mb=2000,
            runtime=60,
        params:
            **code("corpora/counted_tokens.py"),
        script:
            "../scripts/corpora/counted_tokens.py"

else:

    rule token_counts:
        """Read how often a model's tokens occur."""
        input:
            source_files("corpora", "token_frequency"),
            tokenizer=model_file("tokenizer.json"),
        output:
            model_corpus("token_ranks.npy"),
        log:
            logged(f"{PER_MODEL}token_counts"),
        conda:
            "../../envs/attention.yaml"
        resources:
            mem_mb=1000,
            runtime=30,
        params:
            **code("corpora/token_counts.py"),
            origin=given("corpora", "token_frequency"),
        script:
            "../scripts/corpora/token_counts.py"


rule task:
    """Read one task of GLUE."""
    input:
        source_files("corpora", "tasks", "{task}"),
    output:
        directory(corpus("tasks/{task}")),
    log:
        logged("task.{task}"),
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        **code("corpora/task.py"),
        origin=given("corpora", "tasks", "{task}"),
        examples=config["corpora"]["task_examples"],
        on_bad_input=config["on_bad_input"],
        seed=config["seed"],
    script:
        "../scripts/corpora/task.py"


rule frames:
    """Read sentences with frames, or select them from FrameNet."""
    input:
        source_files("corpora", "frames"),
    output:
        corpus("frames.jsonl"),
    log:
        logged("frames"),
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        **code("corpora/frames.py"),
        **of_corpus("frames", "format", "selection", "sentences"),
        origin=given("corpora", "frames"),
        on_bad_input=config["on_bad_input"],
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
        logged("trained_vectors"),
    benchmark:
        measured("trained_vectors")
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=4000,
        runtime=120,
    params:
        **code("corpora/trained_vectors.py"),
        **of_corpus("vectors", "dimensions"),
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
        logged("vectors"),
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=6000,
        runtime=60,
    params:
        **code("corpora/vectors.py"),
        origin=given("corpora", "vectors"),
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
        logged("alignment"),
    conda:
        "../../envs/corpora.yaml"
    resources:
        mem_mb=1000,
        runtime=30,
    params:
        **code("corpora/alignment.py"),
        **of_corpus("alignment", "notation", "base", "encoding", "pairs"),
        origins={part: given("corpora", "alignment", part)({}) for part in ALIGNMENT},
        on_bad_input=config["on_bad_input"],
        seed=config["seed"],
    script:
        "../scripts/corpora/alignment.py"
