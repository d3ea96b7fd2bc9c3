"""Kobayashi, Kuribayashi, Yokoi and Inui 2020, "Attention is Not Only a Weight", and their measures of 2021.

The paper's numbers of figures and tables could not be read, so results are named by what they show.

Tables:  results/<edition>/tables/kobayashi_{dispersion,categories,correlation,correlation_bins}.csv     section 4
         results/<edition>/tables/kobayashi_{frequency,frequency_bins}.csv                               section 4
         results/<edition>/tables/kobayashi_{mixing,mixing_frequency}.csv                                2021
         results/<edition>/tables/kobayashi_alignment{,_summary,_examples}.csv                           section 5
Figures: results/<edition>/figures/kobayashi_figure_{categories,dispersion,correlation,frequency,mixing,alignment,
         alignment_examples}.{pdf,png}
"""

KOBAYASHI = "Kobayashi et al. 2020, Attention is Not Only a Weight"
KOBAYASHI_TABLES = [
    f"kobayashi_{what}"
    for what in (
        *("dispersion", "categories", "correlation", "correlation_bins", "frequency", "frequency_bins"),
        *("mixing", "mixing_frequency"),
    )
]


use rule tabulate as kobayashi_dispersion with:
    """Table of how much lengths of vectors and attention weights vary (section 4.1)."""
    output:
        table("kobayashi_dispersion"),
    log:
        logged(f"{PER_MODEL}kobayashi_dispersion"),
    benchmark:
        measured(f"{PER_MODEL}kobayashi_dispersion")
    params:
        **tabulated_by("kobayashi.dispersion.dispersion"),


use rule tabulate as kobayashi_categories with:
    """Table of what heads take from token categories, by weight and by norm (section 4.2)."""
    output:
        table("kobayashi_categories"),
    log:
        logged(f"{PER_MODEL}kobayashi_categories"),
    benchmark:
        measured(f"{PER_MODEL}kobayashi_categories")
    params:
        **tabulated_by("kobayashi.categories.categories"),


use rule tabulate as kobayashi_correlation with:
    """Table of the correlation of weight and norm, by token category (section 4.2)."""
    output:
        table("kobayashi_correlation"),
    log:
        logged(f"{PER_MODEL}kobayashi_correlation"),
    benchmark:
        measured(f"{PER_MODEL}kobayashi_correlation")
    params:
        **tabulated_by("kobayashi.correlation.correlation"),


use rule tabulate as kobayashi_correlation_bins with:
    """Table of the pairs behind the correlation of weight and norm, by ranges."""
    output:
        table("kobayashi_correlation_bins"),
    log:
        logged(f"{PER_MODEL}kobayashi_correlation_bins"),
    benchmark:
        measured(f"{PER_MODEL}kobayashi_correlation_bins")
    params:
        **tabulated_by("kobayashi.correlation.correlation_bins"),


use rule tabulate as kobayashi_frequency with:
    """Table of the correlation of frequency with norm and weight (section 4.3)."""
    input:
        sequences=store("segments"),
        ranks=model_corpus("token_ranks.npy"),
    output:
        table("kobayashi_frequency"),
    log:
        logged(f"{PER_MODEL}kobayashi_frequency"),
    benchmark:
        measured(f"{PER_MODEL}kobayashi_frequency")
    params:
        **tabulated_by("kobayashi.frequency.frequency"),


use rule tabulate as kobayashi_frequency_bins with:
    """Table of the tokens behind the correlation with frequency, by ranges."""
    input:
        sequences=store("segments"),
        ranks=model_corpus("token_ranks.npy"),
    output:
        table("kobayashi_frequency_bins"),
    log:
        logged(f"{PER_MODEL}kobayashi_frequency_bins"),
    benchmark:
        measured(f"{PER_MODEL}kobayashi_frequency_bins")
    params:
        **tabulated_by("kobayashi.frequency.frequency_bins"),


use rule tabulate as kobayashi_mixing with:
    """Table of the share of other tokens in a token's new vector (2021)."""
    output:
        table("kobayashi_mixing"),
    log:
        logged(f"{PER_MODEL}kobayashi_mixing"),
    benchmark:
        measured(f"{PER_MODEL}kobayashi_mixing")
    params:
        **tabulated_by("kobayashi.mixing.mixing"),


use rule tabulate as kobayashi_mixing_frequency with:
    """Table of the correlation of frequency with that share (2021)."""
    input:
        sequences=store("segments"),
        ranks=model_corpus("token_ranks.npy"),
    output:
        table("kobayashi_mixing_frequency"),
    log:
        logged(f"{PER_MODEL}kobayashi_mixing_frequency"),
    benchmark:
        measured(f"{PER_MODEL}kobayashi_mixing_frequency")
    params:
        **tabulated_by("kobayashi.mixing.mixing_frequency"),


use rule draw_figure as kobayashi_figure_categories with:
    """Main figure: attention to token categories, by weight and by norm."""
    input:
        kobayashi_categories=tables("kobayashi_categories"),
    output:
        pdf=figure("kobayashi_figure_categories", "pdf"),
        png=report(
            figure("kobayashi_figure_categories", "png"),
            caption="../report/kobayashi_figure_categories.rst",
            category=KOBAYASHI,
            labels={"figure": "attention by weight and by norm"},
        ),
    log:
        logged("kobayashi_figure_categories"),
    params:
        **drawn_by("figures.kobayashi.categories"),
        figure="categories",


use rule draw_figure as kobayashi_figure_dispersion with:
    """How much lengths of vectors vary, by layer."""
    input:
        kobayashi_dispersion=tables("kobayashi_dispersion"),
    output:
        pdf=figure("kobayashi_figure_dispersion", "pdf"),
        png=report(
            figure("kobayashi_figure_dispersion", "png"),
            caption="../report/kobayashi_figure_dispersion.rst",
            category=KOBAYASHI,
            labels={"figure": "lengths of vectors"},
        ),
    log:
        logged("kobayashi_figure_dispersion"),
    params:
        **drawn_by("figures.kobayashi.dispersion"),
        figure="dispersion",


use rule draw_figure as kobayashi_figure_correlation with:
    """Weight against norm, by token category."""
    input:
        kobayashi_correlation=tables("kobayashi_correlation"),
        kobayashi_correlation_bins=tables("kobayashi_correlation_bins"),
    output:
        pdf=figure("kobayashi_figure_correlation", "pdf"),
        png=report(
            figure("kobayashi_figure_correlation", "png"),
            caption="../report/kobayashi_figure_correlation.rst",
            category=KOBAYASHI,
            labels={"figure": "weight against norm"},
        ),
    log:
        logged("kobayashi_figure_correlation"),
    params:
        **drawn_by("figures.kobayashi.correlation"),
        figure="correlation",


use rule draw_figure as kobayashi_figure_frequency with:
    """Norm and weight against frequency of tokens."""
    input:
        kobayashi_frequency=tables("kobayashi_frequency"),
        kobayashi_frequency_bins=tables("kobayashi_frequency_bins"),
    output:
        pdf=figure("kobayashi_figure_frequency", "pdf"),
        png=report(
            figure("kobayashi_figure_frequency", "png"),
            caption="../report/kobayashi_figure_frequency.rst",
            category=KOBAYASHI,
            labels={"figure": "frequency of tokens"},
        ),
    log:
        logged("kobayashi_figure_frequency"),
    params:
        **drawn_by("figures.kobayashi.frequency"),
        figure="frequency",


use rule draw_figure as kobayashi_figure_mixing with:
    """Share of other tokens in a token's new vector, by layer."""
    input:
        kobayashi_mixing=tables("kobayashi_mixing"),
    output:
        pdf=figure("kobayashi_figure_mixing", "pdf"),
        png=report(
            figure("kobayashi_figure_mixing", "png"),
            caption="../report/kobayashi_figure_mixing.rst",
            category=KOBAYASHI,
            labels={"figure": "mixing ratios"},
        ),
    log:
        logged("kobayashi_figure_mixing"),
    params:
        **drawn_by("figures.kobayashi.mixing"),
        figure="mixing",


rule kobayashi_alignment:
    """Tables of word alignment by the cross-attention of translation models (section 5)."""
    input:
        **ALIGNMENT,
        models=translation_model_files,
    output:
        table=edition_table("kobayashi_alignment"),
        summary=edition_table("kobayashi_alignment_summary"),
        examples=edition_table("kobayashi_alignment_examples"),
    log:
        logged("kobayashi_alignment"),
    benchmark:
        measured("kobayashi_alignment")
    conda:
        "../../envs/attention.yaml"
    threads: 8
    resources:
        mem_mb=6000,
        runtime=120,
        gpu=GPU,
    params:
        **code("kobayashi/kobayashi_alignment.py"),
        origins={name: given("translation_models", name)({}) for name in TRANSLATION_MODELS},
        languages={name: model["languages"] for name, model in TRANSLATION_MODELS.items()},
        device=config["device"],
        seed=config["seed"],
    script:
        "../scripts/kobayashi/kobayashi_alignment.py"


use rule draw_figure as kobayashi_figure_alignment with:
    """Alignment error rate, by layer and head."""
    input:
        kobayashi_alignment=[edition_table("kobayashi_alignment")],
        kobayashi_alignment_summary=[edition_table("kobayashi_alignment_summary")],
        claims=published("kobayashi"),
    output:
        pdf=edition_figure("kobayashi_figure_alignment", "pdf"),
        png=report(
            edition_figure("kobayashi_figure_alignment", "png"),
            caption="../report/kobayashi_figure_alignment.rst",
            category=KOBAYASHI,
            labels={"figure": "word alignment"},
        ),
    log:
        logged("kobayashi_figure_alignment"),
    params:
        **drawn_by("figures.kobayashi_alignment.alignment"),
        figure="alignment",


use rule draw_figure as kobayashi_figure_alignment_examples with:
    """Alignment maps of two pairs of sentences."""
    input:
        kobayashi_alignment_examples=[edition_table("kobayashi_alignment_examples")],
    output:
        pdf=edition_figure("kobayashi_figure_alignment_examples", "pdf"),
        png=report(
            edition_figure("kobayashi_figure_alignment_examples", "png"),
            caption="../report/kobayashi_figure_alignment_examples.rst",
            category=KOBAYASHI,
            labels={"figure": "alignment maps"},
        ),
    log:
        logged("kobayashi_figure_alignment_examples"),
    params:
        **drawn_by("figures.kobayashi_alignment.alignment_examples"),
        figure="alignment_examples",


rule kobayashi:
    """All tables and figures of Kobayashi et al. 2020."""
    input:
        [file for name in KOBAYASHI_TABLES for file in tables(name)],
        rules.kobayashi_figure_categories.output,
        rules.kobayashi_figure_dispersion.output,
        rules.kobayashi_figure_correlation.output,
        rules.kobayashi_figure_frequency.output,
        rules.kobayashi_figure_mixing.output,
        rules.kobayashi_alignment.output,
        rules.kobayashi_figure_alignment.output,
        rules.kobayashi_figure_alignment_examples.output,
    localrule: True
