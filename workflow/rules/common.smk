"""The validated edition, and functions that return the paths of its files."""

from collections import defaultdict

from bert_attention.errors import InputError
from bert_attention.judging.kinds import STAND_IN, kind_of_corpus
from bert_attention.plan import WORD_CORPORA, Plan
from bert_attention.results import CONTROL, results
from bert_attention.running.codebase import code_digest
from bert_attention.running.edition import Edition
from bert_attention.running.gpus import has_gpu
from bert_attention.running.options import check_options_once
from bert_attention.yaml_files import check_keys_once


def or_exit(check, *arguments):
    """Return the result of a check. For a user's mistake, end the workflow with the message, without a traceback."""
    try:
        return check(*arguments)
    except InputError as error:
        sys.exit(f"ERROR {error}")


# Snakemake has already read the options and merged these files. Read them again to find duplicates.
if workflow.is_main_process:
    or_exit(check_options_once, sys.argv[1:])
    or_exit(check_keys_once, [ROOT / "config.yaml", *workflow.config_settings.configfiles])
edition = or_exit(Edition, config, ROOT)
SETTINGS = edition.config  # config, with numbers and truth values where --config gives text


def one_of(names):
    """Return a pattern that matches exactly these names."""
    return "|".join(map(re.escape, names)) or "(?!)"


EDITION, MODELS, ENCODERS = edition.name, edition.models, edition.encoders
TRANSLATION_MODELS, DOWNLOADS = edition.translation_models, edition.downloads
TASKS, PAIR_TASKS = edition.tasks, edition.pair_tasks
SEEDS = SETTINGS["fine_tuning"]["seeds"]
# Seeds of the encoders with random weights, by the numbers in the names of their stores and tables.
CONTROL_SEEDS = edition.control_seeds
# Functions that return the path of a file, from its name.
corpus, model_corpus, trained_file = edition.corpus, edition.model_corpus, edition.trained
finetuned_file = edition.finetuned_file

# Resources of a job that can use a GPU. On this machine, profiles/default limits `local_gpu`, so that
# jobs take turns; without a GPU here, they need not.
GPU = {"gpu": 1, "local_gpu": int(has_gpu())} if SETTINGS["device"] != "cpu" else {}


def memory(megabytes):
    """Return the memory of a job, which grows by the same amount with each attempt; for resources."""
    return lambda wildcards, attempt: megabytes * attempt


# Minutes. Many clusters refuse jobs that ask for more.
DAY = 24 * 60


def per_encoder(minutes):
    """Return the time of a job: the same for each encoder that the job runs; for resources."""
    return lambda wildcards, input: minutes * len({Path(file).parent for file in input.weights})


# Sources that jobs read, by their keys. Snakemake calls only the input functions of jobs that the targets need.
SOURCES_READ = set()


def files_of(*path):
    """Return the files to wait for before a source is read: files that a rule makes, and manifests of downloads."""
    SOURCES_READ.add(path)
    files = edition.files(*path)
    return [local(file) if file.startswith("resources/downloads/") else file for file in files]


def origin_of(*path):
    """Return the origin of a source. For a made source in object storage, it is the job's copy."""
    origin = edition.origin(*path)
    _, _, place = origin["source"].partition(":")
    return {**origin, "source": f"path:{workflow.inputfile(place)}"} if edition.files(*path) == [place] else origin


# The purposes of the running text, each with the encoder if it needs segments for an encoder.
USES_OF_TEXT = set()


def text_for(use, files=corpus("wikipedia.jsonl")):
    """Return an input function for a job that uses the running text, or files made from it.

    Preflight knows these uses: `segments`, `trees` and `nsp`.
    """

    def of_job(wildcards):
        USES_OF_TEXT.add((use, wildcards.get("model", "")))
        return files

    return of_job


# A source is named by its keys in the edition, which may contain wildcards: ("corpora", "tasks", "{task}").
def of_source(answer, *path):
    """Return a function that asks the edition about a source, with the job's wildcards filled in."""
    return lambda wildcards: answer(*(key.format(**wildcards) for key in path))


def source_files(*path):
    """Return the files to wait for before a source is read: made files and downloads."""
    return of_source(files_of, *path)


def read_from(*path):
    """Return the origin of a source and a digest of its content, for the params of a rule that reads it."""
    return {"origin": of_source(origin_of, *path), "content": of_source(edition.content, *path)}


def read_from_each(paths):
    """Return params of a rule that reads several sources, by their names."""
    return {
        "origins": {name: origin_of(*path) for name, path in paths.items()},
        "contents": lambda wildcards: {name: edition.content(*path) for name, path in paths.items()},
    }


def read_from_translation_models():
    """Return params of a rule that reads all translation models."""
    return read_from_each({name: ("translation_models", name) for name in TRANSLATION_MODELS}) | {
        "languages": {name: model["languages"] for name, model in TRANSLATION_MODELS.items()},
        "trained": {name: (model["model"], model["seed"]) for name, model in TRANSLATION_MODELS.items()},
    }


def translation_model_files(wildcards):
    """Return the files to wait for before all translation models are read."""
    return [file for name in TRANSLATION_MODELS for file in files_of("translation_models", name)]


# Priorities: jobs that read attention stores run before further stores are written, so that the disk holds few stores.
# Next come the figures of Clark's section 3, which a reader can look at while the run continues.
FREES_STORES, SHOWN_FIRST = 6, 5


wildcard_constraints:
    model=one_of(MODELS),
    translation_model=one_of(TRANSLATION_MODELS),
    task=one_of(TASKS),
    control="(control/)?",
    word_corpus=one_of(WORD_CORPORA),
    segment_ids="zeros|pair",
    download=one_of(DOWNLOADS),


scattergather:
    shards=SETTINGS["attention"]["shards"],
    task=1,  # one job runs a task's few hundred examples faster than a second job starts


# A machine's GPUs limit only the jobs that run on this machine, not the jobs on a cluster.
resource_scopes:
    gpu="local",
    local_gpu="local",


# Models. A job lists every file that it reads, because a machine of a cluster gets only the listed files.
WEIGHTS = ("model.safetensors", "config.json")
TOKENIZER = [edition.encoder_file(file) for file in ("tokenizer.json", "tokenizer_config.json")]
ENCODER = [edition.encoder_file(file) for file in WEIGHTS]


def other_tokenizers(wildcards):
    """Return the tokenizers of all other encoders: running text is cut so that all read the same."""
    others = [model for model in MODELS if model != wildcards.model]
    return [file.format(model=model) for model in others for file in TOKENIZER]


def mlm_head(wildcards):
    """Return the file of a masked-language-model head that is tried or fitted here, or none if the model's own counts."""
    return [] if MODELS[wildcards.model]["mlm_head"] == "own" else edition.mlm_head_file


def corpus_settings(name, *keys):
    """Return some keys of a corpus of the edition, as named params."""
    return {key: SETTINGS["corpora"][name][key] for key in keys}


def named(**params):
    """Return params, and all of them once more with their names.

    Snakemake compares the values of params without their names. It does not see that two values have changed places, or
    that a value has become that of another param.
    """

    def with_names(wildcards):
        return {name: value(wildcards) if callable(value) else value for name, value in params.items()}

    return {**params, "named": with_names}


# Tables for which the edition has no corpus or model.
EDITION_LACKS = [
    *([] if PAIR_TASKS else ["kovaleva_repeated_words"]),
    *([] if len(TASKS) > 1 else ["kovaleva_shared_heads"]),
]


def segment_ids(paper):
    """Return the segment ids of a paper's store, for params."""
    return lambda wildcards: edition.segment_ids(paper, wildcards.model)


# Results: each is one entry of results.yaml, or of the file of this name in a paper's folder.
RESULTS = or_exit(results)
STAND_INS = [name for name in SETTINGS["corpora"] if kind_of_corpus(SETTINGS, name) == STAND_IN]
PLAN = Plan(RESULTS, EDITION, SETTINGS["papers"], ENCODERS, TASKS, PAIR_TASKS, CONTROL_SEEDS, EDITION_LACKS, STAND_INS)
RESULT_GROUPS, PAPERS = PLAN.groups(), PLAN.titles_of_papers
# Results that a paper's rule file adds to those of its results.yaml, by paper.
FURTHER_RESULTS = defaultdict(list)
table, table_files, with_control = PLAN.table, PLAN.table_files, PLAN.files_with_control


def control_pattern(table):
    """Return the pattern of the wildcard ``control`` in a table's path: only empty text if the table has no control."""
    return f"({CONTROL})?" if PLAN.has_control(table) else "()"


def seeds_of(table):
    """Return the seed of each random encoder of a control by number; for other tables, an empty number without seed."""
    return {number: CONTROL_SEEDS.get(number) for number in PLAN.seeds(table)}


def random_seeds(table):
    """Return an input function: the seeds of :func:`seeds_of` for a table or, by the wildcard, its control."""
    return lambda wildcards: seeds_of(wildcards.control + table)


def units_read(wildcards, corpus="segments"):
    """Return how many units of a corpus a table is about, at most; None for all."""
    units = {"segments": "segments", "treebank_dev": "sentences", "coreference": "documents"}.get(corpus, "examples")
    return SETTINGS["control"][units] if wildcards.control else None


def log_file(name):
    """Return the log of a rule."""
    return f"logs/{EDITION}/{name}.log"


# Code and texts of the project that rules use.
def code(script, *functions):
    """Return a digest of the library modules that a script imports, and of functions that it is told to call."""
    modules = [function.rpartition(".")[0] for function in functions]
    return code_digest(ROOT / "workflow" / "scripts" / script, *modules)


def project_file(*path):
    """Return the path of a project file from the working directory, so that moving the project reruns nothing.

    With object storage, too, it lies on this machine.
    """
    return local(os.path.relpath(ROOT.joinpath(*path)))


def files_of_papers(*patterns):
    """Return the files in the folders of the edition's papers that match a pattern, such as ``published/*.csv``."""
    folders = [ROOT / "workflow" / "bert_attention" / "papers" / paper for paper in PAPERS]
    return [project_file(file) for folder in folders for pattern in patterns for file in sorted(folder.glob(pattern))]
