"""Results: a rule for each table, figure and printed table of results.yaml, the same way for all of them.

What needs a script, resources or a corpus of its own has a rule in the file of its paper.

Outputs: results/<edition>/tables/<table>.csv                       an analysis of attention stores, corpora, other tables
         results/<edition>/tables/<printed table>.{md,tex,typ}      as a paper prints it
         results/<edition>/figures/<figure>.{pdf,png}
"""

import textwrap

from bert_attention.results import READERS, target
from bert_attention.running.edition import PAPER_ARRAYS

# Published numbers are read by what shows them, and by no other figure.
PUBLICATIONS = "bert_attention.claims.publications"


def data(source, name, task=None):
    """What an entry of results.yaml reads, such as `attention treebank_dev`, as an input of the rule for a table."""
    kind, _, what = source.partition(" ")
    if source == "attention segments":
        return segments_for(group_of(name) if group_of(name) in PAPER_ARRAYS else "clark")
    if kind == "attention":
        return task_store(what, task) if task else store(what)
    if kind == "table":
        return table(what)
    if kind == "parses":
        return corpus(f"parsed/{task}.conllu")
    files = {"examples": f"tasks/{task}.jsonl", "ranks": "token_ranks.npy"}
    return model_corpus(files.get(kind, f"{what}.conllu"))


def inputs_of(name):
    """What the analysis that makes a table reads, by its arguments; by task/argument, if it is made for each task."""
    entry = RESULTS.tables[name]
    if not entry.of_each:
        return {argument: data(source, name) for argument, source in entry.reads.items()}
    tasks = TASKS if entry.of_each == "task" else PAIR_TASKS
    return {
        f"{task}/{argument}": data(source, name, task) for task in tasks for argument, source in entry.reads.items()
    }


def analysis_of(name):
    """The function that makes a table, what it is given, and the code of it and of what reads that, for params."""
    entry = RESULTS.tables[name]
    kinds = {argument: source.partition(" ")[0] for argument, source in entry.reads.items()}
    return {
        "reads": kinds,
        "given": list(entry.given),
        **({"seed": config["seed"]} if "seed" in entry.given else {}),
        **library_call(entry.analysis, "attention/tabulate.py", *(READERS[kind] for kind in kinds.values())),
    }


def shown_inputs(name, published):
    """The tables of every model that a figure or printed table is made of; its paper's claims, if those are asked for."""
    of_paper = {"claims": claims(group_of(name))} if published else {}
    return {table: tables(table) for table in RESULTS.shown[name].tables} | of_paper


def drawn_by(name):
    """The function that draws a figure, who reads published curves for it, and the code of both, for params."""
    entry, folder = RESULTS.figures[name], f"{group_of(name)}." if "_" in name else ""
    published = {"published": f"{PUBLICATIONS}.published_curves"} if entry.published_curves else {}
    drawn = library_call(f"figures.{folder}{name}.draw", "paper/draw_figure.py", *published.values())
    return {"published": published, "caption": entry.caption, **drawn}


def laid_out_by(name):
    """The function that lays out a printed table, what is published for it, and the code of both, for params."""
    entry = RESULTS.printed_tables[name]
    asked = {"published_rows": entry.published_rows, "published_values": entry.published_values}
    published = {f"{PUBLICATIONS}.{reader}": what for reader, what in asked.items() if what}
    return {"published": published, **library_call(f"paper.{name}.lay_out", "paper/print_table.py", *published)}


def listed(rule_name, text):
    """Give a rule made here its line in lists of rules: the beginning of what is said of its result."""
    workflow.get_rule(rule_name).docstring = textwrap.shorten(text, 118, placeholder=" ...")


for NAME in [name for name, entry in RESULTS.tables.items() if entry.analysis and inputs_of(name)]:

    rule:
        name:
            NAME
        input:
            **inputs_of(NAME),
        output:
            list(map(table, RESULTS.made_by(NAME))),
        log:
            log_file(f"{PER_MODEL}{NAME}"),
        benchmark:
            benchmark_file(f"{PER_MODEL}{NAME}")
        localrule: {"table"} == set(analysis_of(NAME)["reads"].values())
        conda:
            "../../envs/attention.yaml"
        threads: 1  # --set-threads clark_head_distances=8 is faster, with the same table; for few heads, not by much
        resources:
            mem_mb=memory(4000),
            runtime=60,
        params:
            **analysis_of(NAME),
        script:
            "../scripts/attention/tabulate.py"

    listed(NAME, RESULTS.tables[NAME].description)


for NAME in [name for name, entry in RESULTS.tables.items() if entry.of_each and not entry.analysis]:

    rule:
        name:
            NAME
        input:
            **{name: every_task(task_table(name)) for name in RESULTS.made_by(NAME)},
        output:
            list(map(table, RESULTS.made_by(NAME))),
        log:
            log_file(f"{PER_MODEL}{NAME}"),
        localrule: True
        conda:
            "../../envs/figures.yaml"
        resources:
            mem_mb=memory(1000),
            runtime=10,
        params:
            **code("paper/join_tables.py"),
        script:
            "../scripts/paper/join_tables.py"

    listed(NAME, RESULTS.tables[NAME].description)


SHOWN = {name: entry for name, entry in RESULTS.shown.items() if group_of(name) in (*RESULT_GROUPS, "scoreboard")}

for NAME in [name for name in SHOWN if name in RESULTS.figures]:

    rule:
        name:
            target(NAME)
        input:
            **shown_inputs(NAME, RESULTS.figures[NAME].published_curves and config["published_curves"]),
        output:
            pdf=FILES.shown(NAME, "pdf"),
            png=report(
                FILES.shown(NAME, "png"),
                caption="../report/caption.rst",
                category=RESULT_GROUPS.get(group_of(NAME), "All papers"),
                labels={"figure": RESULTS.figures[NAME].label},
            ),
        log:
            log_file(target(NAME)),
        localrule: True
        conda:
            "../../envs/figures.yaml"
        resources:
            mem_mb=memory(1000),
            runtime=10,
        params:
            **drawn_by(NAME),
        script:
            "../scripts/paper/draw_figure.py"

    listed(target(NAME), RESULTS.figures[NAME].caption)


for NAME in [name for name in SHOWN if name in RESULTS.printed_tables]:

    rule:
        name:
            target(NAME)
        input:
            **shown_inputs(NAME, laid_out_by(NAME)["published"]),
        output:
            md=FILES.shown(NAME, "md"),
            tex=FILES.shown(NAME, "tex"),
            typ=FILES.shown(NAME, "typ"),
        log:
            log_file(target(NAME)),
        localrule: True
        conda:
            "../../envs/figures.yaml"
        resources:
            mem_mb=memory(1000),
            runtime=10,
        params:
            **laid_out_by(NAME),
        script:
            "../scripts/paper/print_table.py"

    listed(target(NAME), RESULTS.printed_tables[NAME].caption)


for GROUP, TITLE in RESULT_GROUPS.items():

    rule:
        name:
            GROUP
        input:
            results_of(GROUP),
            MLM_HEAD_TABLES if GROUP == "clark" else [],
        localrule: True

    listed(GROUP, f"All tables and figures: {TITLE}.")
