"""What jobs read: weights of models, and attention stores. Functions alone, of which rules take their inputs."""

from bert_attention.attention.contents import control_number, control_store, without_number

# The stores of a task. One job makes them all: starting takes longer than a few hundred examples.
ON_TASKS = list(
    dict.fromkeys(
        control_store(f"tasks/{{task}}/{weights}", number)
        for number in ("", *CONTROL_SEEDS)
        for weights in ("pretrained", "finetuned")
    )
)


def of_ready_model(answer, otherwise=None):
    """What the edition answers of a fine-tuned model that is not trained here, for a job."""

    def of_job(wildcards):
        source = edition.ready_model(model_name(wildcards), wildcards.task)
        return answer(*source) if source else otherwise

    return of_job


ready_files = of_ready_model(files_of, otherwise=[])
ready_origin = of_ready_model(origin_of)
ready_content = of_ready_model(edition.content)


def fine_tuned_models(wildcards):
    """All models that are fine-tuned on a task: from an encoder's own weights, then from random ones."""
    return [
        finetuned_file(file, initialisation, seed).format(**wildcards)
        for initialisation in ("pretrained", "random")
        for seed in edition.fine_tuning_seeds(model_name(wildcards), wildcards.task, initialisation)
        for file in WEIGHTS
    ]


def two_fine_tuned_models(wildcards):
    """Models fine-tuned on a task from an encoder's own weights, from two seeds if there are two."""
    seeds = edition.fine_tuning_seeds(model_name(wildcards), wildcards.task, "pretrained")[:2]
    return [finetuned_file(file, seed=seed).format(**wildcards) for seed in seeds for file in WEIGHTS]


def store_shard(name):
    """A shard of the attention store of a corpus."""
    return f"resources/{EDITION}/{MODEL_FOLDER}attention/{name}/{{scatteritem}}.safetensors"


def store_output(name):
    """A shard as an output: kept, or removed when all have read it, as the edition wants."""
    return store_shard(name) if config["keep_attention"] else temp(store_shard(name))


def control_outputs(name):
    """The shards of a store of each random encoder, as outputs: one job makes them all."""
    return [store_output(control_store(name, number)) for number in CONTROL_SEEDS]


def control_groups(wildcards, output):
    """The groups of rows of a table, for params: each random encoder of a control with its seed; else one without a name."""
    return CONTROL_SEEDS if Path(output[0]).parent.name == Path(CONTROL).name else {"": None}


# A rule that reads an attention store gets the files that it has to be made of, too, and as params how it has to be made.
def store(name, shards="all"):
    """An attention store, such as `random_1/treebank_dev` or `tasks/qnli/finetuned`, as an input function.

    That is its weights, tokenizer and corpus, then its shards: all, the first, or the one that the wildcard `scatteritem`
    names.
    """
    corpus = without_number(name)
    task = Path(corpus).parent.name  # empty if it is of no task
    if task:
        text = f"tasks/{task}.jsonl"
    else:
        text = "segments.jsonl" if "segments" in corpus else f"{corpus}.conllu"
    paths = [store_shard(name)]
    if shards != "one":
        gathered = gather.task if task else gather.shards
        paths = gathered(paths[0].replace("{model}", "{{model}}"))[: None if shards == "all" else 1]

    def files(wildcards):
        named = {**wildcards, "model": model_name(wildcards), "task": task}
        made_of = [weights_of(name, named)[0], tokenizer_files(named)[0]]
        return [*made_of, *(path.format(**named) for path in (model_corpus(text), *paths))]

    return files


STORE_SHARD = re.compile(rf"resources/{re.escape(EDITION)}/([^/]+)/attention/(.+)/(\d+)-of-(\d+)\.safetensors")


def made_with(wildcards, output):
    """How the store is made of which a job makes a shard, for params; its model and its name stand in the path."""
    model, name, *_ = STORE_SHARD.search(output[0]).groups()
    return edition.made_with(name, model)


def stores_made_with(wildcards, input):
    """How each store is made that a job reads, and which shard of it is read if not all, by the input's name; for params."""
    found = {}
    for argument, paths in input.items():
        shards = [] if isinstance(paths, str) else list(filter(None, map(STORE_SHARD.search, paths)))
        if shards:
            model, name, *shard = shards[0].groups()
            one = {"shard": tuple(map(int, shard))} if len(shards) == 1 else {}
            found[argument] = edition.made_with(name, model) | one
    return found


def weights_of(store_name, wildcards):
    """The weights whose attention is in a store: the encoder's own, random ones, or fine-tuned on a task from either."""
    number = control_number(store_name)
    if store_name.endswith("finetuned"):
        return [finetuned_file(file, "random" if number else "pretrained").format(**wildcards) for file in WEIGHTS]
    return (random_encoder_files([number]) if number else encoder_files)(wildcards)


def segments_for(paper, shards="all", number=""):
    """The attention store of running text that a paper reads, or that of a random encoder, as an input function."""

    def files(wildcards):
        name = f"segments_{segment_ids(paper)(wildcards)}"
        return store(control_store(name, number), shards)(wildcards)

    return files
