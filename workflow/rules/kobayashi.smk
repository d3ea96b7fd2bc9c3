"""Kobayashi, Kuribayashi, Yokoi and Inui 2020, "Attention is Not Only a Weight", and their measures of 2021.

The paper's numbers of figures and tables could not be read, so results are named by what they show.

Tables:  results/<edition>/tables/kobayashi_{dispersion,categories,correlation,correlation_bins}.csv     section 4
         results/<edition>/tables/kobayashi_{frequency,frequency_bins}.csv                               section 4
         results/<edition>/tables/kobayashi_{mixing{,_categories,_frequency,_frequency_bins},expansion}.csv    2021
         results/<edition>/tables/kobayashi_alignment{,_summary,_examples}.csv                           section 5
         results/<edition>/tables/kobayashi_table_{dispersion,correlation,mixing,mixing_frequency,expansion,alignment}.{md,tex,typ}
Figures: results/<edition>/figures/kobayashi_figure_{categories,dispersion,correlation,frequency,mixing,mixing_frequency,
         alignment,alignment_examples}.{pdf,png}
"""


use rule tabulate as kobayashi_dispersion with:
    """Table of how much lengths of vectors and attention weights vary (section 4.1)."""
    input:
        sequences=segments_for("kobayashi"),
    pathvars:
        table="kobayashi_dispersion",
    params:
        **tabulated_by("kobayashi.dispersion.dispersion"),


use rule tabulate as kobayashi_categories with:
    """Table of what heads take from token categories, by weight and by norm (section 4.2)."""
    input:
        sequences=segments_for("kobayashi"),
    pathvars:
        table="kobayashi_categories",
    params:
        **tabulated_by("kobayashi.categories.categories"),


use rule tabulate as kobayashi_correlation with:
    """Tables of the correlation of weight and norm, by token category, and of the pairs behind it (section 4.2)."""
    input:
        sequences=segments_for("kobayashi"),
    output:
        table("kobayashi_correlation"),
        table("kobayashi_correlation_bins"),
    pathvars:
        table="kobayashi_correlation",
    params:
        **tabulated_by("kobayashi.correlation.correlation"),


use rule tabulate as kobayashi_frequency with:
    """Tables of the correlation of frequency with norm and weight, and of the tokens behind it (section 4.3)."""
    input:
        sequences=segments_for("kobayashi"),
        ranks=model_corpus("token_ranks.npy"),
    output:
        table("kobayashi_frequency"),
        table("kobayashi_frequency_bins"),
    pathvars:
        table="kobayashi_frequency",
    params:
        **tabulated_by("kobayashi.frequency.frequency"),


use rule tabulate as kobayashi_mixing with:
    """Tables of the share of other tokens in a token's new vector, and its correlation with frequency (2021)."""
    input:
        sequences=segments_for("kobayashi"),
        masked_sequences=store("masked_segments"),
        ranks=model_corpus("token_ranks.npy"),
    output:
        table("kobayashi_mixing"),
        table("kobayashi_mixing_categories"),
        table("kobayashi_mixing_frequency"),
        table("kobayashi_mixing_frequency_bins"),
    pathvars:
        table="kobayashi_mixing",
    params:
        **tabulated_by("kobayashi.mixing.mixing"),


rule kobayashi_expansion:
    """Table of the expansion rate of value and output projection, from weights alone (2021, section 4.4)."""
    input:
        weights=model_file("model.safetensors"),
    output:
        table("kobayashi_expansion"),
    log:
        log_file(f"{PER_MODEL}kobayashi_expansion"),
    conda:
        "../../envs/attention.yaml"
    resources:
        mem_mb=memory(3000),
        runtime=30,
    params:
        **code("kobayashi/kobayashi_expansion.py"),
    script:
        "../scripts/kobayashi/kobayashi_expansion.py"


use rule draw_figure as kobayashi_figure_categories with:
    """Main figure: attention to token categories, by weight and by norm."""
    input:
        kobayashi_categories=tables("kobayashi_categories"),
    pathvars:
        figure="kobayashi_figure_categories",
    params:
        **drawn_by("figures.kobayashi.kobayashi_figure_categories"),


use rule draw_figure as kobayashi_figure_dispersion with:
    """How much lengths of vectors vary, by layer."""
    input:
        kobayashi_dispersion=tables("kobayashi_dispersion"),
    pathvars:
        figure="kobayashi_figure_dispersion",
    params:
        **drawn_by("figures.kobayashi.kobayashi_figure_dispersion"),


use rule draw_figure as kobayashi_figure_correlation with:
    """Weight against norm, by token category."""
    input:
        kobayashi_correlation=tables("kobayashi_correlation"),
        kobayashi_correlation_bins=tables("kobayashi_correlation_bins"),
    pathvars:
        figure="kobayashi_figure_correlation",
    params:
        **drawn_by("figures.kobayashi.kobayashi_figure_correlation"),


use rule draw_figure as kobayashi_figure_frequency with:
    """Norm and weight against frequency of tokens."""
    input:
        kobayashi_frequency=tables("kobayashi_frequency"),
        kobayashi_frequency_bins=tables("kobayashi_frequency_bins"),
    pathvars:
        figure="kobayashi_figure_frequency",
    params:
        **drawn_by("figures.kobayashi.kobayashi_figure_frequency"),


use rule draw_figure as kobayashi_figure_mixing with:
    """Share of other tokens in a token's new vector, by layer."""
    input:
        kobayashi_mixing=tables("kobayashi_mixing"),
    output:
        pdf=printed_or_drawn("kobayashi_figure_mixing", "pdf"),
        png=in_report(printed_or_drawn("kobayashi_figure_mixing", "png")),
    pathvars:
        figure="kobayashi_figure_mixing",
    params:
        **drawn_by("figures.kobayashi.kobayashi_figure_mixing"),


use rule draw_figure as kobayashi_figure_mixing_frequency with:
    """Share of other tokens in a token's new vector against frequency of tokens."""
    input:
        kobayashi_mixing_frequency=tables("kobayashi_mixing_frequency"),
        kobayashi_mixing_frequency_bins=tables("kobayashi_mixing_frequency_bins"),
    output:
        pdf=printed_or_drawn("kobayashi_figure_mixing_frequency", "pdf"),
        png=in_report(printed_or_drawn("kobayashi_figure_mixing_frequency", "png")),
    pathvars:
        figure="kobayashi_figure_mixing_frequency",
    params:
        **drawn_by("figures.kobayashi.kobayashi_figure_mixing_frequency"),


rule kobayashi_alignment:
    """Tables of word alignment by the cross-attention of translation models (section 5)."""
    input:
        **ALIGNMENT,
        models=translation_model_files,
    output:
        table("kobayashi_alignment"),
        table("kobayashi_alignment_summary"),
        table("kobayashi_alignment_examples"),
    log:
        log_file("kobayashi_alignment"),
    benchmark:
        benchmark_file("kobayashi_alignment")
    conda:
        "../../envs/attention.yaml"
    threads: 1
    resources:
        mem_mb=memory(6000),
        runtime=120,
        gpu=GPU,
    params:
        **code("kobayashi/kobayashi_alignment.py"),
        **read_from_translation_models(),
        languages={name: model["languages"] for name, model in TRANSLATION_MODELS.items()},
        trained={name: (model["model"], model["seed"]) for name, model in TRANSLATION_MODELS.items()},
        device=config["device"],
        seed=config["seed"],
    script:
        "../scripts/kobayashi/kobayashi_alignment.py"


use rule draw_edition_figure as kobayashi_figure_alignment with:
    """Alignment error rate, by layer and head."""
    input:
        kobayashi_alignment=tables("kobayashi_alignment"),
        kobayashi_alignment_summary=tables("kobayashi_alignment_summary"),
        claims=published_curves("kobayashi"),
    pathvars:
        figure="kobayashi_figure_alignment",
    params:
        **drawn_by("figures.kobayashi.kobayashi_figure_alignment"),


use rule draw_edition_figure as kobayashi_figure_alignment_examples with:
    """Alignment maps of two pairs of sentences."""
    input:
        kobayashi_alignment_examples=tables("kobayashi_alignment_examples"),
    pathvars:
        figure="kobayashi_figure_alignment_examples",
    params:
        **drawn_by("figures.kobayashi.kobayashi_figure_alignment_examples"),


use rule print_table as kobayashi_table_dispersion with:
    """Table 1: how much lengths of vectors vary, as printed."""
    input:
        kobayashi_dispersion=tables("kobayashi_dispersion"),
        claims=claims("kobayashi"),
    pathvars:
        printed_table="kobayashi_table_dispersion",
    params:
        **printed_by("paper.kobayashi_table_dispersion"),
        values={"published": "kobayashi_dispersion"},


use rule print_table as kobayashi_table_correlation with:
    """Table 2: correlation of weight and norm, as printed."""
    input:
        kobayashi_correlation=tables("kobayashi_correlation"),
        claims=claims("kobayashi"),
    pathvars:
        printed_table="kobayashi_table_correlation",
    params:
        **printed_by("paper.kobayashi_table_correlation"),
        values={"published": "kobayashi_correlation"},


use rule print_table as kobayashi_table_mixing with:
    """Table 1 of 2021: mixing ratios, as printed."""
    input:
        kobayashi_mixing=tables("kobayashi_mixing"),
        claims=claims("kobayashi"),
    output:
        md=printed_or_drawn("kobayashi_table_mixing", "md"),
        tex=printed_or_drawn("kobayashi_table_mixing", "tex"),
        typ=printed_or_drawn("kobayashi_table_mixing", "typ"),
    pathvars:
        printed_table="kobayashi_table_mixing",
    params:
        **printed_by("paper.kobayashi_table_mixing"),
        values={"published": "kobayashi_mixing"},


use rule print_table as kobayashi_table_mixing_frequency with:
    """Table 2 of 2021: correlation of frequency and mixing ratio, as printed."""
    input:
        kobayashi_mixing_frequency=tables("kobayashi_mixing_frequency"),
        claims=claims("kobayashi"),
    output:
        md=printed_or_drawn("kobayashi_table_mixing_frequency", "md"),
        tex=printed_or_drawn("kobayashi_table_mixing_frequency", "tex"),
        typ=printed_or_drawn("kobayashi_table_mixing_frequency", "typ"),
    pathvars:
        printed_table="kobayashi_table_mixing_frequency",
    params:
        **printed_by("paper.kobayashi_table_mixing_frequency"),
        values={"published": "kobayashi_mixing_frequency"},


use rule print_table as kobayashi_table_expansion with:
    """Section 4.4 of 2021: expansion rates of all layers."""
    input:
        kobayashi_expansion=tables("kobayashi_expansion"),
        claims=claims("kobayashi"),
    pathvars:
        printed_table="kobayashi_table_expansion",
    params:
        **printed_by("paper.kobayashi_table_expansion"),
        values={"published": "kobayashi_expansion"},


use rule print_edition_table as kobayashi_table_alignment with:
    """Table of alignment error rates, as printed."""
    input:
        kobayashi_alignment_summary=tables("kobayashi_alignment_summary"),
        claims=claims("kobayashi"),
    pathvars:
        printed_table="kobayashi_table_alignment",
    params:
        **printed_by("paper.kobayashi_table_alignment"),
        rows={"baselines": "alignment_baselines"},
        values={"published": "kobayashi_alignment_summary"},


rule kobayashi:
    """All tables and figures of Kobayashi et al. 2020."""
    input:
        results_of("kobayashi"),
    localrule: True
