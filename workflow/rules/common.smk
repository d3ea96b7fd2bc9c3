"""The edition, checked, and the functions that say where its files stand."""

import time
from functools import partial

from bert_attention.checks import InputError
from bert_attention.codebase import code_digests
from bert_attention.configuration import check_config
from bert_attention.preflight import check_needs, has_gpu, needs_of
from bert_attention.sources import parse_source
from bert_attention.store import ATTENTION_ARRAYS, WORDPIECE_ARRAYS


def checked(check, *arguments):
    """Run a check of the library; a user's mistake ends the workflow with its message alone."""
    try:
        return check(*arguments)
    except InputError as error:
        sys.exit(f"ERROR {error}")


checked(check_config, config, f"{ROOT}/workflow/schemas/config.schema.yaml")

STARTED = time.time()


def one_of(names):
    """A pattern that matches just these names."""
    return "|".join(map(re.escape, names)) or "(?!)"


def by_name(entries):
    """Entries of a list of the edition by their names."""
    return {entry["name"]: entry for entry in entries}


EDITION = config["edition"]
MODELS = by_name(config["models"])
TRANSLATION_MODELS = by_name(config["translation_models"])
# An edition of several models has a folder for each; one of a single model has no wildcard and no folder.
PER_MODEL = "" if len(MODELS) == 1 else "{model}/"


# What a job that can use a GPU asks for. Where there is none here, such jobs need not wait for each other; a profile asks
# for those of its cluster.
GPU = int(config["device"] == "cuda" or (config["device"] == "auto" and has_gpu()))
TASKS = sorted(config["corpora"]["tasks"])
MINIATURE = f"resources/{EDITION}/corpora/miniature"


def placed(settings, name=""):
    """The edition with the places of what the workflow makes itself for sources ``miniature:`` and ``trained:``."""
    if isinstance(settings, list):
        return [placed(entry) for entry in settings]
    if not isinstance(settings, dict):
        return settings
    if "source" not in settings:
        return {key: placed(entry, key) for key, entry in settings.items()}
    scheme, _, place = settings["source"].partition(":")
    made = {"miniature": f"{MINIATURE}/{place}", "trained": trained_file(settings.get("name", name))}
    return settings | ({"source": f"path:{made[scheme]}"} if scheme in made else {})


def trained_file(name):
    """What is trained for an entry of the edition."""
    return f"resources/{EDITION}/trained/{name}"


def sources(settings):
    """Every entry with a source in a part of the edition."""
    if isinstance(settings, dict) and "source" in settings:
        yield settings
    elif isinstance(settings, (dict, list)):
        for entry in settings.values() if isinstance(settings, dict) else settings:
            yield from sources(entry)


def downloads():
    """What the edition downloads, by name: sources with their digests. Members of one archive share a name."""
    found = {}
    for entry in sources(PLACED):
        source = parse_source(entry["source"])
        if source.is_remote:
            found.setdefault(source.download_name, {})[source.text] = entry["sha256"]
    return found


PLACED = placed(config)
DOWNLOADS = checked(downloads)


wildcard_constraints:
    model=one_of(MODELS),
    translation_model=one_of(TRANSLATION_MODELS),
    task=one_of(TASKS),
    split="train|dev",
    words="treebank_train|treebank_dev|coreference",
    download=one_of(DOWNLOADS),


scattergather:
    shards=config["attention"]["shards"],


# A machine's GPUs are a limit for the jobs that run on it, not for those that a cluster runs elsewhere.
resource_scopes:
    gpu="local",


onstart:
    checked(check_needs, needs_of(workflow.dag.needrun_jobs()), EDITION, config["device"], workflow.local_exec)


onsuccess:
    print(results_made(), file=sys.stderr)


def results_made():
    """What the terminal's last lines say: the results of this run, and where to begin reading."""
    files = sorted(Path(f"results/{EDITION}").rglob("*.*"))
    made = [str(file) for file in files if file.suffix != ".png" and file.stat().st_mtime >= STARTED]
    return "\n".join(["", "Made in this run:", *(f"  {file}" for file in made)]) if made else ""


def table(name):
    """Where a result table of one model stands."""
    return f"results/{EDITION}/{PER_MODEL}tables/{name}.csv"


def tables(name):
    """A result table of every model."""
    return collect(table(name), model=MODELS)


def figure(name, suffix):
    """A figure of every model, in one format."""
    return collect(f"results/{EDITION}/{PER_MODEL}figures/{name}.{suffix}", model=MODELS)


def edition_figure(name, suffix):
    """A figure that is not about an encoder, in one format."""
    return [f"results/{EDITION}/figures/{name}.{suffix}"]


def printed(name, suffix):
    """A printed table of every model, in one format."""
    return collect(f"results/{EDITION}/{PER_MODEL}tables/{name}.{suffix}", model=MODELS)


def logged(name):
    """The log of a rule."""
    return f"logs/{EDITION}/{name}.log"


def measured(name):
    """Time and memory of a rule's job."""
    return f"logs/{EDITION}/benchmarks/{name}.tsv"


def model_corpus(name):
    """A file of a corpus as it was cut for a model."""
    return f"resources/{EDITION}/{PER_MODEL}corpora/{name}"


def store_shard(name):
    """A shard of the attention store of one corpus."""
    return f"resources/{EDITION}/{PER_MODEL}attention/{name}/{{scatteritem}}.safetensors"


def kept(shard):
    """A shard of an attention store, or one that is removed when all have read it, as the edition wants."""
    return shard if config["keep_attention"] else temp(shard)


def store(name):
    """All shards of the attention store of one corpus."""
    return gather.shards(store_shard(name).replace("{model}", "{{model}}"))


def corpus(name):
    """A file or folder of a corpus of the edition, before it is cut for a model."""
    return f"resources/{EDITION}/corpora/{name}"


def model_file(name):
    """A file of a model in standard form; for a rule of one model, an input function."""

    def path(wildcards):
        return f"resources/models/{wildcards.get('model', next(iter(MODELS)))}/{name}"

    return path


def random_model_file(name):
    """As `model_file`, of the same model with random weights and its own embeddings."""

    def path(wildcards):
        return f"resources/randomised/{wildcards.get('model', next(iter(MODELS)))}/embeddings_kept/{name}"

    return path


def mlm_file(name):
    """A file of the masked language model that a model makes with a head fitted here."""
    return f"resources/{EDITION}/{PER_MODEL}masked_language_model/{name}"


def masked_language_model(wildcards):
    """Weights of a model that hold a head for masked language modelling: its own, or with a head fitted here."""
    name = wildcards.get("model", next(iter(MODELS)))
    if MODELS[name]["mlm_head"] == "own":
        return model_file("model.safetensors")(wildcards)
    return mlm_file("model.safetensors").format(model=name)


def edition_table(name):
    """Where a result table stands that is not about an encoder."""
    return f"results/{EDITION}/tables/{name}.csv"


def of_model(key):
    """A key of the model's entry in the edition, for params."""

    def value(wildcards):
        return MODELS[wildcards.get("model", next(iter(MODELS)))][key]

    return value


def of_corpus(name, *keys):
    """Some keys of a corpus of the edition, as named params."""
    return {key: config["corpora"][name][key] for key in keys}


def given(*path):
    """A source with its digest, from under a path of keys of the edition, which may hold wildcards; for params."""

    def entry(wildcards):
        settings = setting(path, wildcards)
        return {"source": settings["source"], "sha256": settings["sha256"]}

    return entry


def source_files(*path):
    """The files that reading a source waits for: made ones, downloads, local ones where they exist."""

    def files(wildcards):
        source = parse_source(setting(path, wildcards)["source"])
        if source.is_remote:
            return [f"resources/downloads/{source.download_name}.json"]
        is_made = source.place.startswith(f"resources/{EDITION}/")
        return [source.place] if source.scheme == "path" and (is_made or Path(source.place).is_file()) else []

    return files


def translation_model_files(wildcards):
    """The files that reading all translation models waits for."""
    return [file for name in TRANSLATION_MODELS for file in source_files("translation_models", name)(wildcards)]


def setting(path, wildcards):
    """What the edition has under a path of keys, which may hold wildcards; models go by their names."""
    found = {**PLACED, "models": by_name(PLACED["models"]), "translation_models": by_name(PLACED["translation_models"])}
    for key in path:
        found = found[key.format(**wildcards)]
    return found


def code(script, *modules):
    """Digest of each library module that a script and modules reach, as named params: editing one reruns the rule."""
    return {entry.split()[0]: entry for entry in code_digests(ROOT / "workflow" / "scripts" / script, *modules)}


def calls(function, script):
    """The function that a shared script calls for a rule, and the code of both, as named params."""
    return {"function": function, **code(script, function.rpartition(".")[0])}


def captions():
    """The captions of all figures."""
    return sorted(beside(file) for file in (ROOT / "workflow" / "report").glob("*_*.rst"))


def published(paper):
    """The claims file of a paper, where the edition asks for published curves in the figures."""
    return [beside(ROOT / "workflow" / "claims" / f"{paper}.yaml")] if config["published_curves"] else []


def beside(path):
    """A file of the project as seen from the working directory: a moved project has nothing to run again."""
    return os.path.relpath(path)
