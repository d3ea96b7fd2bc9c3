"""What jobs read: weights of models, and attention stores. Functions alone, of which rules take their inputs."""


def of_ready_model(answer, otherwise=None):
    """What the edition answers of a fine-tuned model that is not trained here, for a job."""

    def of_job(wildcards):
        source = edition.ready_model(model_name(wildcards), wildcards.task, "pretrained")
        return answer(*source) if source else otherwise

    return of_job


ready_files = of_ready_model(edition.files, otherwise=[])
ready_origin = of_ready_model(edition.origin)
ready_content = of_ready_model(edition.content)


def fine_tuned_models(wildcards):
    """The weights of all models that are fine-tuned on a task: from an encoder's own weights, then from random ones."""
    return [
        finetuned_file("model.safetensors", initialisation, seed).format(**wildcards)
        for initialisation in ("pretrained", "random")
        for seed in edition.fine_tuning_seeds(model_name(wildcards), wildcards.task, initialisation)
    ]


def two_fine_tuned_models(wildcards):
    """Models fine-tuned on a task from an encoder's own weights, from two seeds if there are two."""
    seeds = edition.fine_tuning_seeds(model_name(wildcards), wildcards.task, "pretrained")[:2]
    return [finetuned_file("model.safetensors", seed=seed).format(**wildcards) for seed in seeds]


def store_shard(name):
    """A shard of the attention store of a corpus."""
    return f"resources/{EDITION}/{MODEL_FOLDER}attention/{name}/{{scatteritem}}.safetensors"


def store_output(name):
    """A shard as an output: kept, or removed when all have read it, as the edition wants."""
    return store_shard(name) if config["keep_attention"] else temp(store_shard(name))


# A rule that reads an attention store gets what the store has to be made of, too; the job compares their digests.
def store(name, shards="all"):
    """The attention store of a corpus, as an input function: weights and corpus that it is of, then its shards.

    Those are all, or the one that the wildcard `scatteritem` names.
    """

    def files(wildcards):
        weights = random_model_file if name.startswith("random_") else model_file
        corpus = name.removeprefix("random_")
        text = model_corpus("segments.jsonl" if "segments" in corpus else f"{corpus}.conllu")
        paths = [text, *shard_files(store_shard(name), gather.shards, shards)]
        return [weights("model.safetensors")(wildcards), *filled_in(paths, wildcards, model=model_name(wildcards))]

    return files


def task_store(weights, task="{task}", shards="all"):
    """The attention store of a task's validation examples, by whose weights they are; as an input function, likewise."""

    def files(wildcards):
        named = {"task": task.format(**wildcards), "model": model_name(wildcards)}
        paths = [
            model_corpus("tasks/{task}.jsonl"),
            *shard_files(store_shard(f"tasks/{{task}}/{weights}"), gather.task, shards),
        ]
        return [weights_on_task(weights, named), *filled_in(paths, wildcards, **named)]

    return files


def shard_files(path, gathered, shards):
    """The shards of a store, all or the one that a job is for; other wildcards stay."""
    return gathered(re.sub(r"{(model|task)}", r"{{\1}}", path)) if shards == "all" else [path]


def filled_in(paths, wildcards, **named):
    """Paths with their wildcards filled in."""
    return [path.format(**{**wildcards, **named}) for path in paths]


def weights_on_task(weights, wildcards):
    """The weights whose attention on a task is analysed: the encoder's own, or those fine-tuned on the task."""
    if weights == "pretrained":
        return model_file("model.safetensors")(wildcards)
    return finetuned_file("model.safetensors").format(**wildcards)


def segments_for(paper, shards="all"):
    """The attention store of running text that a paper reads, as an input function."""

    def files(wildcards):
        return store(f"segments_{segment_ids(paper)(wildcards)}", shards)(wildcards)

    return files


def arrays_read(wildcards):
    """What the papers that share a store of running text read of it, for params."""
    return edition.arrays_read(model_name(wildcards), wildcards.segment_ids)


def pattern_stores():
    """The attention stores of all models on all tasks, before and after fine-tuning, by model, task and weights."""
    sources = [(model, task, weights) for model in MODELS for task in TASKS for weights in ("pretrained", "finetuned")]
    return {
        f"{model}/{task}/{weights}": task_store(weights)({"model": model, "task": task})
        for model, task, weights in sources
    }
