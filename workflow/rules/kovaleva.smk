"""Kovaleva, Romanov, Rogers and Rumshisky 2019, "Revealing the Dark Secrets of BERT".

Most tables are made task by task, then joined: resources/<edition>/tasks/<task>/<table>.csv -> results/<edition>/tables/<table>.csv.
"""


rule kovaleva:
    """All tables and figures of Kovaleva et al. 2019."""
    input:
        results_of("kovaleva"),
    localrule: True
