"""Downloads: all remote sources of the edition, fetched once, on the submit host.

Outputs: resources/downloads/<download>/    what was fetched, and SHA256SUMS, the digests of all files
"""


rule download:
    """Fetch one remote source, at its pinned revision or digest."""
    output:
        local("resources/downloads/{download}/SHA256SUMS"),
    log:
        local("logs/downloads/{download}.log"),
    priority: 7  # report a failed download before other jobs run
    retries: 2
    localrule: True
    conda:
        "../../envs/downloads.yaml"
    resources:
        submit_host=1,
        mem_mb=memory(2000),
        runtime=240,
    params:
        code=code("downloads/download.py"),
        fetched=lambda wildcards: DOWNLOADS[wildcards.download],
    script:
        "../scripts/downloads/download.py"


rule downloads:
    """All downloads of the edition. After them, everything runs without a network."""
    input:
        collect(rules.download.output, download=DOWNLOADS),
    localrule: True
