"""Clark, Khandelwal, Levy and Manning 2019, "What Does BERT Look At?".

Tables:  results/<edition>/tables/clark_{positions,entropy}.csv
Figures: results/<edition>/figures/clark_figure_{2_positions,4_entropy}.{pdf,png}
"""

CLARK = "Clark et al. 2019, What Does BERT Look At?"


use rule tabulate as clark_positions with:
    """Table of attention to positions and token types (sections 3.1-3.2)."""
    output:
        table("clark_positions"),
    log:
        logged(f"{PER_MODEL}clark_positions"),
    benchmark:
        measured(f"{PER_MODEL}clark_positions")
    params:
        **tabulated_by("clark.positions.positions"),


use rule tabulate as clark_entropy with:
    """Table of the entropy of attention (section 3.3)."""
    output:
        table("clark_entropy"),
    log:
        logged(f"{PER_MODEL}clark_entropy"),
    benchmark:
        measured(f"{PER_MODEL}clark_entropy")
    params:
        **tabulated_by("clark.entropy.entropy"),


use rule draw_figure as clark_figure_2 with:
    """Fig. 2: attention to special tokens, punctuation and neighbours, by layer."""
    input:
        clark_positions=tables("clark_positions"),
        claims=published("clark"),
    output:
        pdf=figure("clark_figure_2_positions", "pdf"),
        png=report(
            figure("clark_figure_2_positions", "png"),
            caption="../report/clark_figure_2.rst",
            category=CLARK,
            labels={"figure": "2: attention to positions and token types"},
        ),
    log:
        logged("clark_figure_2"),
    params:
        **drawn_by("figures.clark.figure_2"),
        figure=2,


use rule draw_figure as clark_figure_4 with:
    """Fig. 4: entropy of every head's attention, by layer."""
    input:
        clark_entropy=tables("clark_entropy"),
        claims=published("clark"),
    output:
        pdf=figure("clark_figure_4_entropy", "pdf"),
        png=report(
            figure("clark_figure_4_entropy", "png"),
            caption="../report/clark_figure_4.rst",
            category=CLARK,
            labels={"figure": "4: entropy of attention"},
        ),
    log:
        logged("clark_figure_4"),
    params:
        **drawn_by("figures.clark.figure_4"),
        figure=4,


rule clark:
    """All tables and figures of Clark et al. 2019."""
    input:
        tables("clark_positions"),
        tables("clark_entropy"),
        rules.clark_figure_2.output,
        rules.clark_figure_4.output,
    localrule: True
