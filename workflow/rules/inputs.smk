"""What jobs read: weights of models, and attention stores. Functions alone, of which rules take their inputs."""

from bert_attention.attention.contents import RANDOM


def of_ready_model(answer, otherwise=None):
    """What the edition answers of a fine-tuned model that is not trained here, for a job."""

    def of_job(wildcards):
        source = edition.ready_model(model_name(wildcards), wildcards.task, "pretrained")
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


# A rule that reads an attention store gets the files that it has to be made of, too, and as params how it has to be made.
def store(name, shards="all"):
    """The attention store of a corpus, as an input function: weights, tokenizer, corpus, then its shards.

    Those are all, the first, or the one that the wildcard `scatteritem` names.
    """

    def files(wildcards):
        weights = random_encoder_files if name.startswith(RANDOM) else encoder_files
        corpus = name.removeprefix(RANDOM)
        text = model_corpus("segments.jsonl" if "segments" in corpus else f"{corpus}.conllu")
        paths = [text, *shard_files(store_shard(name), gather.shards, shards)]
        made_of = [weights(wildcards)[0], tokenizer_files(wildcards)[0]]
        return [*made_of, *filled_in(paths, wildcards, model=model_name(wildcards))]

    return files


def task_store(weights, task="{task}", shards="all"):
    """The attention store of a task's validation examples, by whose weights they are; as an input function, likewise."""

    def files(wildcards):
        named = {"task": task.format(**wildcards), "model": model_name(wildcards)}
        paths = [
            model_corpus("tasks/{task}.jsonl"),
            *shard_files(store_shard(f"tasks/{{task}}/{weights}"), gather.task, shards),
        ]
        made_of = [weights_on_task(weights, named)[0], tokenizer_files(named)[0]]
        return [*made_of, *filled_in(paths, wildcards, **named)]

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


def shard_files(path, gathered, shards):
    """The shards of a store, all, the first or the one that a job is for; other wildcards stay."""
    if shards == "one":
        return [path]
    return gathered(re.sub(r"{(model|task)}", r"{{\1}}", path))[: None if shards == "all" else 1]


def filled_in(paths, wildcards, **named):
    """Paths with their wildcards filled in."""
    return [path.format(**{**wildcards, **named}) for path in paths]


def weights_on_task(weights, wildcards):
    """The weights whose attention on a task is analysed: the encoder's own, random ones, or fine-tuned from either."""
    random = weights.startswith(RANDOM)
    if weights.endswith("pretrained"):
        return (random_encoder_files if random else encoder_files)(wildcards)
    return [finetuned_file(file, "random" if random else "pretrained").format(**wildcards) for file in WEIGHTS]


def segments_for(paper, shards="all", random=""):
    """The attention store of running text that a paper reads, or that of random weights, as an input function."""

    def files(wildcards):
        return store(f"{random}segments_{segment_ids(paper)(wildcards)}", shards)(wildcards)

    return files


def pattern_stores():
    """The attention stores of all models on all tasks, before and after fine-tuning, by model, task and weights."""
    sources = [(model, task, weights) for model in MODELS for task in TASKS for weights in ("pretrained", "finetuned")]
    return {
        f"{model}/{task}/{weights}": task_store(weights)({"model": model, "task": task})
        for model, task, weights in sources
    }
