"""Inputs of jobs: weights of models, attention stores, and what the plan names. This file has only functions."""

from bert_attention.attention.contents import control_number, control_store, store_name, without_number
from bert_attention.plan import group_of, target
from bert_attention.results import CONTROL

PATTERN_CLASSIFIER = f"resources/{EDITION}/pattern_classifier.safetensors"


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
    return shards_of(store_shard(name), without_number(name))


def shards_of(path, corpus):
    """Return a path with {model} and {scatteritem} for all shards of a corpus."""
    gathered = gather.task if corpus.startswith("tasks/") else gather.shards
    return gathered(path.replace("{model}", "{{model}}"))


def store_output(name):
    """Return a shard as an output. It is temporary unless the edition keeps the store."""
    kept = SETTINGS["keep_attention"] == "own" and not control_number(name)
    return store_shard(name) if kept else temp(store_shard(name))


def store_settings(name):
    """Return the settings of a store, for params. Its name may contain wildcards."""
    return lambda wildcards: edition.store_settings(name.format(**wildcards), wildcards.model)


def run_of_encoder(wildcards):
    """Return how an encoder runs, for params."""
    return {"model": wildcards.model, "device": SETTINGS["device"], "batch_size": SETTINGS["attention"]["batch_size"]}


def running_text_settings(paper):
    """Return the settings of the store of running text with a paper's segment ids, for params."""

    def settings(wildcards):
        name = store_name("segments", paper, edition.segment_ids_by_paper(wildcards.model))
        return edition.store_settings(name, wildcards.model, paper)

    return settings


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


# Passes: encoders run over a corpus for all analyses of a paper that read it, and only sums are written.
PASS_SUMS = f"resources/{EDITION}/{{model}}/sums/passes/{{control}}{{paper}}/{{corpus}}/{{scatteritem}}.npz"


def is_of_passes(table):
    """Return True if passes add up the units of a table's analysis."""
    return table in PLAN.summed and (table.startswith(CONTROL) or SETTINGS["keep_attention"] == "none")


def sums_of_passes(table):
    """Return the sums of all passes that a table's analysis takes part in."""
    of_pass = {
        "control": CONTROL if table.startswith(CONTROL) else "",
        "model": "{model}",
        "scatteritem": "{scatteritem}",
    }
    passes = {each.corpus: each.paper for each in PLAN.inputs(table) if each.kind == "attention"}
    return [
        file
        for corpus, paper in passes.items()
        for file in shards_of(PASS_SUMS.format(paper=paper, corpus=corpus, **of_pass), corpus)
    ]


def tables_of_pass(wildcards):
    """Return the inputs of each analysis in a pass, by table."""
    return PLAN.in_pass(wildcards.model, wildcards.control, wildcards.paper, wildcards.corpus)


def inputs_of_pass(wildcards):
    """Return all inputs of the analyses in a pass."""
    return [each for inputs in tables_of_pass(wildcards).values() for each in inputs]


def seeds_of_pass(wildcards):
    """Return the seed of each random encoder of a pass by number. All analyses of a pass have the same."""
    return seeds_of(next(iter(tables_of_pass(wildcards))))


def files_of_pass(wildcards):
    """Return the files that a pass reads: the corpus, the weights, and the inputs that are no attention, by source."""
    corpus = f"{wildcards.corpus}.{'conllu' if wildcards.corpus in WORD_CORPORA else 'jsonl'}"
    weights = {"weights": ENCODER}
    finetuned = [each for each in inputs_of_pass(wildcards) if each.name == "finetuned"]
    for each in finetuned[:1]:
        tuned = [finetuned_file(file, "random" if wildcards.control else "pretrained") for file in WEIGHTS]
        weights["finetuned"] = [file.replace("{task}", each.task) for file in tuned]
    of_model = {key: [file.format(**wildcards) for file in files] for key, files in weights.items()}
    others = {each.source: file_of(each, wildcards) for each in inputs_of_pass(wildcards) if each.kind != "attention"}
    return {"corpus": model_corpus(corpus).format(**wildcards), **of_model, **others}


def settings_of_pass(wildcards):
    """Return the settings of the store that each input of attention stands for, by the input's name, for params."""
    ids = edition.segment_ids_by_paper(wildcards.model)
    inputs = {each.name: each for each in inputs_of_pass(wildcards) if each.kind == "attention"}
    names = {name: store_name(name, each.paper, ids, each.task) for name, each in inputs.items()}
    return {name: edition.store_settings(store, wildcards.model, wildcards.paper) for name, store in names.items()}


def functions_of_pass(wildcards):
    """Return the function that adds up each analysis in a pass, by table, for params."""
    return {table: PLAN.function(table, "sums") for table in tables_of_pass(wildcards)}


def code_of_pass(wildcards):
    """Return the digest of the script of a pass, and of all functions that it calls, for params."""
    readers = {each.reader for each in inputs_of_pass(wildcards)}
    return code("attention/sum_up_pass.py", *sorted({*functions_of_pass(wildcards).values(), *readers}))


# With one shard, the job that makes a table also adds up the sums of stores. Starting another job would take longer.
IN_ONE_SHARD = len(gather.shards("{scatteritem}")) == 1


def reads_sums(table):
    """Return True if other jobs add up the units of a table's analysis. The examples of a task are always one shard."""
    entry = RESULTS.table(table)
    return is_of_passes(table) or (bool(entry.units) and not entry.for_each and not IN_ONE_SHARD)


def analyzed_files(table):
    """Return an input function: the sums of all shards, or the inputs of the analysis. The name may contain wildcards."""

    def files(wildcards):
        name = table.format(**wildcards)
        if is_of_passes(name):
            return {"sums": [file.format(**wildcards) for file in sums_of_passes(name)]}
        if not reads_sums(name):
            return files_of_inputs(name)(wildcards)
        return {"sums": gather.shards(f"resources/{EDITION}/{wildcards.model}/sums/{name}/{{scatteritem}}.npz")}

    return files


def analysis_params(table):
    """Return the params that go with :func:`analyzed_files`. If the columns of a table change, it is made again."""

    def of_entry(value):
        return lambda wildcards: value(table.format(**wildcards), RESULTS.table(table.format(**wildcards)))

    return {
        "table": table,
        "inputs": of_entry(lambda name, entry: PLAN.inputs(name)),
        "sums": of_entry(lambda name, entry: PLAN.function(name, "sums") if entry.units else None),
        "function": of_entry(lambda name, entry: PLAN.function(name)),
        "kwargs": of_entry(lambda name, entry: {key: SETTINGS[key] for key in entry.kwargs}),
        "columns": of_entry(lambda name, entry: list(entry.columns)),
        "statistics": of_entry(lambda name, entry: {each: RESULTS.limits(name, each) for each in entry.statistics}),
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
