"""What the entries of results.yaml say, as inputs and params of the rules in results.smk. Functions alone."""

import textwrap

from bert_attention.attention.contents import PAPER_ARRAYS
from bert_attention.results import CONTROL, READERS, control_of, drawing_function, rule_of, target

# Published numbers are read by what shows them, and by no other figure.
PUBLICATIONS = "bert_attention.claims.publications"
PATTERN_CLASSIFIER = f"resources/{EDITION}/pattern_classifier.safetensors"


def data(source, name, task="", shards="all", number=""):
    """What an entry of results.yaml reads, such as `attention treebank_dev`, as an input of the rule for a table.

    Of a store, the files of all shards, or of the one that the wildcard `scatteritem` names. A control reads the stores
    of each random encoder, and all else as it is.
    """
    kind, _, what = source.partition(" ")
    if source == "attention segments":
        return segments_for(group_of(name) if group_of(name) in PAPER_ARRAYS else "clark", shards, number)
    if kind == "attention":
        return store(control_store(f"tasks/{task}/{what}" if task else what, number), shards)
    if kind == "table":
        return table_files(control_of(what) if number and RESULTS.has_control(what) else what)
    if kind == "parses":
        return corpus(f"parsed/{task}.conllu")
    if kind == "classifier":
        return PATTERN_CLASSIFIER
    files = {"examples": f"tasks/{task}.jsonl", "ranks": "token_ranks.npy"}
    return model_corpus(files.get(kind, f"{what}.conllu"))


def inputs_of(name):
    """What the analysis that makes a table reads, by its arguments; by task/argument, if it is made for each task.

    Of a control, the number of the random encoder comes first: 2/task/argument. An analysis of units adds up those of a
    shard.
    """
    entry, own = RESULTS.table(name), name.removeprefix(CONTROL)
    tasks = {None: [""], "task": TASKS, "pair_task": PAIR_TASKS}[entry.of_each]
    shards = "one" if entry.units else "all"
    return {
        "/".join(filter(None, (number, task, argument))): data(source, own, task, shards, number)
        for number in numbers_of(name)
        for task in tasks
        for argument, source in entry.sources.items()
    }


def numbers_of(name):
    """The numbers of the random encoders that a control is made of; of another table, a single empty one."""
    return list(CONTROL_SEEDS) if name.startswith(CONTROL) else [""]


def sums(name):
    """The sums of a shard for an analysis of units."""
    return f"resources/{EDITION}/{MODEL_FOLDER}sums/{name}/{{scatteritem}}.safetensors"


def all_sums(name):
    """Those of all shards."""
    gathered = gather.task if RESULTS.table(name).of_each else gather.shards
    return gathered(sums(name).replace("{model}", "{{model}}"))


def analysis_of(name, step="table"):
    """The function that makes a table, what it is given, and the code of it and of what reads that, for params.

    Parameters
    ----------
    step
        Which of the two functions of an analysis of units: `sums`, or `table`.
    """
    entry = RESULTS.table(name)
    kinds = {argument: source.partition(" ")[0] for argument, source in entry.sources.items()}
    function = f"{entry.analysis}.{step}" if entry.units else entry.analysis
    script = "attention/sum_up.py" if step == "sums" else "attention/tabulate.py"
    readers = [READERS[kind] for kind in kinds.values()] if step == "sums" or not entry.units else []
    return {
        "units": list(entry.units),
        "kinds": kinds,
        "given": list(entry.given),
        "has_statistics": bool(entry.statistics),
        **({"seed": config["seed"]} if "seed" in entry.given else {}),
        **library_call(function, script, *readers),
    }


def task_table(name):
    """A table of one task of one model, before the tasks are joined; it has the name of the joined one."""
    return f"resources/{EDITION}/{MODEL_FOLDER}tasks/{{task}}/{name}.csv"


def task_table_files(name):
    """That table, and its replicates if it has any."""
    return FILES.with_replicates(name, task_table(name))


def every_task(path):
    """A file of every task; it may hold {model}."""
    return collect(path.replace("{model}", "{{model}}"), task=TASKS)


def shown_inputs(name, published):
    """The tables of every model that a figure or printed table is made of; its paper's claims, if those are asked for."""
    of_paper = {"claims": claims(group_of(name))} if published else {}
    return {table: tables(table) for table in RESULTS.shown[name].tables} | of_paper


def drawn_by(name):
    """The function that draws a figure, who reads published curves for it, and the code of both, for params."""
    entry = RESULTS.figures[name]
    published = {"published": f"{PUBLICATIONS}.published_curves"} if entry.published_curves else {}
    drawn = library_call(drawing_function(name), "paper/draw_figure.py", *published.values())
    return {"published": published, "caption": entry.caption, **drawn}


def laid_out_by(name):
    """The function that lays out a printed table, what is published for it, and the code of both, for params."""
    entry = RESULTS.printed_tables[name]
    asked = {"published_rows": entry.published_rows, "published_values": entry.published_values}
    published = {f"{PUBLICATIONS}.{reader}": what for reader, what in asked.items() if what}
    return {"published": published, **library_call(f"paper.{name}.lay_out", "paper/print_table.py", *published)}


def mlm_head_table(wildcards):
    """The scores of the masked-language-model head behind the gradients, if it was fitted."""
    model = model_name(wildcards)
    needed = "clark" in PAPERS and MODELS[model]["mlm_head"] == "fit" and "clark_importance" in FILES.tables_made
    return [table("mlm_head").format(model=model)] if needed else []


def listed(rule_name, text):
    """Give a target its line in `--list-rules`, the beginning of what is said of its result."""
    getattr(rules, rule_name).rule.docstring = textwrap.shorten(text, 118, placeholder=" ...")
