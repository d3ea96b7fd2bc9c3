"""Replication of three papers on BERT's attention: the table of contents.

What is replicated stands in an edition (config.yaml, editions/), where it runs in a profile (profiles/), and which part
is a target: a rule that `make targets` lists, or a file under results/.
"""

import os
import re
import sys
from pathlib import Path

from snakemake.utils import min_version

min_version("9.20")

# The library is importable in rules and in scripts, here and on the nodes of a cluster, without being installed.
ROOT = Path(workflow.current_basedir)
if re.search("[{}]", str(ROOT)):
    sys.exit(
        f"ERROR {ROOT}: Snakemake looks for wildcards in braces\n  Remedy: move the project to a folder without them"
    )
sys.path.insert(0, f"{ROOT}/workflow")
os.environ.pop("PYTHONOPTIMIZE", None)  # jobs inherit it, and transformers cannot be imported without its docstrings
os.environ.update(PYTHONPATH=os.pathsep.join(filter(None, [f"{ROOT}/workflow", os.environ.get("PYTHONPATH")])))


configfile: f"{ROOT}/config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/run.smk"
include: "workflow/rules/inputs.smk"
include: "workflow/rules/downloads.smk"
include: "workflow/rules/corpora.smk"
include: "workflow/rules/parsing.smk"
include: "workflow/rules/models.smk"
include: "workflow/rules/attention.smk"


# A paper can be left out: its folder in workflow/bert_attention/papers, its rules, scripts and tests. Rules of its own are
# for what the general rules do not make.
for paper in RESULTS.papers:
    if (ROOT / "workflow" / "rules" / f"{paper}.smk").exists():

        include: f"workflow/rules/{paper}.smk"


include: "workflow/rules/results.smk"
include: "workflow/rules/paper.smk"


# The comparison of encoders.
for folder in RESULTS.comparisons.keys() & RESULT_GROUPS.keys():

    include: f"workflow/rules/{folder}.smk"


rule corpora:
    """All corpora of the edition, and the models trained on them."""
    input:
        collect(model_corpus("segments.jsonl"), model=MODELS),
        collect(corpus("treebank/{split}.conllu"), split=["train", "dev"]),
        corpus("coreference/documents.conllu"),
        collect(corpus("tasks/{task}"), task=TASKS),
        collect(corpus("parsed/{task}.conllu"), task=TASKS),
        corpus("frames.jsonl") if "kovaleva" in PAPERS else [],
        corpus("vectors.txt"),
        PARSER_ACCURACY,
        rules.translation_accuracy.output,
        MLM_HEAD_TABLES,
    localrule: True


rule all:
    """Everything: all papers' tables and figures, and the guide to them."""
    default_target: True
    input:
        # Listed here too, so that deleted figures and tables are rebuilt.
        rules.results_guide.input.results,
        rules.results_guide.output,
    localrule: True
