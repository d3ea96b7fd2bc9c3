"""Coenen, Reif, Yuan, Kim, Pearce, Viégas and Wattenberg 2019, "Visualizing and Measuring the Geometry of BERT".

Tables:  results/<edition>/tables/coenen_{probes,relations}.csv               section 3.1, appendix
         results/<edition>/tables/coenen_table_probes.{md,tex,typ}                as printed
Figures: results/<edition>/figures/coenen_figure_relations.{pdf,png}
"""


use rule tabulate as coenen_probes with:
    """Tables of how well attention tells whether two words are related, and how (section 3.1)."""
    input:
        train_treebank=model_corpus("treebank_train.conllu"),
        dev_treebank=model_corpus("treebank_dev.conllu"),
        train_sequences=store("treebank_train"),
        dev_sequences=store("treebank_dev"),
        random_train_sequences=store("random_treebank_train"),
        random_dev_sequences=store("random_treebank_dev"),
    output:
        table("coenen_probes"),
        table("coenen_relations"),
    pathvars:
        table="coenen_probes",
    params:
        **tabulated_by("coenen.probes.probes"),
        arguments={"seed": config["seed"]},


use rule print_table as coenen_table_probes with:
    """Section 3.1: accuracy of the probes, as printed."""
    input:
        coenen_probes=tables("coenen_probes"),
        claims=claims("coenen"),
    pathvars:
        printed_table="coenen_table_probes",
    params:
        **printed_by("paper.coenen_table_probes"),
        values={"published": "coenen_probes"},


use rule draw_figure as coenen_figure_relations with:
    """Appendix: how well each relation is told."""
    input:
        coenen_relations=tables("coenen_relations"),
    pathvars:
        figure="coenen_figure_relations",
    params:
        **drawn_by("figures.coenen.coenen_figure_relations"),


rule coenen:
    """All tables and figures of Coenen et al. 2019."""
    input:
        results_of("coenen"),
    localrule: True
