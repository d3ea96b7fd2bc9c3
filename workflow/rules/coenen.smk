"""Coenen et al. 2019, "Visualizing and Measuring the Geometry of BERT"."""


rule tabulate_coenen_probes:
    """Tables of probes that predict from attention if and how words are related (section 3.1), and of each relation."""
    input:
        unpack(files_of_inputs("coenen_probes")),
    output:
        table_files("coenen_probes"),
        table_files("coenen_relations"),
    log:
        log_file("{model}/coenen_probes"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=60,
    params:
        inputs=inputs_of("coenen_probes"),
        function=PLAN.function("coenen_probes"),
        kwargs=kwargs_of("coenen_probes"),
        columns=columns_of("coenen_probes"),
        has_statistics=True,
        code=code_of("coenen_probes", "attention/analyze.py"),
    script:
        "../scripts/attention/analyze.py"
