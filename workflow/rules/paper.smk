"""The paper of a run, and results that cover all papers.

Outputs: results/<edition>/index.html                all findings, figures and tables on one page
         results/<edition>/README.md                 the findings in sentences, and the use of each file
         results/<edition>/codebook.md               what each column of the tables means
         results/<edition>/scoreboard.*              every claim of the papers, published beside replicated
         results/<edition>/<model>/explorer.html     a page to look at heads
         results/<edition>/<model>/paper.pdf         all of a model's results as a paper
"""

from bert_attention.explorer.page import PARTS
from bert_attention.paper.sources import corpora_of
from bert_attention.papers import readings
from bert_attention.results import CONTROL

# The tables of the papers, and those that are judged: also of random weights.
OF_PAPERS = [name for name in PLAN.tables_made if group_of(name) in PAPERS]
JUDGED = OF_PAPERS + PLAN.controls_made

# The files of the papers' claims and numbers in prose.
CLAIMS = files_of_papers("claims.py", "numbers.py", "published/*.csv")

# The explorer shows attention to running text, so it needs a paper that reads running text.
PAPERS_OF_MODELS = collect(f"results/{EDITION}/{{model}}/paper.pdf", model=MODELS)
EXPLORERS = collect(f"results/{EDITION}/{{model}}/explorer.html", model=MODELS)
if "wikipedia" not in corpora_of(SETTINGS):
    EXPLORERS = []
FURTHER = [file for paper in PAPERS for file in FURTHER_RESULTS[paper]]

# Tables behind the explorer's notes on heads, with their controls, and tables with sentences to show beside them.
READINGS = readings(PAPERS)
READ = {reading.table for reading in READINGS}
FOUND_OF_HEADS = [name for name in PLAN.tables_made + PLAN.controls_made if name.removeprefix(CONTROL) in READ]

# Summaries of the corpora that the papers need: as read, and then as each encoder gets them.
SUMMARIES = []
for NAME in corpora_of(SETTINGS):
    parts = [f"tasks/{task}" for task in TASKS] if NAME == "tasks" else [NAME]
    SUMMARIES += [corpus(f"summaries/{part}.jsonl") for part in parts if NAME != "token_frequency"]
    if NAME in ("wikipedia", "treebank", "coreference", "tasks"):
        SUMMARIES += collect(model_corpus(f"summaries/{NAME}.jsonl"), model=MODELS)

# What `make robust` found, if it was run: under how many other choices of the analysis each statement holds.
ROBUSTNESS = [local(file) for file in [f"results/{EDITION}/robustness.csv"] if os.path.exists(file)]

# The entries of all results.
LIBRARY = ROOT / "workflow" / "bert_attention"
ENTRIES = [project_file(file) for file in (LIBRARY / "results.yaml", *sorted(LIBRARY.glob("papers/*/results.yaml")))]


rule scoreboard:
    """The scoreboard: every claim of the papers, published and replicated, with a verdict."""
    input:
        tables=[file for name in JUDGED for file in PLAN.model_paths(name, PLAN.replicates(name))],
        claims=CLAIMS,
    output:
        table=table("scoreboard"),
        page=f"results/{EDITION}/scoreboard.md",
    log:
        log_file("scoreboard"),
    localrule: True
    conda:
        "../../envs/figures.yaml"
    resources:
        submit_host=1,
        mem_mb=memory(2500),
        runtime=10,
    params:
        code=code("paper/scoreboard.py"),
        edition=SETTINGS,
        papers=[*PAPERS],
    script:
        "../scripts/paper/scoreboard.py"


rule results_guide:
    """The page of the edition's results, a short guide to its files, and the codebook of its tables."""
    input:
        **{f"tokenizer_of_{model}": edition.encoder_file("tokenizer.json").format(model=model) for model in MODELS},
        tables=[file for name in OF_PAPERS for file in PLAN.model_paths(name, PLAN.replicates(name))],
        results=[
            *(file for group in RESULT_GROUPS for file in PLAN.group_files(group)),
            *FURTHER,
            *EXPLORERS,
            *rules.scoreboard.output,
            *PLAN.shown_files("scoreboard"),
            *PAPERS_OF_MODELS,
        ],
        scoreboard=table("scoreboard"),
        robustness=ROBUSTNESS,
        summaries=SUMMARIES,
        claims=CLAIMS,
        entries=ENTRIES,
        template=project_file("workflow", "bert_attention", "paper", "results_page.html"),
    output:
        page=f"results/{EDITION}/index.html",
        guide=f"results/{EDITION}/README.md",
        codebook=f"results/{EDITION}/codebook.md",
    log:
        log_file("results_guide"),
    localrule: True
    conda:
        "../../envs/figures.yaml"
    resources:
        submit_host=1,
        mem_mb=memory(500),
        runtime=10,
    params:
        code=code("paper/results_guide.py"),
        edition=SETTINGS,
        papers=[*PAPERS],
    script:
        "../scripts/paper/results_guide.py"


rule make_explorer:
    """Make a page to look at a model's heads, with the shortest segments of running text and the findings on each head."""
    input:
        **{name: table(name) for name in FOUND_OF_HEADS},
        segments=model_corpus("segments.jsonl"),
        tokenizer=TOKENIZER,
        weights=ENCODER,
        evidence=[table(reading.evidence) for reading in READINGS if reading.evidence],
        notes=files_of_papers("notes.py"),
        parts=[project_file("workflow", "bert_attention", "explorer", part) for part in PARTS],
    output:
        f"results/{EDITION}/{{model}}/explorer.html",
    log:
        log_file("{model}/make_explorer"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(3000),
        runtime=30,
    params:
        code=code("paper/explorer.py"),
        edition=SETTINGS,
        papers=[*PAPERS],
        tables=FOUND_OF_HEADS,
        about="The texts are the shortest of the segments of running text that the tables are about.",
    script:
        "../scripts/paper/explorer.py"


rule write_paper:
    """The paper of a model: its figures and printed tables, and prose with numbers from its tables."""
    input:
        tables=lambda wildcards: [table(name).format(**wildcards) for name in tables_of_paper(wildcards)],
        replicates=lambda wildcards: [PLAN.replicates(name).format(**wildcards) for name in tables_of_paper(wildcards)],
        claims=CLAIMS,
        shown=lambda wildcards: PLAN.shown_in_paper(wildcards.model),
        scoreboard=[table("scoreboard")],
        robustness=ROBUSTNESS,
        scoreboard_figure=[PLAN.shown("scoreboard", "pdf")],
        weights=ENCODER,
        tokenizer=edition.encoder_file("tokenizer.json"),
        entries=ENTRIES,
        template=[
            *(project_file("workflow", "report", name) for name in ("paper.typ", "paper_look.typ", "references.bib")),
            *files_of_papers("section.typ", "references.bib"),
        ],
        environments=[project_file("envs", path.name) for path in sorted(ROOT.glob("envs/*.yaml"))],
    output:
        f"results/{EDITION}/{{model}}/paper.pdf",
    log:
        log_file("{model}/write_paper"),
    localrule: True
    conda:
        "../../envs/figures.yaml"
    resources:
        submit_host=1,
        mem_mb=memory(1000),
        runtime=10,
    params:
        code=code("paper/paper.py"),
        edition=SETTINGS,
        model="{model}",
        segment_ids=lambda wildcards: edition.segment_ids_by_paper(wildcards.model),
        papers=PAPERS,
        # The job looks up the commit itself, so that a new commit alone makes no new paper.
        project=os.path.relpath(ROOT),
    script:
        "../scripts/paper/paper.py"


rule paper:
    """The papers of all models."""
    input:
        PAPERS_OF_MODELS,
    localrule: True


rule explorer:
    """The explorers of all models."""
    input:
        EXPLORERS,
        [file for file in FURTHER if file.endswith(".html")],
    localrule: True
