"""What the papers' parts come together in.

Output: results/<edition>/README.md    what this folder holds
"""


rule results_guide:
    """A guide to the edition's results: the models and corpora, and what each file shows."""
    input:
        results=[*rules.clark.input, *rules.kobayashi.input],
        captions=captions(),
    output:
        f"results/{EDITION}/README.md",
    log:
        logged("results_guide"),
    localrule: True
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=500,
        runtime=10,
    params:
        **code("paper/results_guide.py"),
        edition=config,
    script:
        "../scripts/paper/results_guide.py"
