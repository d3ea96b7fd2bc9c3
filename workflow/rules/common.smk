"""The edition, checked, and the functions that say where its files stand."""

from bert_attention.errors import InputError
from bert_attention.results import results
from bert_attention.running.codebase import Codebase
from bert_attention.running.edition import Edition
from bert_attention.running.gpus import has_gpu
from bert_attention.running.result_files import ResultFiles, group_of
from bert_attention.running.source_contents import SourceContents


def or_exit(check, *arguments):
    """What a check of the library returns; a user's mistake ends the workflow with its message alone."""
    try:
        return check(*arguments)
    except InputError as error:
        sys.exit(f"ERROR {error}")


# Snakemake has merged the overlays, too, but digests of other sources with them, and it leaves nested numbers as text.
# As a module of another workflow, this one may be given its keys there.
CONFIG_SETTINGS = workflow.config_settings
OF_MODULE = workflow.modifier.skip_configfile
edition = or_exit(
    Edition,
    None if CONFIG_SETTINGS.replace_workflow_config else ROOT / "config.yaml",
    [] if OF_MODULE else CONFIG_SETTINGS.configfiles,
    config if OF_MODULE else CONFIG_SETTINGS.config,
    ROOT,
    SourceContents(".snakemake/source_digests.json"),
)
config.clear()
config.update(edition.config)


def one_of(names):
    """A pattern that matches just these names."""
    return "|".join(map(re.escape, names)) or "(?!)"


EDITION, MODELS, ENCODERS = edition.name, edition.models, edition.encoders
TRANSLATION_MODELS, DOWNLOADS = edition.translation_models, edition.downloads
TASKS, PAIR_TASKS = edition.tasks, edition.pair_tasks
SEEDS = config["fine_tuning"]["seeds"]
# Of the encoders with random weights, by the numbers that their stores and tables have.
CONTROL_SEEDS = edition.control_seeds
# Functions from a file's name to its path.
corpus, model_corpus, trained_file = edition.corpus, edition.model_corpus, edition.trained
finetuned_file, fitted_mlm_file = edition.finetuned_file, edition.fitted_mlm_file
MINIATURE = corpus("miniature")
# Results of an edition of several models have a folder for each; those of a single model have no wildcard and no folder.
PER_MODEL = "" if len(MODELS) == 1 else "{model}/"
MODEL_FOLDER = f"{edition.model_folder}/"

# What a job that can use a GPU asks for. Where there is none here, such jobs need not wait for each other; a profile asks
# for those of its cluster.
GPU = int(config["device"] == "cuda" or (config["device"] == "auto" and has_gpu()))


def memory(megabytes):
    """The memory that a job asks for: that much, and as much again whenever it is tried again; for resources."""
    return lambda wildcards, attempt: megabytes * attempt


def per_encoder(minutes):
    """The time that a job asks for: as much for each encoder that it runs; for resources."""
    return lambda wildcards, input: minutes * len({Path(file).parent for file in input.weights})


# Jobs read what the main process remembers of the code.
CODEBASE = Codebase(".snakemake/code_digests.json")


def files_of(*path):
    """The files that reading a source waits for: made ones, and of downloads, which stay on this machine, the manifest."""
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
    word_corpus="treebank_train|treebank_dev|coreference",
    segment_ids="zeros|pair",
    download=one_of(DOWNLOADS),


scattergather:
    shards=config["attention"]["shards"],
    task=1,  # a task's few hundred examples are one job: starting a second would take longer than it saves


# A machine's GPUs are a limit for the jobs that run on it, not for those that a cluster runs elsewhere.
resource_scopes:
    gpu="local",


# Models.
def model_name(wildcards):
    """The model of a job; for a rule without a wildcard, the edition's only one."""
    return wildcards.get("model", next(iter(MODELS)))


# A job gets every file that it reads, for on another machine it may find no other. The first tells what the rest is.
def in_folder(folder, files):
    """Paths of files in a folder, as an input function; the folder's path may hold {model}."""
    return lambda wildcards: [f"{folder}/{file}".format(model=model_name(wildcards)) for file in files]


WEIGHTS = ("model.safetensors", "config.json")
tokenizer_files = in_folder("resources/models/{model}", ("tokenizer.json", "tokenizer_config.json"))
encoder_files = in_folder("resources/models/{model}", WEIGHTS)


def random_encoder_files(numbers=CONTROL_SEEDS):
    """The encoder with random weights but its own embeddings, as an input function: each that has one of some numbers."""
    return in_folder(
        "resources/randomised/{model}", [f"seed_{number}/{file}" for number in numbers for file in WEIGHTS]
    )


def masked_language_model_files(wildcards):
    """Weights of a model that hold a head for masked language modelling: its own, or with a head fitted here."""
    if MODELS[model_name(wildcards)]["mlm_head"] == "own":
        return encoder_files(wildcards)
    return in_folder(Path(fitted_mlm_file("")), WEIGHTS)(wildcards)


def corpus_settings(name, *keys):
    """Some keys of a corpus of the edition, as named params."""
    return {key: config["corpora"][name][key] for key in keys}


# Tables that the edition has nothing for.
EDITION_LACKS = [
    *([] if PAIR_TASKS else ["kovaleva_repeated_words"]),
    *([] if len(TASKS) > 1 else ["kovaleva_shared_heads"]),
]


def segment_ids(paper):
    """The segment ids that a paper's store is made with, for params."""
    return lambda wildcards: edition.segment_ids(paper, model_name(wildcards))


# Results: each is one entry of results.yaml.
RESULTS = or_exit(results)
FILES = ResultFiles(RESULTS, EDITION, config["papers"], ENCODERS, frozenset(EDITION_LACKS))
RESULT_GROUPS, PAPERS = FILES.groups(), FILES.titles_of_papers
table, tables, table_files, results_of = FILES.table, FILES.tables, FILES.table_files, FILES.of_group


def log_file(name):
    """The log of a rule."""
    return f"logs/{EDITION}/{name}.log"


def benchmark_file(name):
    """Time and memory of a rule's job."""
    return f"logs/{EDITION}/benchmarks/{name}.tsv"


# Code and texts of the project that rules use.
def code(script, *modules):
    """Digest of each module that a script and modules reach, as named params: editing one reruns the rule."""
    return or_exit(CODEBASE.digests, ROOT / "workflow" / "scripts" / script, *modules)


def library_call(function, script, *others):
    """The function that a shared script calls for a rule, and the code of both and of further functions, as named params."""
    name = f"bert_attention.{function}"
    return {"function": name, **code(script, *(called.rpartition(".")[0] for called in (name, *others)))}


def project_file(*path):
    """A file of the project as seen from the working directory: a moved project has nothing to run again.

    With object storage, too, it lies on this machine.
    """
    return local(os.path.relpath(ROOT.joinpath(*path)))


def claims(paper):
    """What a paper published."""
    return project_file("workflow", "claims", f"{paper}.yaml")
