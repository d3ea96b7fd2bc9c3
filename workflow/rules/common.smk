"""The edition, checked, and the functions that say where its files stand."""

import atexit
import logging
import time

from snakemake.common.configfile import load_configfile

from bert_attention.attention.store import ARRAYS, ATTENTION_ARRAYS, MIXING_ARRAYS, WORDPIECE_ARRAYS
from bert_attention.downloads.sources import locate, parse_source
from bert_attention.errors import InputError
from bert_attention.kovaleva.column_values import SINGLE_SENTENCES
from bert_attention.paper.captions import read_captions, result_formats
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
from bert_attention.running.leftovers import clear_leftovers, end_on_hangup, stray_results
from bert_attention.running.overlays import check_name, put_together, typed
from bert_attention.running.preflight import check_needs, has_gpu, needs_of
from bert_attention.running.rule_logs import check_logs
from bert_attention.running.source_contents import MODEL_FILES_READ, SourceContents
from bert_attention.running.terminal import show_progress_bar
from bert_attention.table_contracts import result_tables


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

# Scripts whose rules take a second each: on a cluster, they run on the submit host. (`localrule` is not handed down by
# `use rule`, so that it cannot stand in the rule which the others are made of.)
LIGHT_SCRIPTS = ("draw_figure.py", "print_table.py", "join_tables.py")


def light_rules():
    """The rules of all light scripts that have been defined so far, by name."""
    return [rule.name for rule in workflow.rules if rule.script and Path(rule.script).name in LIGHT_SCRIPTS]


def memory(megabytes):
    """The memory that a job asks for: that much, and as much again whenever it is tried again; for resources."""

    def wanted(wildcards, attempt):
        return megabytes * attempt

    return wanted


STARTED = time.time()
FEW = 12  # files that the last lines of a run name one by one

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
        return [f"resources/downloads/{source.download_name}/SHA256SUMS"]
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
    split="train|dev",
    weights="pretrained|finetuned",
    initialisation="pretrained|random",
    seed=r"\d+",
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
    print(results_made(), file=sys.stderr)
    print(results_left(), end="", file=sys.stderr)


onerror:
    # Only now is a failure final: a job may be tried again.
    FAILURES.end_run()


def results_left():
    """What the terminal's last lines say of results that stand where this list of models has none; empty if none do."""
    names = {name: entry.per for name, entry in {**result_tables(), **CAPTIONS}.items()}
    names |= {"explorer": "model", "paper": "model"}
    folders = {per: set(map(Path, of_every_model(result_folder(per)))) for per in set(names.values())}
    stray = stray_results(Path(f"results/{EDITION}"), {name: folders[per] for name, per in names.items()})
    if not stray:
        return ""
    now = ", ".join(sorted(map(str, folders["model"])))
    listed = "".join(f"  {folder}: {len(files)} files\n" for folder, files in stray.items())
    return f"""
Not of this run: results of another list of models of the edition {EDITION}, which stay as they were.
{listed}A model's results now stand in {now}. Delete the others when you need them no more.
"""


def results_made():
    """What the terminal's last lines say: the results of this run, and where to begin reading."""
    folder = Path(f"results/{EDITION}")
    found = (file for file in sorted(folder.rglob("*.*")) if not file.name.startswith("."))  # digests of tables
    made = [file for file in found if file.stat().st_mtime >= STARTED]
    shown = [file for file in made if file.suffix not in (".png", ".tex", ".typ")]
    if len(shown) > FEW:
        kinds = {"figures": "figures/*.pdf", "printed tables": "tables/*.md", "tables": "tables/*.csv"}
        counts = {kind: sum(file.match(form) for file in shown) for kind, form in kinds.items()}
        listed = [", ".join(f"{count} {kind}" for kind, count in counts.items() if count) + f" in {folder}/"]
        listed += [f"{file}: {use}" for file, use in where_to_begin() if file in made]
    else:
        listed = list(map(str, shown))
    lines = ["", "Made in this run:", *(f"  {line}" for line in listed)] if made else []
    return "\n".join([*lines, *(claims_judged() if Path(scoreboard_file("csv")) in made else [])])


def where_to_begin():
    """Files that whoever made all results opens first, each with what it is."""
    pages = {"paper.pdf": "all of it as a paper", "explorer.html": "a page on which to look at heads"}
    for page, use in pages.items():
        for file in of_every_model(f"{result_folder('model')}{page}"):
            yield Path(file), use
    yield Path(f"results/{EDITION}/README.md"), "which file shows what"


def claims_judged():
    """How many claims of the papers have which verdict, and where they are listed."""
    # Only this end of a run needs pandas.
    from bert_attention.claims.scoreboard import summary
    from bert_attention.tables import read_table

    return ["", f"{summary(read_table(scoreboard_file('csv')))}.", f"They are listed in {scoreboard_file('md')}"]


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
    """Where a fine-tuned model comes from that is not trained here; None if it is. From random weights, all are."""
    place = ready_model(wildcards)
    if place is None or wildcards.initialisation == "random":
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


def task_store(weights):
    """The attention store of a task's validation examples, by whose weights they are; as an input function, likewise."""

    def files(wildcards):
        text = model_corpus("tasks/{task}.jsonl")
        shards = gather.task(re.sub(r"{(model|task)}", r"{{\1}}", store_shard(f"tasks/{{task}}/{weights}")))
        return [weights_on_task(weights, wildcards), *(file.format(**wildcards) for file in (text, *shards))]

    return files


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


# Results. Their names stand once each: those of tables in tables.yaml, those of figures and printed tables in
# captions.yaml. They begin with the short name of their paper.
PAPERS = {
    "clark": "Clark et al. 2019, What Does BERT Look At?",
    "kovaleva": "Kovaleva et al. 2019, Revealing the Dark Secrets of BERT",
    "kobayashi": "Kobayashi et al. 2020, Attention is Not Only a Weight",
    "coenen": "Coenen et al. 2019, Visualizing and Measuring the Geometry of BERT",
    "vig": "Vig 2019, A Multiscale Visualization of Attention",
}

# Results that set the models of an edition side by side; one of a single model has none.
SIDE_BY_SIDE = {"comparison": "All models side by side"} if len(MODELS) > 1 else {}

CAPTIONS = read_captions(ROOT / "workflow" / "report" / "captions.yaml")

# What belongs to no paper: made with corpora and models, or of all papers. The comparison is of several models.
OF_NO_PAPER = ("scoreboard", "mlm_head", "parser_accuracy", "translation_accuracy")
# Whatever else has a name that begins with no paper's is an analysis that somebody added.
ADDED = {
    name.partition("_")[0]: "Further analyses"
    for name in sorted({*result_tables(), *CAPTIONS})
    if name not in OF_NO_PAPER and name.partition("_")[0] not in (*PAPERS, "comparison")
}
RESULT_GROUPS = PAPERS | SIDE_BY_SIDE | ADDED


def result_folder(per):
    """Where results of a model stand, or those of which the edition has one."""
    return f"results/{EDITION}/{PER_MODEL if per == 'model' else ''}"


def of_every_model(path):
    """The file of every model, or the one file of the edition."""
    return collect(path, model=MODELS) if "{model}" in path else [path]


def models_with(name):
    """The models that a result is made of: some families have nothing for some analyses."""
    return [model for model in MODELS if ENCODERS[model].makes(name)]


def of_models_with(name, path):
    """A result's file of every model that it is made of; or of every model, for whoever asks for it all the same."""
    return collect(path, model=models_with(name) or MODELS) if "{model}" in path else [path]


def table(name):
    """A result table; if it is about an encoder, that of one model."""
    return f"{result_folder(result_tables()[name].per)}tables/{name}.csv"


def tables(name):
    """A result table of every model."""
    return of_models_with(name, table(name))


def printed_or_drawn(name, suffix, per="model"):
    """A printed table or a figure of every model, in one format."""
    folder = "figures" if suffix in ("pdf", "png") else "tables"
    return of_models_with(name, f"{result_folder(per)}{folder}/{name}.{suffix}")


# Tables that an edition has nothing for.
NOT_MADE = {
    *([] if PAIR_TASKS else ["kovaleva_repeated_words"]),
    *([] if len(TASKS) > 1 else ["kovaleva_shared_heads"]),
}


def in_groups(names):
    """Those of some results that belong to a paper, or to another group, and that some encoder of the edition has."""
    return [name for name in names if name.partition("_")[0] in RESULT_GROUPS and models_with(name)]


RESULT_TABLES = [name for name in in_groups(result_tables()) if name not in NOT_MADE]
SHOWN_RESULTS = in_groups(CAPTIONS)


def results_of(group):
    """All tables, printed tables and figures of a paper, or of another group: whatever has a name that begins with its.

    What an edition, or every family of its encoders, has nothing for is not among them.
    """
    data = [file for name in RESULT_TABLES if name.startswith(f"{group}_") for file in tables(name)]
    shown = [(name, CAPTIONS[name].per) for name in SHOWN_RESULTS if name.startswith(f"{group}_")]
    return data + [
        file for name, per in shown for form in result_formats(name) for file in printed_or_drawn(name, form, per)
    ]


def scoreboard_file(suffix):
    """The scoreboard, as a table or as a page."""
    return f"results/{EDITION}/scoreboard.{suffix}"


def tables_in_paper(wildcards):
    """The result tables that the paper of a model takes its numbers from."""
    model = model_name(wildcards)
    return [table(name).format(model=model) for name in RESULT_TABLES if model in models_with(name)]


def shown_in_paper(wildcards):
    """The figures and printed tables of the paper of a model, in the form that it takes them."""
    model = model_name(wildcards)
    found = []
    for name in SHOWN_RESULTS:
        folder, suffix = ("figures", "pdf") if "pdf" in result_formats(name) else ("tables", "typ")
        path = f"{result_folder(CAPTIONS[name].per)}{folder}/{name}.{suffix}"
        found += [path.format(model=model)] if model in models_with(name) else []
    return found


def task_table(name):
    """A table of one task of one model, before the tasks are joined; it has the name of the joined one."""
    return f"resources/{EDITION}/{MODEL_FOLDER}tasks/{{task}}/{name}.csv"


def every_task(path, tasks=TASKS):
    """A file of every task; it may hold {model}."""
    return collect(path.replace("{model}", "{{model}}"), task=tasks)


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


def library_call(function, script):
    """The function that a shared script calls for a rule, and the code of both, as named params."""
    name = f"bert_attention.{function}"
    return {"function": name, **code(script, name.rpartition(".")[0])}


def tabulated_by(function):
    """The analysis that makes a table, for params."""
    return library_call(function, "attention/tabulate.py")


def drawn_by(module):
    """The function that draws a figure, and the figure's caption, for params. The module is named as the figure."""
    return {**library_call(f"{module}.draw", "paper/draw_figure.py"), "caption": caption_of(module).caption}


def printed_by(module):
    """The function that lays out a printed table, for params. The module is named as the table."""
    return library_call(f"{module}.lay_out", "paper/print_table.py")


def caption_of(module):
    """The caption of the figure that a module draws."""
    return CAPTIONS[module.rpartition(".")[2]]


def in_report(files):
    """A figure as the report shows it: under its paper, with its label and caption."""
    return report(files, caption="../report/caption.rst", category=report_category, labels=report_labels)


def report_category(wildcards, output):
    """The paper of a figure, or what else it belongs to; the scoreboard is of all."""
    return RESULT_GROUPS.get(Path(output[0]).name.partition("_")[0], "All papers")


def report_labels(wildcards, output):
    """How the report lists a figure."""
    return {"figure": CAPTIONS[Path(output[0]).stem].label}


def project_file(*path):
    """A file of the project as seen from the working directory: a moved project has nothing to run again."""
    return os.path.relpath(ROOT.joinpath("workflow", *path))


def claims(paper):
    """What a paper published."""
    return project_file("claims", f"{paper}.yaml")


def published_curves(paper):
    """The claims of a paper, where the edition asks for published curves in the figures."""
    return [claims(paper)] if config["published_curves"] else []
