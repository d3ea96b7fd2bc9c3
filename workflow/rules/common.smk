"""The edition, checked, and the functions that say where its files stand."""

from bert_attention.errors import InputError
from bert_attention.plan import Plan
from bert_attention.results import results
from bert_attention.running.codebase import code_digest
from bert_attention.running.edition import Edition
from bert_attention.running.gpus import has_gpu


def or_exit(check, *arguments):
    """What a check of the library returns; a user's mistake ends the workflow with its message alone."""
    try:
        return check(*arguments)
    except InputError as error:
        sys.exit(f"ERROR {error}")


edition = or_exit(Edition, config, ROOT)
SETTINGS = edition.config  # as config, with numbers and truth values also where --config gives text


def one_of(names):
    """A pattern that matches just these names."""
    return "|".join(map(re.escape, names)) or "(?!)"


EDITION, MODELS, ENCODERS = edition.name, edition.models, edition.encoders
TRANSLATION_MODELS, DOWNLOADS = edition.translation_models, edition.downloads
TASKS, PAIR_TASKS = edition.tasks, edition.pair_tasks
SEEDS = SETTINGS["fine_tuning"]["seeds"]
# Of the encoders with random weights, by the numbers that their stores and tables have.
CONTROL_SEEDS = edition.control_seeds
# Functions from a file's name to its path.
corpus, model_corpus, trained_file = edition.corpus, edition.model_corpus, edition.trained
finetuned_file, fitted_mlm_file = edition.finetuned_file, edition.fitted_mlm_file

# What a job that can use a GPU asks for: one, wherever it runs. On this machine, profiles/default limits `local_gpu`, so that
# jobs take turns; without a GPU here, they need not.
GPU = {"gpu": 1, "local_gpu": int(has_gpu())} if SETTINGS["device"] != "cpu" else {}


def memory(megabytes):
    """The memory that a job asks for: that much, and as much again whenever it is tried again; for resources."""
    return lambda wildcards, attempt: megabytes * attempt


def per_encoder(minutes):
    """The time that a job asks for: as much for each encoder that it runs; for resources."""
    return lambda wildcards, input: minutes * len({Path(file).parent for file in input.weights})


# The sources that jobs read, by their keys: Snakemake calls the input functions of those jobs alone that targets need.
SOURCES_READ = set()


def files_of(*path):
    """The files that reading a source waits for: made ones, and of downloads, which stay on this machine, the manifest."""
    SOURCES_READ.add(path)
    files = edition.files(*path)
    return [local(file) if file.startswith("resources/downloads/") else file for file in files]


def origin_of(*path):
    """Where a source comes from; of a made one in object storage, where a job finds its copy."""
    origin = edition.origin(*path)
    _, _, place = origin["source"].partition(":")
    return {**origin, "source": f"path:{workflow.inputfile(place)}"} if edition.files(*path) == [place] else origin


# Sources. Each goes by the keys on the way to it in the edition, which may hold wildcards: ("corpora", "tasks", "{task}").
def of_source(answer, *path):
    """What the edition answers of a source, for a job."""
    return lambda wildcards: answer(*(key.format(**wildcards) for key in path))


def source_files(*path):
    """The files that reading a source waits for: made ones and downloads."""
    return of_source(files_of, *path)


def read_from(*path):
    """Where a source comes from, and what it holds now, for params of what reads it."""
    return {"origin": of_source(origin_of, *path), "content": of_source(edition.content, *path)}


def read_from_each(paths):
    """Params of a rule that reads several sources, by their names."""
    return {
        "origins": {name: origin_of(*path) for name, path in paths.items()},
        "contents": lambda wildcards: {name: edition.content(*path) for name, path in paths.items()},
    }


def read_from_translation_models():
    """Params of a rule that reads all translation models."""
    return read_from_each({name: ("translation_models", name) for name in TRANSLATION_MODELS}) | {
        "languages": {name: model["languages"] for name, model in TRANSLATION_MODELS.items()},
        "trained": {name: (model["model"], model["seed"]) for name, model in TRANSLATION_MODELS.items()},
    }


def translation_model_files(wildcards):
    """The files that reading all translation models waits for."""
    return [file for name in TRANSLATION_MODELS for file in files_of("translation_models", name)]


wildcard_constraints:
    model=one_of(MODELS),
    translation_model=one_of(TRANSLATION_MODELS),
    task=one_of(TASKS),
    control="(control/)?",
    word_corpus="treebank_train|treebank_dev|coreference",
    segment_ids="zeros|pair",
    download=one_of(DOWNLOADS),


scattergather:
    shards=SETTINGS["attention"]["shards"],
    task=1,  # a task's few hundred examples are one job: starting a second would take longer than it saves


# A machine's GPUs are a limit for the jobs that run on it, not for those that a cluster runs elsewhere.
resource_scopes:
    gpu="local",
    local_gpu="local",


# Models. A job lists every file that it reads: on another machine it may find no other.
WEIGHTS = ("model.safetensors", "config.json")
TOKENIZER = collect("resources/models/{{model}}/{file}", file=["tokenizer.json", "tokenizer_config.json"])
ENCODER = collect("resources/models/{{model}}/{file}", file=WEIGHTS)


def random_encoders(numbers=CONTROL_SEEDS):
    """Files of the encoders with random weights but the model's own embeddings: those of all seeds, or of some."""
    return collect("resources/randomised/{{model}}/seed_{number}/{file}", number=numbers, file=WEIGHTS)


def encoders(wildcards):
    """Files of the encoder; for a control, of those with random weights."""
    return [file.format(**wildcards) for file in (random_encoders() if wildcards.control else ENCODER)]


def masked_language_model_files(wildcards):
    """Weights of a model that hold a head for masked language modelling: its own, or with a head fitted here."""
    is_own = MODELS[wildcards.model]["mlm_head"] == "own"
    return ENCODER if is_own else [fitted_mlm_file(file) for file in WEIGHTS]


def corpus_settings(name, *keys):
    """Some keys of a corpus of the edition, as named params."""
    return {key: SETTINGS["corpora"][name][key] for key in keys}


# Tables that the edition has nothing for.
EDITION_LACKS = [
    *([] if PAIR_TASKS else ["kovaleva_repeated_words"]),
    *([] if len(TASKS) > 1 else ["kovaleva_shared_heads"]),
]


def segment_ids(paper):
    """The segment ids that a paper's store is made with, for params."""
    return lambda wildcards: edition.segment_ids(paper, wildcards.model)


# Results: each is one entry of results.yaml.
RESULTS = or_exit(results)
PLAN = Plan(RESULTS, EDITION, SETTINGS["papers"], ENCODERS, TASKS, PAIR_TASKS, CONTROL_SEEDS, EDITION_LACKS)
RESULT_GROUPS, PAPERS = PLAN.groups(), PLAN.titles_of_papers
table, table_files, with_control = PLAN.table, PLAN.table_files, PLAN.files_with_control


def random_seeds(wildcards):
    """The seed of each random encoder of a control, by number, for params; of a table, none, by an empty number."""
    return CONTROL_SEEDS if wildcards.control else {"": None}


def log_file(name):
    """The log of a rule."""
    return f"logs/{EDITION}/{name}.log"


def benchmark_file(name):
    """Time and memory of a rule's job."""
    return f"logs/{EDITION}/benchmarks/{name}.tsv"


# Code and texts of the project that rules use.
def code(script, *functions):
    """A digest of the library's modules that a script imports, and functions that it is told to call."""
    modules = [function.rpartition(".")[0] for function in functions]
    return code_digest(ROOT / "workflow" / "scripts" / script, *modules)


def project_file(*path):
    """A file of the project as seen from the working directory: a moved project has nothing to run again.

    With object storage, too, it lies on this machine.
    """
    return local(os.path.relpath(ROOT.joinpath(*path)))


def claims(paper):
    """What a paper published."""
    return project_file("workflow", "claims", f"{paper}.yaml")
