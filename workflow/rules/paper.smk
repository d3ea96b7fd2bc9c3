"""The paper, and what else is of all papers.

Outputs: results/<edition>/README.md       what this folder holds
         results/<edition>/scoreboard.*    every claim of the papers, published beside replicated
         results/<edition>/explorer.html   a page on which to look at heads
         results/<edition>/explorer_<translation model>.html    one on which to look at its cross-attention
         results/<edition>/paper.pdf       all of it as a paper
"""

from bert_attention.explorer.notes import TABLES
from bert_attention.explorer.page import PARTS

# The tables of all papers, and those of random weights.
JUDGED = [name for name in FILES.tables_made if group_of(name) in PAPERS] + FILES.controls_made

# Of papers that read no running text, there is no attention that the explorer could show.
EXPLORERS = FILES.of_every_model(f"{FILES.folder('model')}explorer.html")
if not {"clark", "kobayashi", "vig"} & PAPERS.keys():
    EXPLORERS = []
OF_CLARK = "clark" in PAPERS
# Of a model that is trained from several seeds, the first one's.
TRANSLATED = {model["model"]: name for name, model in reversed(TRANSLATION_MODELS.items())}.values()
if "kobayashi" in PAPERS:
    EXPLORERS += [f"results/{EDITION}/explorer_{name}.html" for name in TRANSLATED]

# What the explorer says of heads, and what the same numbers are with random weights.
FOUND_OF_HEADS = [name for name in FILES.tables_made + FILES.controls_made if name.removeprefix(CONTROL) in TABLES]


rule scoreboard:
    """Every claim of the papers, published beside replicated, with a verdict by rule."""
    input:
        tables=[file for name in JUDGED for file in tables(name)],
        replicates=[file for name in JUDGED for file in FILES.replicates(name)],
        claims=[claims(paper) for paper in PAPERS],
    output:
        table=table("scoreboard"),
        page=f"results/{EDITION}/scoreboard.md",
    log:
        log_file("scoreboard"),
    localrule: True
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        **code("paper/scoreboard.py"),
        edition=config,
        titles=PAPERS,
    script:
        "../scripts/paper/scoreboard.py"


rule results_guide:
    """A guide to the edition's results: the models and corpora, and what each file shows."""
    input:
        results=[
            *(file for group in RESULT_GROUPS for file in results_of(group)),
            *(MLM_HEAD_TABLES if OF_CLARK else []),
            *EXPLORERS,
            *rules.scoreboard.output,
            *rules.scoreboard_figure.output,
            *FILES.of_every_model(f"{FILES.folder('model')}paper.pdf"),
        ],
        scoreboard=table("scoreboard"),
        positions=tables("clark_positions") if OF_CLARK else [],
        entries=project_file("workflow", "bert_attention", "results.yaml"),
    output:
        f"results/{EDITION}/README.md",
    log:
        log_file("results_guide"),
    localrule: True
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=memory(500),
        runtime=10,
    params:
        **code("paper/results_guide.py"),
        edition=config,
        models=FILES.models_with("clark_positions") if OF_CLARK else [],
    script:
        "../scripts/paper/results_guide.py"


rule explorer:
    """A page on which to look at a model's heads: the shortest texts of the store of running text, and what was found."""
    input:
        sequences=segments_for("kobayashi"),
        tokenizer=tokenizer_files,
        weights=encoder_files,
        tables=[table(name) for name in FOUND_OF_HEADS],
        evidence=[table("clark_evidence")] if OF_CLARK else [],
        parts=[project_file("workflow", "bert_attention", "explorer", part) for part in PARTS],
    output:
        f"{FILES.folder('model')}explorer.html",
    log:
        log_file(f"{PER_MODEL}explorer"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(3000),
        runtime=30,
    params:
        **code("paper/explorer.py"),
        stores_made_with=stores_made_with,
        edition=config,
        tables=lambda wildcards, input: dict(zip(FOUND_OF_HEADS, input.tables)),
        about="The texts are the shortest of the segments of running text that the tables are about.",
    script:
        "../scripts/paper/explorer.py"


rule explorer_of_translations:
    """A page on which to look at a translation model's cross-attention, by weight and by norm, with gold links."""
    input:
        **ALIGNMENT,
        alignment=table("kobayashi_alignment"),
        model=source_files("translation_models", "{translation_model}"),
        parts=[project_file("workflow", "bert_attention", "explorer", part) for part in PARTS],
    output:
        f"results/{EDITION}/explorer_{{translation_model}}.html",
    log:
        log_file("explorer_of_translations.{translation_model}"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(6000),
        runtime=30,
    params:
        **code("paper/explorer_of_translations.py"),
        **read_from("translation_models", "{translation_model}"),
        model=lambda wildcards: TRANSLATION_MODELS[wildcards.translation_model],
        edition=config,
        about="Lines go from the words of a translation to those of the source. The decoder's row that predicts a word is not the one that is given it: each pair is shown by both.",
        lacks="the page has them of encoders alone",
    script:
        "../scripts/paper/explorer_of_translations.py"


rule paper:
    """The paper of a model: its figures and printed tables, and prose with numbers from its tables."""
    input:
        tables=lambda wildcards: FILES.in_paper_of(model_name(wildcards))[0] + mlm_head_table(wildcards),
        shown=lambda wildcards: FILES.in_paper_of(model_name(wildcards))[1],
        scoreboard=[table("scoreboard")],
        scoreboard_figure=[f"results/{EDITION}/figures/scoreboard.pdf"],
        weights=encoder_files,
        entries=project_file("workflow", "bert_attention", "results.yaml"),
        template=[
            project_file("workflow", "report", name) for name in ("paper.typ", "paper_look.typ", "references.bib")
        ],
        environments=[project_file("envs", path.name) for path in sorted(ROOT.glob("envs/*.yaml"))],
    output:
        f"{FILES.folder('model')}paper.pdf",
    log:
        log_file(f"{PER_MODEL}paper"),
    localrule: True
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        **code("paper/paper.py"),
        edition=config,
        model=model_name,
        papers=PAPERS,
        # The commit is looked up by the job, not given: a commit alone makes no new paper.
        project=os.path.relpath(ROOT),
    script:
        "../scripts/paper/paper.py"
