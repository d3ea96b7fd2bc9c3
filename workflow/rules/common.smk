"""The edition, checked, and the functions that say where its files stand."""

import time
from functools import partial

from bert_attention.checks import InputError
from bert_attention.codebase import code_digests
from bert_attention.configuration import check_config
from bert_attention.preflight import check_sources


def checked(check, *arguments):
    """Run a check of the library; a user's mistake ends the workflow with its message alone."""
    try:
        check(*arguments)
    except InputError as error:
        sys.exit(f"ERROR {error}")


checked(check_config, config, f"{ROOT}/workflow/schemas/config.schema.yaml")

STARTED = time.time()
EDITION = config["edition"]
MODELS = {model["name"]: model for model in config["models"]}
# An edition of several models has a folder for each; one of a single model has no wildcard and no folder.
PER_MODEL = "" if len(MODELS) == 1 else "{model}/"


wildcard_constraints:
    model="|".join(MODELS),


scattergather:
    shards=config["attention"]["shards"],


# A machine's GPUs are a limit for the jobs that run on it, not for those that a cluster runs elsewhere.
resource_scopes:
    gpu="local",


onstart:
    checked(check_sources, config)


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


def logged(name):
    """The log of a rule."""
    return f"logs/{EDITION}/{name}.log"


def measured(name):
    """Time and memory of a rule's job."""
    return f"logs/{EDITION}/benchmarks/{name}.tsv"


def corpus(name):
    """A corpus of the edition, before it is cut for a model."""
    return f"resources/{EDITION}/corpora/{name}.jsonl"


def model_corpus(name):
    """A corpus in the wordpieces of a model."""
    return f"resources/{EDITION}/{PER_MODEL}corpora/{name}.jsonl"


def store_shard(name):
    """A shard of the attention store of one corpus."""
    return f"resources/{EDITION}/{PER_MODEL}attention/{name}/{{scatteritem}}.safetensors"


def store(name):
    """All shards of the attention store of one corpus."""
    return gather.shards(store_shard(name).replace("{model}", "{{model}}"))


def model_file(name):
    """A file of a model in standard form; for a rule of one model, an input function."""

    def path(wildcards):
        return f"resources/models/{wildcards.get('model', next(iter(MODELS)))}/{name}"

    return path


def of_model(key):
    """A key of the model's entry in the edition, for params."""

    def value(wildcards):
        return MODELS[wildcards.get("model", next(iter(MODELS)))][key]

    return value


def of_corpus(name, *keys):
    """Some keys of a corpus of the edition, as named params."""
    return {key: config["corpora"][name][key] for key in keys}


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
