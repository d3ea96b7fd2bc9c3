"""The edition, checked, and the functions that say where its files stand."""

import atexit
import logging
import time

from snakemake.common.configfile import load_configfile

from bert_attention.attention.store import ARRAYS, ATTENTION_ARRAYS, MIXING_ARRAYS, WORDPIECE_ARRAYS
from bert_attention.downloads.sources import locate, parse_source
from bert_attention.errors import InputError
from bert_attention.kovaleva.column_values import SINGLE_SENTENCES
from bert_attention.results import READERS, results, target
from bert_attention.running.codebase import Codebase
from bert_attention.running.configuration import (
    check_annotation,
    check_config,
    check_plain_yaml,
    tasks,
    translation_models,
)
from bert_attention.running.encoders import planned_encoders
from bert_attention.running.failures import Failures
from bert_attention.running.leftovers import clear_leftovers, end_on_hangup
from bert_attention.running.overlays import check_name, put_together, typed
from bert_attention.running.preflight import check_needs, has_gpu, needs_of
from bert_attention.running.last_lines import results_left, results_made
from bert_attention.running.result_files import ResultFiles, group_of
from bert_attention.running.source_contents import MODEL_FILES_READ, SourceContents
from bert_attention.running.terminal import show_progress_bar


def or_exit(check, *arguments):
    """What a check of the library returns; a user's mistake ends the workflow with its message alone."""
    try:
        return check(*arguments)
    except InputError as error:
        sys.exit(f"ERROR {error}")


or_exit(check_plain_yaml, workflow.configfiles)
# Snakemake has merged the overlays, too, but digests of other sources with them, and it leaves nested numbers as text.
CONFIG_SETTINGS = workflow.config_settings
BASE = {} if CONFIG_SETTINGS.replace_workflow_config else load_configfile(f"{ROOT}/config.yaml")
OVERLAYS = [*map(load_configfile, CONFIG_SETTINGS.configfiles), typed(CONFIG_SETTINGS.config)]
config.clear()
config.update(put_together(BASE, OVERLAYS))

or_exit(check_config, config, f"{ROOT}/workflow/schemas/config.schema.yaml")
or_exit(check_name, BASE, OVERLAYS)
or_exit(check_annotation, config, ROOT)

SNAKEMAKE_LOGGER = logging.getLogger("snakemake.logging")
FAILURES = Failures()
if workflow.is_main_process:
    end_on_hangup()
    SNAKEMAKE_LOGGER.addHandler(FAILURES)
    # After all that Snakemake and the progress bar still say.
    atexit.register(lambda: print(FAILURES.last_lines, end="", file=sys.stderr))

# Whoever wants Snakemake's own lines on a terminal asks for them with --verbose.
if workflow.is_main_process and not (workflow.output_settings.verbose or workflow.output_settings.dryrun):
    show_progress_bar(SNAKEMAKE_LOGGER)


def one_of(names):
    """A pattern that matches just these names."""
    return "|".join(map(re.escape, names)) or "(?!)"


def by_name(entries):
    """Entries of a list of the edition by their names."""
    return {entry["name"]: entry for entry in entries}


EDITION = config["edition"]
MODELS = by_name(config["models"])
ENCODERS = or_exit(planned_encoders, config)
TRANSLATION_MODELS = by_name(translation_models(config))  # one for each seed
TASKS = tasks(config)
PAIR_TASKS = [task for task in TASKS if task not in SINGLE_SENTENCES]
# Results of an edition of several models have a folder for each; those of a single model have no wildcard and no folder.
PER_MODEL = "" if len(MODELS) == 1 else "{model}/"
# Below resources, every model has its folder: what took hours is still in its place when a second model comes.
MODEL_FOLDER = "{model}/" if len(MODELS) > 1 else f"{next(iter(MODELS))}/"

# What a job that can use a GPU asks for. Where there is none here, such jobs need not wait for each other; a profile asks
# for those of its cluster.
GPU = int(config["device"] == "cuda" or (config["device"] == "auto" and has_gpu()))


def memory(megabytes):
    """The memory that a job asks for: that much, and as much again whenever it is tried again; for resources."""

    def wanted(wildcards, attempt):
        return megabytes * attempt

    return wanted


STARTED = time.time()

# Jobs read what the main process remembers of the code.
CODEBASE = Codebase(".snakemake/code_digests.json")
CONTENTS = SourceContents(".snakemake/source_digests.json")


# Sources: where the edition has them, and what the workflow makes itself for `miniature:` and `trained:`.
MINIATURE = f"resources/{EDITION}/corpora/miniature"


def trained_file(name):
    """What is trained for an entry of the edition."""
    return f"resources/{EDITION}/trained/{name}"


def with_made_sources(settings, name=""):
    """A part of the edition, in which sources that the workflow makes are replaced by their paths."""
    if isinstance(settings, list):
        return [with_made_sources(entry) for entry in settings]
    if not isinstance(settings, dict):
        return settings
    if "source" not in settings:
        return {key: with_made_sources(entry, key) for key, entry in settings.items()}
    scheme, _, place = settings["source"].partition(":")
    made = {"miniature": f"{MINIATURE}/{place}", "trained": trained_file(settings.get("name", name))}
    return settings | ({"source": f"path:{made[scheme]}"} if scheme in made else {})


SETTINGS = with_made_sources({**config, "translation_models": list(TRANSLATION_MODELS.values())})


def entries_with_sources(settings):
    """Every entry with a source in a part of the edition."""
    if isinstance(settings, dict) and "source" in settings:
        yield settings
    elif isinstance(settings, (dict, list)):
        for entry in settings.values() if isinstance(settings, dict) else settings:
            yield from entries_with_sources(entry)


def downloads():
    """What the edition downloads, by name: sources with their digests. Members of one archive share a name."""
    found = {}
    for entry in entries_with_sources(SETTINGS):
        source = parse_source(entry["source"])
        if source.is_remote:
            found.setdefault(source.download_name, {})[source.text] = entry["sha256"]
    return found


DOWNLOADS = or_exit(downloads)


def setting(path, wildcards):
    """What the edition has under a path of keys, which may hold wildcards; models go by their names."""
    lists = {name: by_name(SETTINGS[name]) for name in ("models", "translation_models")}
    found = {**SETTINGS, **lists}
    for key in path:
        found = found[key.format(**wildcards)]
    return found


def origin(*path):
    """A source with its digest, from under a path of keys of the edition, which may hold wildcards; for params."""

    def entry(wildcards):
        settings = setting(path, wildcards)
        return {"source": settings["source"], "sha256": settings["sha256"]}

    return entry


def read_from(*path):
    """Params of a rule that reads a source under a path of keys; they say where it comes from and what it holds now."""

    def content(wildcards):
        return content_of_source(setting(path, wildcards)["source"], is_model=path[0].endswith("models"))

    return {"origin": origin(*path), "content": content}


def read_from_each(paths):
    """Params of a rule that reads several sources, by their names."""
    read = {name: read_from(*path) for name, path in paths.items()}

    def contents(wildcards):
        return {name: params["content"](wildcards) for name, params in read.items()}

    return {"origins": {name: params["origin"]({}) for name, params in read.items()}, "contents": contents}


def content_of_source(text, is_model=False):
    """What a source on this machine holds, as a digest with its name; None for others, and where there is nothing."""
    if files_of_source(text):
        return None
    try:
        return f"{text} {CONTENTS.digest(locate(text), MODEL_FILES_READ if is_model else ())}"
    except InputError:  # what is missing is reported before the first job
        return None


def source_files(*path):
    """The files that reading a source waits for: made ones and downloads."""

    return lambda wildcards: files_of_source(setting(path, wildcards)["source"])


def files_of_source(text):
    """The file that reading a source waits for, in a list: a made one or a download; none for what is here already."""
    source = parse_source(text)
    if source.is_remote:
        return [f"resources/downloads/{source.download_name}.json"]
    is_made = source.scheme == "path" and source.place.startswith(f"resources/{EDITION}/")
    return [source.place] if is_made else []


def read_from_translation_models():
    """Params of a rule that reads all translation models."""
    return read_from_each({name: ("translation_models", name) for name in TRANSLATION_MODELS})


def translation_model_files(wildcards):
    """The files that reading all translation models waits for."""
    return [file for name in TRANSLATION_MODELS for file in source_files("translation_models", name)(wildcards)]


wildcard_constraints:
    model=one_of(MODELS),
    translation_model=one_of(TRANSLATION_MODELS),
    task=one_of(TASKS),
    weights="pretrained|finetuned",
    word_corpus="treebank_train|treebank_dev|coreference",
    segment_ids="zeros|pair",
    download=one_of(DOWNLOADS),


scattergather:
    shards=config["attention"]["shards"],
    task=1,  # a task's few hundred examples are one job: starting a second would take longer than it saves


# A machine's GPUs are a limit for the jobs that run on it, not for those that a cluster runs elsewhere.
resource_scopes:
    gpu="local",


onstart:
    CODEBASE.remember()
    for leftover in clear_leftovers(["resources", "results"], ".snakemake/locks"):
        print(f"removed {leftover}, which a killed run had begun", file=sys.stderr)
    or_exit(check_needs, needs_of(workflow.dag.needrun_jobs()), EDITION, config["device"], workflow.local_exec)


onsuccess:
    print(results_made(FILES, STARTED), results_left(FILES), sep="", end="", file=sys.stderr)


onerror:
    # Only now is a failure final: a job may be tried again.
    FAILURES.end_run()


# Corpora and models.
def corpus(name):
    """A file or folder of a corpus of the edition, before it is cut for a model."""
    return f"resources/{EDITION}/corpora/{name}"


def model_corpus(name):
    """A file of a corpus as it was cut for a model."""
    return f"resources/{EDITION}/{MODEL_FOLDER}corpora/{name}"


def of_one_model(folder):
    """A function from a file's name to its path in a folder of a model; for a rule of one model, an input function."""

    def file(name):
        return lambda wildcards: f"{folder.format(model=model_name(wildcards))}/{name}"

    return file


model_file = of_one_model("resources/models/{model}")
random_model_file = of_one_model("resources/randomised/{model}/embeddings_kept")


def fitted_mlm_file(name):
    """A file of the masked language model that a model makes with a head fitted here."""
    return f"resources/{EDITION}/{MODEL_FOLDER}masked_language_model/{name}"


def masked_language_model(wildcards):
    """Weights of a model that hold a head for masked language modelling: its own, or with a head fitted here."""
    name = model_name(wildcards)
    if MODELS[name]["mlm_head"] == "own":
        return model_file("model.safetensors")(wildcards)
    return fitted_mlm_file("model.safetensors").format(model=name)


def model_name(wildcards):
    """The model of a job; for a rule without a wildcard, the edition's only one."""
    return wildcards.get("model", next(iter(MODELS)))


def model_setting(key):
    """A key of the model's entry in the edition, for params."""
    return lambda wildcards: MODELS[model_name(wildcards)][key]


def corpus_settings(name, *keys):
    """Some keys of a corpus of the edition, as named params."""
    return {key: config["corpora"][name][key] for key in keys}


# Fine-tuned models. The analyses are of the first seed's.
SEEDS = config["fine_tuning"]["seeds"]


def finetuned_file(name, initialisation="pretrained", seed=SEEDS["pretrained"][0]):
    """A file of a model fine-tuned on a task, from a model's own weights or from random ones."""
    return f"resources/{EDITION}/{MODEL_FOLDER}tasks/{{task}}/finetuned/{initialisation}_{seed}/{name}"


def ready_model(wildcards):
    """The ready model that the edition names for a model and a task, as its place in the list; None if there is none."""
    asked = (model_name(wildcards), wildcards.task)
    entries = enumerate(config["fine_tuning"]["ready"])
    return next((place for place, entry in entries if (entry["model"], entry["task"]) == asked), None)


def ready_origin(wildcards):
    """Where the model fine-tuned on a task comes from that is not trained here; None if it is."""
    place = ready_model(wildcards)
    if place is None:
        return None
    return {key: config["fine_tuning"]["ready"][place][key] for key in ("source", "sha256")}


def ready_files(wildcards):
    """The files that taking a ready model waits for."""
    origin = ready_origin(wildcards)
    return files_of_source(origin["source"]) if origin else []


def ready_content(wildcards):
    """A digest of what a ready model's folder holds."""
    origin = ready_origin(wildcards)
    return content_of_source(origin["source"], is_model=True) if origin else None


def fine_tuned_models(wildcards):
    """The weights of all models that are fine-tuned on a task: from an encoder's own weights, then from random ones."""
    return [
        finetuned_file("model.safetensors", initialisation, seed).format(**wildcards)
        for initialisation in ("pretrained", "random")
        for seed in fine_tuning_seeds(initialisation, wildcards)
    ]


def fine_tuning_seeds(initialisation, wildcards):
    """The seeds that an encoder is fine-tuned from on a task; a ready model stands for the first, alone."""
    seeds = SEEDS[initialisation]
    return seeds if initialisation == "random" or ready_model(wildcards) is None else seeds[:1]


def two_fine_tuned_models(wildcards):
    """Models fine-tuned on a task from an encoder's own weights, from two seeds if there are two."""
    seeds = fine_tuning_seeds("pretrained", wildcards)[:2]
    return [finetuned_file("model.safetensors", seed=seed).format(**wildcards) for seed in seeds]


def weights_on_task(weights, wildcards):
    """The weights whose attention on a task is analysed: the encoder's own, or those fine-tuned on the task."""
    if weights == "pretrained":
        return model_file("model.safetensors")(wildcards)
    return finetuned_file("model.safetensors").format(**wildcards)


# Attention.
def store_shard(name):
    """A shard of the attention store of a corpus."""
    return f"resources/{EDITION}/{MODEL_FOLDER}attention/{name}/{{scatteritem}}.safetensors"


def store_output(name):
    """A shard as an output: kept, or removed when all have read it, as the edition wants."""
    return store_shard(name) if config["keep_attention"] else temp(store_shard(name))


# A rule that reads an attention store gets what the store has to be made of, too; the job compares their digests.
def store(name):
    """The attention store of a corpus, as an input function: weights and corpus that it is of, then all its shards."""

    def files(wildcards):
        weights = random_model_file if name.startswith("random_") else model_file
        corpus = name.removeprefix("random_")
        text = model_corpus("segments.jsonl" if "segments" in corpus else f"{corpus}.conllu")
        shards = gather.shards(store_shard(name).replace("{model}", "{{model}}"))
        model = model_name(wildcards)
        return [weights("model.safetensors")(wildcards), *(file.format(model=model) for file in (text, *shards))]

    return files


def task_store(weights, task="{task}"):
    """The attention store of a task's validation examples, by whose weights they are; as an input function, likewise."""

    def files(wildcards):
        named = {"task": task.format(**wildcards), "model": model_name(wildcards)}
        text = model_corpus("tasks/{task}.jsonl")
        shards = gather.task(re.sub(r"{(model|task)}", r"{{\1}}", store_shard(f"tasks/{{task}}/{weights}")))
        return [weights_on_task(weights, named), *(file.format(**named) for file in (text, *shards))]

    return files


# Tables that the edition has nothing for.
EDITION_LACKS = [
    *([] if PAIR_TASKS else ["kovaleva_repeated_words"]),
    *([] if len(TASKS) > 1 else ["kovaleva_shared_heads"]),
]

# What the papers read of running text. Each gets the segment ids that its own code fed; papers with the same ids share a store.
PAPER_ARRAYS = {"clark": ATTENTION_ARRAYS, "kobayashi": WORDPIECE_ARRAYS, "vig": ATTENTION_ARRAYS}


def segment_ids(paper):
    """The segment ids that a paper's store is made with, for params; a model that tells no segments apart gets zeros."""

    def ids(wildcards):
        tells_apart = ENCODERS[model_name(wildcards)].segment_types > 1
        return config["segment_ids"][paper] if tells_apart else "zeros"

    return ids


def segments_for(paper):
    """The attention store of running text that a paper reads, as an input function."""

    def files(wildcards):
        return store(f"segments_{segment_ids(paper)(wildcards)}")(wildcards)

    return files


def arrays_read(wildcards):
    """What the papers that share a store of running text read of it, for params."""
    papers = [paper for paper in PAPER_ARRAYS if segment_ids(paper)(wildcards) == wildcards.segment_ids]
    read = [name for name in ARRAYS if any(name in PAPER_ARRAYS[paper] for paper in papers)]
    return ENCODERS[model_name(wildcards)].without(read)


def annotation(path):
    """A file of labelled maps, by its path from the project's folder."""
    return os.path.relpath(ROOT / path)


def pattern_stores():
    """The attention stores of all models on all tasks, before and after fine-tuning, by model, task and weights."""
    sources = [(model, task, weights) for model in MODELS for task in TASKS for weights in ("pretrained", "finetuned")]
    return {
        f"{model}/{task}/{weights}": task_store(weights)({"model": model, "task": task})
        for model, task, weights in sources
    }


# Results: each is one entry of results.yaml.
RESULTS = or_exit(results)
FILES = ResultFiles(RESULTS, EDITION, ENCODERS, frozenset(EDITION_LACKS))
RESULT_GROUPS = FILES.groups()
table, tables, results_of = FILES.table, FILES.tables, FILES.of_group


def task_table(name):
    """A table of one task of one model, before the tasks are joined; it has the name of the joined one."""
    return f"resources/{EDITION}/{MODEL_FOLDER}tasks/{{task}}/{name}.csv"


def every_task(path):
    """A file of every task; it may hold {model}."""
    return collect(path.replace("{model}", "{{model}}"), task=TASKS)


def log_file(name):
    """The log of a rule."""
    return f"logs/{EDITION}/{name}.log"


def benchmark_file(name):
    """Time and memory of a rule's job."""
    return f"logs/{EDITION}/benchmarks/{name}.tsv"


# Code and texts of the project that rules use.
def code(script, *modules):
    """Digest of each module that a script and modules reach, as named params: editing one reruns the rule."""
    digests = or_exit(CODEBASE.digests, ROOT / "workflow" / "scripts" / script, *modules)
    return {entry.split()[0]: entry for entry in digests}


def library_call(function, script, *others):
    """The function that a shared script calls for a rule, and the code of both and of further functions, as named params."""
    name = f"bert_attention.{function}"
    return {"function": name, **code(script, *(called.rpartition(".")[0] for called in (name, *others)))}


def project_file(*path):
    """A file of the project as seen from the working directory: a moved project has nothing to run again."""
    return os.path.relpath(ROOT.joinpath("workflow", *path))


def claims(paper):
    """What a paper published."""
    return project_file("claims", f"{paper}.yaml")
