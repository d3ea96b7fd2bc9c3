"""Tables, figures and printed tables with general rules, as results.yaml describes them.

What needs a script, resources or a corpus of its own has a rule in the file of its paper.

Outputs: resources/<edition>/<model>/sums/<table>/<i>-of-<n>.npz   what the units of a shard add to an analysis
         results/<edition>/<model>/tables/<table>.csv             an analysis of attention stores, corpora, other tables
         results/<edition>/<model>/tables/<table>.parquet         the replicates behind the intervals of its statistics
         results/<edition>/<model>/tables/control/<table>.*       the same of random weights
         results/<edition>/<model>/tables/<printed table>.{md,tex,typ}      as a paper prints it
         results/<edition>/<model>/figures/<figure>.{pdf,png}
         results/<edition>/edition/{tables,figures}/              those that are of no single encoder
"""

from bert_attention.paper.sources import note_on_stand_ins
from bert_attention.results import EDITION_FOLDER

MODEL_RESULTS = f"results/{EDITION}/{{model}}"
# Values of the wildcard {model} for figures and printed tables, because some are of no single encoder.
MODELS_AND_EDITION = one_of([*MODELS, EDITION_FOLDER])


rule sum_up:
    """Add up the sums of the units of a shard, for the analysis of a table; only if there are several shards."""
    input:
        unpack(files_of_inputs("{table}")),
    output:
        f"resources/{EDITION}/{{model}}/sums/{{table}}/{{scatteritem}}.npz",
    log:
        log_file("{model}/sum_up/{table}.{scatteritem}"),
    wildcard_constraints:
        table=one_of(PLAN.summed),
    priority: FREES_STORES
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(3000),
        runtime=lambda wildcards: 60 * len(PLAN.seeds(wildcards.table)),
    params:
        inputs=lambda wildcards: PLAN.inputs(wildcards.table),
        function=lambda wildcards: PLAN.function(wildcards.table, "sums"),
        code=code_of("{table}", "attention/sum_up.py", "sums"),
    script:
        "../scripts/attention/sum_up.py"


rule tabulate:
    """Make a table, with intervals, from the sums of all shards; with one shard, from the inputs of the analysis."""
    input:
        unpack(analyzed_files("{table}")),
    output:
        f"{MODEL_RESULTS}/tables/{{table}}.csv",
        f"{MODEL_RESULTS}/tables/{{table}}.parquet",
    log:
        log_file("{model}/tabulate/{table}"),
    wildcard_constraints:
        table=one_of(PLAN.tabulated),
    priority: FREES_STORES
    localrule: not IN_ONE_SHARD
    conda:
        "../../envs/attention.yaml"
    resources:
        submit_host=int(not IN_ONE_SHARD),
        mem_mb=memory(4000),
        runtime=60,
    params:
        **analysis_params("{table}"),
    script:
        "../scripts/attention/tabulate.py"


use rule tabulate as analyze with:
    """Make a table, with intervals, from stores, corpora and other tables as a whole."""
    log:
        log_file("{model}/analyze/{table}"),
    wildcard_constraints:
        table=one_of(PLAN.analyzed(with_intervals=True)),
    localrule: False
    resources:
        submit_host=0,


use rule analyze as analyze_without_intervals with:
    """Make a table of single examples or positions, which has no intervals."""
    output:
        f"{MODEL_RESULTS}/tables/{{table}}.csv",
    wildcard_constraints:
        table=one_of(PLAN.analyzed(with_intervals=False)),


# A rule for each analysis that makes several tables.
for MAKER in PLAN.makers_of_several:

    rule:
        name:
            f"tabulate_{MAKER}"
        input:
            unpack(analyzed_files(f"{{control}}{MAKER}")),
        output:
            with_control(*PLAN.made_by(MAKER)),
        log:
            log_file(f"{{model}}/{{control}}{MAKER}"),
        wildcard_constraints:
            control=control_pattern(MAKER),
        priority: FREES_STORES
        localrule: reads_sums(MAKER)
        conda:
            "../../envs/attention.yaml"
        resources:
            submit_host=int(reads_sums(MAKER)),
            mem_mb=memory(4000),
            runtime=60,
        params:
            **analysis_params(f"{{control}}{MAKER}"),
        script:
            "../scripts/attention/tabulate.py"


rule join_tasks:
    """Join a table of all tasks from the tables of each task."""
    input:
        unpack(tables_of_tasks("{table}")),
    output:
        f"{MODEL_RESULTS}/tables/{{table}}.csv",
        f"{MODEL_RESULTS}/tables/{{table}}.parquet",
    log:
        log_file("{model}/join_tasks/{table}"),
    wildcard_constraints:
        table=one_of(PLAN.joined),
    localrule: True
    conda:
        "../../envs/figures.yaml"
    resources:
        submit_host=1,
        mem_mb=memory(1000),
        runtime=10,
    params:
        inputs=lambda wildcards: PLAN.tables_of_tasks(wildcards.table),
        code=code("paper/join_tables.py"),
    script:
        "../scripts/paper/join_tables.py"


rule draw_figure:
    """Draw a figure of a paper for a model, or a figure of the edition."""
    input:
        unpack(tables_shown("{figure}")),
        tokenizer=tokenizer_shown,
    output:
        pdf=f"{MODEL_RESULTS}/figures/{{figure}}.pdf",
        png=report(
            f"{MODEL_RESULTS}/figures/{{figure}}.png",
            caption="../report/caption.rst",
            category=lambda wildcards: RESULT_GROUPS.get(group_of(wildcards.figure), "All papers"),
            labels=labels_in_report,
        ),
    log:
        log_file("{model}/draw_figure/{figure}"),
    wildcard_constraints:
        model=MODELS_AND_EDITION,
        figure=one_of(RESULTS.figures),
    priority: SHOWN_FIRST
    localrule: True
    conda:
        "../../envs/figures.yaml"
    resources:
        submit_host=1,
        mem_mb=memory(1000),
        runtime=10,
    params:
        tables=lambda wildcards: RESULTS.figures[wildcards.figure].tables,
        published=lambda wildcards: [*PLAN.published(wildcards.figure)],
        function=lambda wildcards: PLAN.showing_function(wildcards.figure),
        caption=lambda wildcards: RESULTS.figures[wildcards.figure].caption,
        note=lambda wildcards: note_on_stand_ins(SETTINGS, RESULTS.figures[wildcards.figure].corpora),
        code=showing_code("{figure}", "paper/draw_figure.py"),
    script:
        "../scripts/paper/draw_figure.py"


rule print_table:
    """Print a table in a paper's layout, for a model or for the edition."""
    input:
        unpack(tables_shown("{printed}")),
    output:
        md=f"{MODEL_RESULTS}/tables/{{printed}}.md",
        tex=f"{MODEL_RESULTS}/tables/{{printed}}.tex",
        typ=f"{MODEL_RESULTS}/tables/{{printed}}.typ",
    log:
        log_file("{model}/print_table/{printed}"),
    wildcard_constraints:
        model=MODELS_AND_EDITION,
        printed=one_of(RESULTS.printed_tables),
    localrule: True
    conda:
        "../../envs/figures.yaml"
    resources:
        submit_host=1,
        mem_mb=memory(1000),
        runtime=10,
    params:
        tables=lambda wildcards: RESULTS.printed_tables[wildcards.printed].tables,
        published=lambda wildcards: [*PLAN.published(wildcards.printed)],
        function=lambda wildcards: PLAN.showing_function(wildcards.printed),
        code=showing_code("{printed}", "paper/print_table.py"),
    script:
        "../scripts/paper/print_table.py"


# Targets by name, for all encoders: clark_figure_2, clark_table_1, clark_positions, control_clark_positions, clark.
for NAME in [*PLAN.results_shown, "scoreboard"]:

    rule:
        """A figure or printed table."""
        name:
            target(NAME)
        input:
            PLAN.shown_files(NAME),
        localrule: True


for NAME in PLAN.tables_of_models:

    rule:
        """A table."""
        name:
            target(NAME)
        input:
            PLAN.tables(NAME),
        localrule: True


for NAME in RESULT_GROUPS:

    rule:
        """All tables and figures of a paper."""
        name:
            NAME
        input:
            PLAN.group_files(NAME),
            FURTHER_RESULTS[NAME],
        localrule: True
