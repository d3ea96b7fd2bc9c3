"""Inputs of jobs: weights of models, attention stores, and what the plan names. This file has only functions."""

from bert_attention.attention.contents import control_number, control_store, store_name, without_number
from bert_attention.plan import group_of, target

PATTERN_CLASSIFIER = f"resources/{EDITION}/pattern_classifier.safetensors"

# The stores of a task. One job makes all of them, because a job takes longer to start than to run a few hundred examples.
ON_TASKS = list(
    dict.fromkeys(
        control_store(f"tasks/{{task}}/{weights}", number)
        for number in ("", *CONTROL_SEEDS)
        for weights in ("pretrained", "finetuned")
    )
)


def of_ready_model(answer, otherwise=None):
    """Return a function that asks the edition about a fine-tuned checkpoint, for a job that makes a fine-tuned model."""

    def of_job(wildcards):
        source = edition.finetuned_checkpoint(wildcards.model, wildcards.task)
        return answer(*source) if source and wildcards.initialisation == "pretrained" else otherwise

    return of_job


ready_files = of_ready_model(files_of, otherwise=[])
ready_origin = of_ready_model(origin_of)
ready_content = of_ready_model(edition.content)


def recipe(wildcards):
    """Return the params of fine-tuning a model on a task."""
    settings = edition.fine_tuning_on(wildcards.task)
    return {name: settings[name] for name in ("epochs", "examples_seen", "batch_size", "learning_rate")}


def fine_tuned_models(wildcards):
    """Return all models fine-tuned on a task: from an encoder's own weights, then from random weights."""
    return [
        finetuned_file(file, initialisation, seed).format(**wildcards)
        for initialisation in ("pretrained", "random")
        for seed in edition.fine_tuning_seeds(wildcards.model, wildcards.task, initialisation)
        for file in WEIGHTS
    ]


def two_fine_tuned_models(wildcards):
    """Return the models fine-tuned on a task from an encoder's own weights, of at most two seeds."""
    seeds = edition.fine_tuning_seeds(wildcards.model, wildcards.task, "pretrained")[:2]
    return [finetuned_file(file, seed=seed).format(**wildcards) for seed in seeds for file in WEIGHTS]


def task_text(wildcards):
    """Return the files to wait for before a task is read. The task of next-sentence prediction uses the running text."""
    files = files_of("corpora", "tasks", wildcards.task)
    return text_for("nsp", files)(wildcards) if corpus("wikipedia.jsonl") in files else files


# Attention stores, by their names: `treebank_dev`, `random_1/treebank_dev`, `tasks/{task}/finetuned`.
def store_shard(name):
    """Return the path of a shard of an attention store."""
    return f"resources/{EDITION}/{{model}}/attention/{name}/{{scatteritem}}.safetensors"


def store(name):
    """Return all shards of an attention store."""
    gathered = gather.task if without_number(name).startswith("tasks/") else gather.shards
    return gathered(store_shard(name).replace("{model}", "{{model}}"))


def store_output(name):
    """Return a shard as an output. It is temporary unless the edition keeps the store."""
    kept = {"all": True, "own": not control_number(name), "none": False}[SETTINGS["keep_attention"]]
    return store_shard(name) if kept else temp(store_shard(name))


def control_outputs(name):
    """Return the shards of a store of each random encoder, as outputs of one job."""
    return [store_output(control_store(name, number)) for number in CONTROL_SEEDS]


def store_settings(name):
    """Return the settings of a store, for params. Its name may contain wildcards."""
    return lambda wildcards: edition.store_settings(name.format(**wildcards), wildcards.model)


def weights_of(store_name, wildcards):
    """Return the weights behind a store: the encoder's own, random ones, or weights fine-tuned from either."""
    number = control_number(store_name)
    if store_name.endswith("finetuned"):
        return [finetuned_file(file, "random" if number else "pretrained").format(**wildcards) for file in WEIGHTS]
    return [file.format(**wildcards) for file in (random_encoders([number]) if number else ENCODER)]


def running_text(paper, shards=None):
    """Return an input function: the store of running text with a paper's segment ids, or its first shards."""

    def files(wildcards):
        name = store_name("segments", paper, edition.segment_ids_by_paper(wildcards.model))
        first = store(name)[:shards]
        return [file.format(**wildcards) for file in first]

    return files


# Inputs of the analyses.
def file_of(each, wildcards):
    """Return the file of an input. For a store: the shard of the wildcard `scatteritem`, or all shards without it."""
    if each.kind == "attention":
        found = store_name(each.name, each.paper, edition.segment_ids_by_paper(wildcards.model), each.task, each.seed)
        files = [store_shard(found)] if "scatteritem" in wildcards.keys() else store(found)
        return [file.format(**wildcards) for file in files]
    if each.kind == "table":
        return PLAN.replicates(each.name).format(**wildcards)
    return f"resources/{EDITION}/{each.file(wildcards.model)}"


def files_of_inputs(table):
    """Return an input function: the inputs of a table's analysis by their keys. The name may contain wildcards."""
    return lambda wildcards: {each.key: file_of(each, wildcards) for each in PLAN.inputs(table.format(**wildcards))}


def code_of(table, script, step="table", readers=True):
    """Return the digest of a script, of the function that it calls for a table, and of the readers, for params."""

    def digest(wildcards):
        name = table.format(**wildcards)
        opened = [each.reader for each in PLAN.inputs(name)] if readers else []
        return code(script, PLAN.function(name, step), *opened)

    return digest


# With one shard, the job that makes a table also adds up the sums, which takes less time than starting another job.
IN_ONE_SHARD = len(gather.shards("{scatteritem}")) == 1


def reads_sums(table):
    """Return True if other jobs add up the units of a table's analysis. The examples of a task are always one shard."""
    entry = RESULTS.table(table)
    return bool(entry.units) and not entry.for_each and not IN_ONE_SHARD


def analyzed_files(table):
    """Return an input function: the sums of all shards, or the inputs of the analysis. The name may contain wildcards."""

    def files(wildcards):
        name = table.format(**wildcards)
        if not reads_sums(name):
            return files_of_inputs(name)(wildcards)
        return {"sums": gather.shards(f"resources/{EDITION}/{wildcards.model}/sums/{name}/{{scatteritem}}.safetensors")}

    return files


def analysis_params(table):
    """Return the params that go with :func:`analyzed_files`. If the columns of a table change, it is made again."""

    def of_entry(value):
        return lambda wildcards: value(table.format(**wildcards), RESULTS.table(table.format(**wildcards)))

    return {
        "inputs": of_entry(lambda name, entry: PLAN.inputs(name)),
        "sums": of_entry(lambda name, entry: PLAN.function(name, "sums") if entry.units else None),
        "function": of_entry(lambda name, entry: PLAN.function(name)),
        "kwargs": of_entry(lambda name, entry: {key: SETTINGS[key] for key in entry.kwargs}),
        "columns": of_entry(lambda name, entry: list(entry.columns)),
        "statistics": of_entry(lambda name, entry: list(entry.statistics)),
        "code": code_of(table, "attention/tabulate.py"),
    }


def task_table_files(*names):
    """Return tables of one task, with their replicates. Each has the name of the joined table."""
    folder = f"resources/{EDITION}/{{model}}/tasks/{{task}}"
    return [f"{folder}/{Path(file).name}" for name in names for file in PLAN.table_files(name)]


def tables_of_tasks(table):
    """Return an input function: the tables of single tasks that are joined into a table and its siblings."""

    def files(wildcards):
        inputs = PLAN.tables_of_tasks(table.format(**wildcards))
        return {
            each.key: task_table_files(each.name)[-1].format(model=wildcards.model, task=each.task) for each in inputs
        }

    return files


def every_task(path):
    """Return a file of every task. The path may contain {model}."""
    return collect(path.replace("{model}", "{{model}}"), task=TASKS)


# Figures and printed tables.
def tables_shown(name):
    """Return the tables behind a figure or printed table by name, and the files of the published numbers that it shows."""

    def files(wildcards):
        shown = name.format(**wildcards)
        tables = {table: PLAN.table(table).format(**wildcards) for table in RESULTS.shown[shown].tables}
        if shown in RESULTS.figures and not SETTINGS["published_curves"]:
            return tables
        published = {argument: project_file(file) for argument, file in PLAN.published(shown).items()}
        return tables | published

    return files


def tokenizer_shown(wildcards):
    """Return the tokenizer whose special tokens a model's figure names. Figures of the edition name those of BERT."""
    return edition.encoder_file("tokenizer.json").format(**wildcards) if wildcards.model in MODELS else []


def labels_in_report(wildcards):
    """Return the labels of a figure in Snakemake's report. Of figures with the same labels, the report shows only the last."""
    model = {"model": wildcards.model} if len(MODELS) > 1 else {}
    return {"figure": RESULTS.figures[wildcards.figure].label, **model}


def showing_code(name, script):
    """Return the digest of a script that shows a result, and of the functions that it calls, for params."""

    def digest(wildcards):
        shown = name.format(**wildcards)
        return code(script, PLAN.showing_function(shown))

    return digest


def tables_of_paper(wildcards):
    """Return the result tables behind the paper of a model, with the scores of its language-model head."""
    names = PLAN.tables_in_paper(wildcards.model)
    has_scores = MODELS[wildcards.model]["mlm_head"] != "own" and "clark_importance" in names
    return [*names, "mlm_head"] if has_scores else names
