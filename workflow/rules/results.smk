"""Results: a rule for each table, figure and printed table of results.yaml, the same way for all of them.

What needs a script, resources or a corpus of its own has a rule in the file of its paper.

Outputs: results/<edition>/tables/<table>.csv                       an analysis of attention stores, corpora, other tables
         results/<edition>/tables/<printed table>.{md,tex,typ}      as a paper prints it
         results/<edition>/figures/<figure>.{pdf,png}
"""

ANALYSED = [name for name, entry in RESULTS.tables.items() if entry.analysis and inputs_of(name)]
ANALYSED += [control_of(name) for name in ANALYSED if RESULTS.tables[name].control]

for NAME in [name for name in ANALYSED if RESULTS.table(name).units]:

    rule:
        name:
            rule_of("sum_up", NAME)
        input:
            **inputs_of(NAME),
        output:
            sums(NAME),
        log:
            log_file(f"{PER_MODEL}{rule_of('sum_up', NAME)}.{{scatteritem}}"),
        benchmark:
            benchmark_file(f"{PER_MODEL}{rule_of('sum_up', NAME)}.{{scatteritem}}")
        priority: int(not config["keep_attention"])  # then before further shards are extracted
        conda:
            "../../envs/attention.yaml"
        threads: 1
        resources:
            mem_mb=memory(3000),
            runtime=60 * len(numbers_of(NAME)),
        params:
            **analysis_of(NAME, "sums"),
            stores_made_with=stores_made_with,
        script:
            "../scripts/attention/sum_up.py"

    listed(rule_of("sum_up", NAME), f"Sums of a shard for {NAME}.")


for NAME in ANALYSED:

    rule:
        name:
            rule_of(NAME)
        input:
            **({"sums": all_sums(NAME)} if RESULTS.table(NAME).units else inputs_of(NAME)),
        output:
            [file for name in RESULTS.made_by(NAME) for file in table_files(name)],
        log:
            log_file(f"{PER_MODEL}{rule_of(NAME)}"),
        benchmark:
            benchmark_file(f"{PER_MODEL}{rule_of(NAME)}")
        localrule: "attention" not in analysis_of(NAME)["kinds"].values() or bool(RESULTS.table(NAME).units)
        conda:
            "../../envs/attention.yaml"
        threads: 1
        resources:
            mem_mb=memory(4000),
            runtime=60,
        params:
            **analysis_of(NAME),
            stores_made_with=stores_made_with,
        script:
            "../scripts/attention/tabulate.py"

    listed(rule_of(NAME), RESULTS.table(NAME).description)


for NAME in [name for name, entry in RESULTS.tables.items() if entry.of_each and not entry.analysis]:

    rule:
        name:
            NAME
        input:
            **{name: every_task(task_table(name)) for name in RESULTS.made_by(NAME)},
            replicates=[every_task(file) for name in RESULTS.made_by(NAME) for file in task_table_files(name)[1:]],
        output:
            [file for name in RESULTS.made_by(NAME) for file in table_files(name)],
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
