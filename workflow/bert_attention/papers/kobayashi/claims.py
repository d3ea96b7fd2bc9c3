"""Claims of Kobayashi, Kuribayashi, Yokoi and Inui 2020, "Attention is Not Only a Weight", arXiv 2004.10102, and 2021.

The work of 2021 is "Incorporating Residual and Normalization Layers into Analysis of Masked Language Models". The
tables and figures of section 4 of 2020 were not available here. Their numbers and locations are recalled, and have to
be confirmed. The numbers of section 5 and of 2021 are printed by the notebooks of the authors' repository
(github.com/gorokoba560/norm-analysis-of-transformer at 5dc8fb3). The text is the 992 Wikipedia segments of Clark et
al.

A correlation between -0.1 and 0.1 counts as none ("hardly"). Layer 0 of a table stands for all layers, an empty head
for all heads of a layer.
"""

from __future__ import annotations

from functools import partial

import pandas as pd

from bert_attention.judging.claims import (
    DIGITIZED,
    OFFICIAL_CODE,
    OTHER,
    RECALLED,
    SMALLEST_EFFECTS,
    Margin,
    Paper,
    above,
    below,
    between,
    correlates,
    equals,
)
from bert_attention.results import POINTS, RANK_CORRELATION, SHARE
from bert_attention.statistics.measures import Counted, ResultTables, full, share_below

TRANSLATION = "fairseq transformer_iwslt_de_en on Europarl v7"

kobayashi = Paper(
    __file__,
    work="Kobayashi et al. 2020",
    model="google-bert/bert-base-uncased",
    depth=12,
    weights={
        "google-bert/bert-base-uncased": ["68d45e234eb4a928074dfd868cead0219ab85354cc53d20e772753c6bb9169d3"],
        # Unknown here: add the digest of your weights.
        "google-bert/bert-large-uncased": [],
        "prajjwal1/bert-mini": [],
        "prajjwal1/bert-tiny": [],
        "FacebookAI/roberta-base": [],
        # Never released: if you train such models with the authors' scripts, add their digests.
        TRANSLATION: [],
    },
)

# A margin is at most a fifth of the published number.
EXACT = Margin(0, "a layer must be equal")
PRINTED = Margin(0.0005, "it is printed with three digits")
WEIGHTS = Margin(0.001, "it depends only on the weights, and is printed with three digits")
DISPERSION = Margin(0.02, "recalled with two digits")
MIXING = Margin(0.02, "a mean over tokens of other segments of the same kind")
ERROR_RATE = Margin(0.03, "three points of error rate: a mean over seeds of trained models")
BEST_LAYER = Margin(0.04, "four points of error rate: of the best layer, or read off a heat map")
CORRELATION = Margin(0.05, "over tokens of other segments of the same kind")
EXTREME = Margin(0.05, "other segments have other extreme tokens")
CASES = Margin(0.05, "three of 60 cases, of models that vary by seed")
FEW_LAYERS = Margin(0.2, "a correlation over the heads or layers of a trained model")
SPREAD = Margin(0.1, "a spread, recalled with two digits, or of a trained model")
LENGTHS = Margin(0.2, "a length, recalled with two digits")
SHORTEST = Margin(0.3, "the shortest vector, recalled")
LONGEST = Margin(2.0, "the longest vector, recalled")

of_text = partial(kobayashi.claim, needs=["wikipedia"])
of_counts = partial(kobayashi.claim, needs=["wikipedia", "token_frequency"])


# Section 4.
def length(t: ResultTables, vector: str, column: str = "cv") -> float:
    """Return a statistic of the lengths of vectors, by default their standard deviation relative to their mean."""
    return t.kobayashi_dispersion(vector=vector, layer=0)[column].item()


DISPERSIONS = kobayashi.published("dispersion").set_index(["vector", "column"]).value


@of_text(
    "Lengths of transformed vectors vary by over a tenth of their mean",
    at="section 4.1, table 1",
    provenance=RECALLED,
    published=DISPERSIONS["transformed", "cv"],
    margin=DISPERSION,
    true_if=above(0.1),
)
def spread_of_transformed_lengths(t: ResultTables) -> float:
    """The standard deviation of the transformed vector's length is 0.22 of its mean, averaged over heads."""
    return length(t, "transformed")


@of_text(
    "Variation of input vectors' lengths",
    at="appendix",
    provenance=RECALLED,
    is_unsure=True,
    published=DISPERSIONS["input", "cv"],
    margin=DISPERSION,
)
def spread_of_input_lengths(t: ResultTables) -> float:
    """The standard deviation of the input vector's length is 0.12 of its mean, averaged over layers."""
    return length(t, "input")


@of_text(
    "Input vectors' lengths vary less than transformed vectors'",
    at="section 4.1, table 1; appendix",
    provenance=RECALLED,
    is_unsure=True,
    true_if=below(0),
)
def input_lengths_vary_less(t: ResultTables) -> float:
    """Relative to their means, the lengths of input vectors vary less than those of transformed vectors."""
    return length(t, "input") - length(t, "transformed")


for column, name, quantity, margin in (
    ("mean", "mean", "mean length", LENGTHS),
    ("sd", "sd", "standard deviation of the length", SPREAD),
    ("max", "greatest", "greatest length", LONGEST),
    ("min", "smallest", "smallest length", SHORTEST),
):
    of_text(
        f"Length of the transformed vector: {name}",
        name=f"transformed_length_{column}",
        at="section 4.1, table 1",
        statement=f"Table 1 gives the {quantity} of the transformed vector, averaged over heads.",
        provenance=RECALLED,
        is_unsure=True,
        published=DISPERSIONS["transformed", column],
        margin=margin,
    )(lambda t, column=column: length(t, "transformed", column))


# Early, middle and late layers are those of figure 2 of Clark et al. 2019, for the same encoder and text.
of_figure = partial(of_text, at="section 4.2, main figure", provenance=RECALLED, true_if=above(0))
LEAD = "The number is the lead of {} over the higher of the other two, averaged over these layers."


def of_layers(t: ResultTables, category: str | list[str], measure: str) -> pd.DataFrame:
    """Return the rows of some kinds of tokens by layer: the mean over heads. A text may have no token of a kind."""
    rows = t.kobayashi_categories(measure=measure, head=None, category=category)
    full(rows.value)
    return rows


def lead_by_weight(t: ResultTables, category: str, others: list[str], first: int, last: int) -> float:
    """Return how much more weight a kind of token gets than the higher of two others, averaged over some layers."""
    own, theirs = (t.layers(of_layers(t, kind, "weight"), first, last) for kind in (category, others))
    return (own.set_index("layer").value - theirs.groupby("layer").value.max()).mean()


def early_layers_led_by_cls(t: ResultTables) -> str:
    """Return the early layers in which [CLS] gets more weight than [SEP] and than periods and commas."""
    rows = t.layers(of_layers(t, ["cls", "sep", "punctuation"], "weight"), 1, t.last_early)
    by_layer = rows.pivot(index="layer", columns="category", values="value")
    early = f"of layers {by_layer.index.min()} to {by_layer.index.max()}"
    led = [str(layer) for layer in by_layer.index[by_layer.idxmax(axis=1) == "cls"]]
    if not led:
        return f"in none {early}"
    return f"in layer {led[0]}, {early}" if len(led) == 1 else f"in layers {', '.join(led[:-1])} and {led[-1]}, {early}"


@of_figure(
    "By weight, [CLS] gets most attention in early layers",
    subject=early_layers_led_by_cls,
    unit=POINTS,
    note=LEAD.format("[CLS]") + " It does not say that [CLS] leads in each of them. clark.early_layers_on_cls compares "
    "[CLS] in early and later layers. One of the two claims can hold without the other.",
)
def early_layers_rest_on_cls(t: ResultTables) -> float:
    """By weight, [CLS] gets more attention than [SEP] and than periods and commas in early layers."""
    return lead_by_weight(t, "cls", ["sep", "punctuation"], 1, t.last_early)


@of_figure(
    "By weight, [SEP] gets most attention in middle layers",
    restates="clark.middle_layers_on_sep",
    unit=POINTS,
    note=LEAD.format("[SEP]"),
)
def middle_layers_rest_on_sep(t: ResultTables) -> float:
    """By weight, [SEP] gets more attention than [CLS] and than periods and commas in middle layers."""
    return lead_by_weight(t, "sep", ["cls", "punctuation"], 5, 10)


@of_figure(
    "By weight, periods and commas get most attention in late layers",
    unit=POINTS,
    note=LEAD.format("periods and commas"),
)
def late_layers_rest_on_punctuation(t: ResultTables) -> float:
    """By weight, periods and commas get more attention than [CLS] and than [SEP] in late layers."""
    return lead_by_weight(t, "punctuation", ["cls", "sep"], 11, 12)


@of_figure(
    "By norm, special tokens and punctuation get less attention than others",
    note="The number is the smallest lead of the other tokens in any layer.",
)
def others_lead_by_norm(t: ResultTables) -> float:
    """By norm, [CLS], [SEP], and periods and commas each get less attention than the other tokens, in every layer."""
    resting = of_layers(t, ["cls", "sep", "punctuation"], "norm").groupby("layer").value.max()
    return (of_layers(t, "other", "norm").set_index("layer").value - resting).min()


@of_text(
    "Special tokens get less attention by norm than by weight",
    at="abstract",
    provenance=OTHER,
    true_if=below(0),
    note="Only the abstract was read. The number is the share of [CLS] and [SEP] together, averaged over layers.",
)
def special_tokens_by_norm_and_weight(t: ResultTables) -> float:
    """BERT pays less attention to special tokens by norm than by weight."""
    by_norm, by_weight = (
        of_layers(t, ["cls", "sep"], name).groupby("layer").value.sum() for name in ("share_of_norm", "weight")
    )
    return (by_norm - by_weight).mean()


def correlation_of(t: ResultTables, category: str) -> float:
    """Return the correlation of weight and length for a kind of token."""
    return t.kobayashi_correlation(category=category).spearman.item()


CORRELATIONS = kobayashi.published("correlation").set_index("category").value
for category, finding, words, condition in (
    ("cls", "[CLS] gets more weight where its vector is shorter", "correlate negatively for [CLS]", below(0)),
    ("sep", "[SEP] gets more weight where its vector is shorter", "correlate negatively for [SEP]", below(0)),
    (
        "punctuation",
        "Punctuation gets more weight where its vectors are shorter",
        "correlate negatively for periods and commas",
        below(0),
    ),
    (
        "other",
        "Other tokens' weights hardly depend on their vectors' lengths",
        "hardly correlate for other tokens",
        between(-0.1, 0.1),
    ),
):
    of_text(
        finding,
        name=f"weight_and_length_of_{category}",
        says_absence=category == "other",
        at="section 4.2, table 2",
        provenance=RECALLED,
        statement=f"Weight and length of the transformed vector {words} (Spearman's correlation).",
        published=CORRELATIONS[category],
        margin=CORRELATION,
        true_if=condition,
        unit=RANK_CORRELATION,
    )(lambda t, category=category: correlation_of(t, category))


def correlation_with_frequency(t: ResultTables, measure: str) -> float:
    """Return the correlation of a measure with the frequency of tokens, without special tokens."""
    return t.kobayashi_frequency(measure=measure, layer=0, tokens="without_specials").spearman.item()


@of_counts(
    "Rare tokens have longer transformed vectors",
    at="section 4.3, figure",
    provenance=RECALLED,
    published=0.75,
    margin=CORRELATION,
    true_if=above(0),
    unit=RANK_CORRELATION,
)
def rarity_and_length(t: ResultTables) -> float:
    """The rarer a token, the longer its transformed vector."""
    return correlation_with_frequency(t, "norm")


@of_counts(
    "Weights hardly depend on a token's frequency",
    says_absence=True,
    at="section 4.3",
    provenance=RECALLED,
    published=0.06,
    margin=CORRELATION,
    true_if=between(-0.1, 0.1),
    unit=RANK_CORRELATION,
)
def rarity_and_weight(t: ResultTables) -> float:
    """Weights hardly depend on a token's frequency."""
    return correlation_with_frequency(t, "weight")


# Section 5. Numbers are means over five translation models (6 layers of 4 heads), which were trained on Europarl from
# five seeds and scored on the RWTH alignments. For a model of several seeds, the mean is compared. Each seed has its
# own best layer, and the index of the best layer is a mean, too.
of_translation = partial(
    kobayashi.claim,
    at="section 5, table of alignment error rates",
    provenance=OFFICIAL_CODE,
    per="translation_model",
    needs=["alignment"],
    model=TRANSLATION,
    depth=6,
)
of_heat_maps = partial(of_translation, at="appendix, heat maps")
WORDS = {"awo": "output word", "awi": "input word"}
SUMMARY = kobayashi.published("alignment_summary").fillna({"selection": ""})
SUMMARY = SUMMARY.set_index(["statistic", "setting", "method", "column"]).value


def summary(
    t: ResultTables, statistic: str, setting: str, method: str, selection: str | None = None, column: str = "value"
) -> float:
    """Return a statistic of the alignment error rates, averaged over the seeds of a translation model."""
    where = {"selection": selection} if selection else {}
    return t.kobayashi_alignment_summary(statistic=statistic, setting=setting, method=method, **where)[column].mean()


def best_layer(t: ResultTables, setting: str, method: str) -> float:
    """Return the error rate of the best layer, chosen on other pairs than it is scored on."""
    return summary(t, "best_layer", setting, method, "held_out")


for setting, method in (("awo", "weight"), ("awo", "norm"), ("awi", "weight"), ("awi", "norm")):
    word, own = WORDS[setting], f"of_{WORDS[setting].replace(' ', '_')}_by_{method}"
    of_translation(
        f"Mean alignment error rate of the layers ({word}, by {method})",
        name=f"error_rate_of_layers_{own}",
        statement=f"By {method} and with the {word}, the layers have this mean alignment error rate.",
        published=SUMMARY["layer_mean", setting, method, "value"],
        margin=ERROR_RATE,
    )(partial(summary, statistic="layer_mean", setting=setting, method=method))
    if method == "norm":
        of_translation(
            f"Norms align better than weights ({word}, mean of layers)",
            true_if=below(0),
            name=f"norms_align_better_in_layers_of_{word.replace(' ', '_')}",
            statement=f"With the {word}, norms align better than weights on average over the layers.",
        )(lambda t, own=setting: summary(t, "layer_mean", own, "norm") - summary(t, "layer_mean", own, "weight"))
    of_translation(
        f"Alignment error rate of the best layer ({word}, by {method})",
        name=f"error_rate_of_best_layer_{own}",
        statement=f"By {method} and with the {word}, the best layer has this alignment error rate.",
        published=SUMMARY["best_layer", setting, method, "value"],
        margin=BEST_LAYER,
    )(partial(summary, statistic="best_layer", setting=setting, method=method, selection="same_data"))
    if method == "norm":
        of_translation(
            f"Norms align better than weights ({word}, best layer)",
            true_if=below(0),
            name=f"norms_align_better_in_best_layer_of_{word.replace(' ', '_')}",
            statement=f"With the {word}, norms align better than weights in the best layer.",
        )(lambda t, own=setting: best_layer(t, own, "norm") - best_layer(t, own, "weight"))
    if setting == "awi":
        of_translation(
            f"By {method}, input words align better than output words",
            name=f"input_words_align_better_by_{method}",
            statement=f"By {method}, the best layer aligns better with the input word than with the output word.",
            true_if=below(0),
        )(lambda t, method=method: best_layer(t, "awi", method) - best_layer(t, "awo", method))


def lead_over_mean_of_layers(t: ResultTables, statistic: str) -> float:
    """Return how much higher an error rate is than the mean of the layers, by norm and with the input word."""
    return summary(t, statistic, "awi", "norm") - summary(t, "layer_mean", "awi", "norm")


@of_translation(
    "Alignment error rate of the layer with the highest norm (input word)",
    published=SUMMARY["highest_norm_layer", "awi", "norm", "value"],
    margin=BEST_LAYER,
)
def error_rate_of_highest_layer(t: ResultTables) -> float:
    """With the input word and by norm, the layer with the highest mean norm has this alignment error rate. It is layer
    2 in all seeds.
    """
    return summary(t, "highest_norm_layer", "awi", "norm")


@of_translation(
    "Index of the layer with the highest norm",
    published=SUMMARY["highest_norm_layer", "awi", "norm", "layer"],
    margin=EXACT,
)
def index_of_highest_layer(t: ResultTables) -> float:
    """The layer with the highest mean norm is the second of six, in all seeds."""
    return summary(t, "highest_norm_layer", "awi", "norm", column="layer")


@of_translation("The layer with the highest norm aligns better than average", true_if=below(0))
def highest_layer_aligns_better(t: ResultTables) -> float:
    """With the input word, the layer with the highest mean norm aligns better than the layers on average."""
    return lead_over_mean_of_layers(t, "highest_norm_layer")


@of_translation(
    "Alignment error rate of the layer with the highest norm (output word)",
    at="appendix, notebook",
    published=SUMMARY["highest_norm_layer", "awo", "norm", "value"],
    margin=BEST_LAYER,
)
def error_rate_of_highest_layer_of_output_word(t: ResultTables) -> float:
    """With the output word and by norm, the layer with the highest mean norm has this alignment error rate. It is
    layer 2 in all seeds.
    """
    return summary(t, "highest_norm_layer", "awo", "norm")


@of_translation(
    "Alignment error rate of the head with the highest norm (input word)",
    published=SUMMARY["highest_norm_head", "awi", "norm", "value"],
    margin=SPREAD,
    note="one seed of five has 0.775, the others 0.236 to 0.257",
)
def error_rate_of_highest_head(t: ResultTables) -> float:
    """With the input word and by norm, the head with the highest mean norm has this alignment error rate."""
    return summary(t, "highest_norm_head", "awi", "norm")


@of_translation("The head with the highest norm aligns better than average", true_if=below(0))
def highest_head_aligns_better(t: ResultTables) -> float:
    """With the input word, the head with the highest mean norm aligns better than the layers on average."""
    return lead_over_mean_of_layers(t, "highest_norm_head")


@of_translation(
    "Alignment error rate of the head with the highest norm (output word)",
    at="appendix, notebook",
    published=SUMMARY["highest_norm_head", "awo", "norm", "value"],
    margin=SPREAD,
)
def error_rate_of_highest_head_of_output_word(t: ResultTables) -> float:
    """With the output word and by norm, the head with the highest mean norm has this alignment error rate."""
    return summary(t, "highest_norm_head", "awo", "norm")


for setting, direction, condition in (("awi", "better", below(0)), ("awo", "worse", above(0))):
    word, own = WORDS[setting], WORDS[setting].replace(" ", "_")
    for coefficient, about in (("spearman", {}), ("pearson", {"restates": f"spearman_of_norm_and_error_of_{own}"})):
        of_translation(
            f"Heads of higher norm align {direction} ({word}, {coefficient.title()})",
            at="section 5, appendix",
            name=f"{coefficient}_of_norm_and_error_of_{own}",
            statement=f"With the {word}, heads of higher mean norm align {direction}, by {coefficient.title()}'s "
            "correlation of norm and error rate.",
            published=SUMMARY[coefficient, setting, "norm", "value"],
            margin=FEW_LAYERS,
            true_if=condition,
            least=SMALLEST_EFFECTS[RANK_CORRELATION],
            **about,
        )(partial(summary, statistic=coefficient, setting=setting, method="norm"))

# Without parallel text, fast_align is trained on the aligned pairs alone, and is not compared with the published
# number.
ALIGNERS = kobayashi.published("alignment_baselines").set_index("system").aer
of_aligners = partial(
    kobayashi.claim,
    at="section 5, table of alignment error rates",
    provenance=OTHER,
    needs=["alignment"],
    model=None,
    note="From the README of lilt/alignment-scripts. That the paper prints it is recalled.",
)


@of_aligners(
    "Error rate of fast_align",
    published=ALIGNERS["fast_align"],
    margin=ERROR_RATE,
    per="edition",
    if_empty="sil-thot is not installed",
    unit=SHARE,
)
def error_rate_of_fast_align(t: ResultTables) -> float:
    """Alignment error rate of fast_align, German to English."""
    rows = t.kobayashi_aligners(aligner="fast_align", direction="source_to_target")
    return t.only(rows, rows.n_train > 1000).aer.item()


kobayashi.not_measured(
    "error_rate_of_giza",
    "Error rate of GIZA++",
    "Alignment error rate of GIZA++, German to English.",
    **of_aligners.keywords,
    published=ALIGNERS["GIZA++"],
    margin=PRINTED,
    absent="the workflow runs fast_align. GIZA++ is no Python package, and sil-thot takes about thirty times as long "
    "for its last model, IBM 4, as for fast_align",
)

for method in ("weight", "norm"):
    of_heat_maps(
        f"Index of the best layer by {method} (input word)",
        name=f"index_of_best_layer_by_{method}",
        statement=f"By {method}, the best layer with the input word is the second of six, in all seeds.",
        published=SUMMARY["best_layer", "awi", method, "layer"],
        margin=EXACT,
    )(partial(summary, statistic="best_layer", setting="awi", method=method, selection="same_data", column="layer"))


@of_heat_maps(
    "Layer 2 of 6 aligns best with the input word",
    unit=POINTS,
    true_if=equals(0),
    note="The number is the largest excess over the best layer's error rate, over all seeds and both methods. It is "
    "0 if this layer is always the best. Such a 0 has no interval, so the statement can be not confirmed, but never "
    "confirmed.",
)
def excess_of_second_layer(t: ResultTables) -> float:
    """With the input word, the layer at the relative depth of layer 2 of 6 is the best, by weight and by norm, in all
    seeds.
    """
    rows = t.kobayashi_alignment(setting="awi", head=None)
    second, all_layers = (
        t.layers(rows, first, last).groupby(["seed", "method"], dropna=False).aer.min()
        for first, last in ((2, 2), (1, 6))
    )
    return (second - all_layers).max()


def input_minus_output(t: ResultTables, first: int, last: int) -> pd.Series:
    """Return how much higher the error rate by norm is with the input word than with the output word, by layer."""
    by_setting = (
        t.layers(t.kobayashi_alignment_summary(statistic="layer", setting=setting, method="norm"), first, last)
        for setting in ("awi", "awo")
    )
    own, theirs = (rows.set_index("layer").value for rows in by_setting)
    return own - theirs


@of_heat_maps(
    "By norm, the first two layers align the input word better",
    provenance=DIGITIZED,
    true_if=below(0),
    note="The number is that of the layer in which the statement holds least.",
)
def early_layers_align_input_words(t: ResultTables) -> float:
    """By norm, the first two of six layers align better with the input word than with the output word."""
    return input_minus_output(t, 1, 2).max()


@of_heat_maps(
    "By norm, the last three layers align the output word better",
    provenance=DIGITIZED,
    true_if=above(0),
    note="The number is that of the layer in which the statement holds least.",
)
def late_layers_align_output_words(t: ResultTables) -> float:
    """By norm, the last three of six layers align worse with the input word than with the output word."""
    return input_minus_output(t, 4, 6).min()


def error_rate_by_layer(t: ResultTables, setting: str, method: str) -> pd.Series:
    """Return the error rate of each layer."""
    return t.kobayashi_alignment_summary(statistic="layer", setting=setting, method=method).set_index("layer").value


for setting, method in (("awo", "weight"), ("awo", "norm"), ("awi", "weight"), ("awi", "norm")):
    of_heat_maps(
        f"Error rates vary over layers as published ({WORDS[setting]}, {method})",
        provenance=DIGITIZED,
        name=f"error_rate_by_layer_of_{WORDS[setting].replace(' ', '_')}_by_{method}",
        statement=f"Heat maps show the alignment error rate of each layer with the {WORDS[setting]}, by {method}.",
        published=kobayashi.curve("figure_alignment", f"{setting}_{method}"),
        margin=BEST_LAYER,
        true_if=correlates(0.5),
    )(partial(error_rate_by_layer, setting=setting, method=method))


# This claim has no condition, because the error rates of fast_align and GIZA++ depend on the pairs.
@of_translation(
    "By norm, the best layer errs between fast_align and GIZA++ (input word)",
    at="section 5",
    provenance=OTHER,
    published=(ALIGNERS["GIZA++"], ALIGNERS["fast_align"]),
    note="The range is from GIZA++ to fast_align, by the README of lilt/alignment-scripts. That the paper "
    "prints these numbers is recalled.",
)
def best_layer_between_aligners(t: ResultTables) -> float:
    """By norm and with the input word, the best layer aligns better than fast_align and worse than GIZA++."""
    return summary(t, "best_layer", "awi", "norm", "same_data")


def norm_minus_weight(t: ResultTables, keys: list[str]) -> pd.Series:
    """Return how much higher the mean error rate is by norm than by weight."""
    of_method = (t.kobayashi_alignment(method=method, head=None) for method in ("norm", "weight"))
    by_norm, by_weight = (rows.groupby(keys, dropna=False).aer.mean() for rows in of_method)
    return by_norm - by_weight


@of_translation(
    "Norms align better than weights on average over layers, in all seeds",
    at="section 5, notebook",
    restates="norms_align_better_in_layers_of_input_word",
    published=1,
    margin=EXACT,
    true_if=equals(1),
    unit=SHARE,
    note="This is so in 10 of 10 cases.",
)
def share_of_seeds_in_which_norms_align_better(t: ResultTables) -> Counted:
    """In all seeds, the mean error rate of the layers is lower by norm than by weight, with the input and with the
    output word.
    """
    return share_below(norm_minus_weight(t, ["seed", "setting"]), 0)


@of_heat_maps(
    "Norms align better than weights in most layers",
    provenance=DIGITIZED,
    published=0.967,
    margin=CASES,
    true_if=above(0.5),
    unit=SHARE,
)
def share_of_layers_in_which_norms_align_better(t: ResultTables) -> Counted:
    """Norms align better than weights in 58 of 60 layers (6 layers, 5 seeds, input and output word)."""
    return share_below(norm_minus_weight(t, ["seed", "setting", "layer"]), 0)


# Kobayashi et al. 2021.
of_2021 = partial(of_text, work="Kobayashi et al. 2021", at="table 1", provenance=OFFICIAL_CODE)
MIXING_RATIOS = kobayashi.published("mixing").set_index(["model", "method", "column"]).value
RANKS = kobayashi.published("mixing_frequency").set_index(["method", "tokens"]).value
# The methods, their names and words, the correlation of mixing ratio and frequency rank, and whether rare tokens mix
# more.
METHODS = (
    ("attn_w", "weights", "weights", above(0), "more"),
    ("attn_n", "norms", "norms", below(0), "less"),
    ("attn_res_w", "weights with residual", "weights, with the residual connection", above(0), "more"),
    ("attn_res_n", "norms with residual", "norms, with the residual connection", below(0), "less"),
    (
        "attn_res_ln_n",
        "norms with residual and layer norm",
        "norms, with residual connection and layer norm",
        below(0),
        "less",
    ),
)


def mixing_ratio(t: ResultTables, method: str, column: str = "mixing_ratio") -> float:
    """Return the mean mixing ratio of all tokens and layers, or the greatest or smallest one."""
    return t.kobayashi_mixing(text="masked", method=method, layer=0)[column].item()


for method, name, words, _, _ in METHODS:
    of_2021(
        f"Mean mixing ratio by {name}",
        name=f"mixing_by_{method}",
        statement=f"Table 1 gives the mean mixing ratio by {words}.",
        published=MIXING_RATIOS[kobayashi.model, method, "mixing_ratio"],
        margin=MIXING,
        unit=SHARE,
    )(partial(mixing_ratio, method=method))
for method, name, words, _, _ in METHODS:
    for column, extreme in (("max", "greatest"), ("min", "smallest")):
        of_2021(
            f"{extreme.title()} mixing ratio by {name}",
            name=f"{extreme}_mixing_by_{method}",
            statement=f"Table 1 gives the {extreme} mixing ratio by {words}.",
            margin=EXTREME,
            published=MIXING_RATIOS[kobayashi.model, method, column],
            is_exact=True,
            unit=SHARE,
        )(partial(mixing_ratio, method=method, column=column))


@of_2021("Norms show less mixing than weights", true_if=below(0), unit=POINTS)
def norms_mix_less(t: ResultTables) -> float:
    """Mixing ratios are lower by norm than by weight."""
    return mixing_ratio(t, "attn_n") - mixing_ratio(t, "attn_w")


@of_2021("Norms show less mixing than weights, also with the residual", true_if=below(0), unit=POINTS)
def norms_mix_less_with_residual(t: ResultTables) -> float:
    """With the residual connection, too, mixing ratios are lower by norm than by weight."""
    return mixing_ratio(t, "attn_res_n") - mixing_ratio(t, "attn_res_w")


@of_2021("The residual connection lowers mixing", true_if=below(0), unit=POINTS)
def residual_lowers_mixing(t: ResultTables) -> float:
    """The residual connection lowers the mixing ratio, by norm."""
    return mixing_ratio(t, "attn_res_n") - mixing_ratio(t, "attn_n")


@of_2021("A token's own vector is more than half of its new vector", true_if=below(0.5), unit=SHARE)
def own_vector_dominates(t: ResultTables) -> float:
    """With residual connection and layer normalization, a token's own vector dominates its new vector: the mixing ratio
    is below a half.
    """
    return mixing_ratio(t, "attn_res_ln_n")


@of_2021("Layer normalization lowers mixing further", true_if=below(0), unit=POINTS)
def layer_norm_lowers_mixing(t: ResultTables) -> float:
    """Layer normalization lowers the mixing ratio further."""
    return mixing_ratio(t, "attn_res_ln_n") - mixing_ratio(t, "attn_res_n")


for method, name, words, _, _ in METHODS:
    of_2021(
        f"Mean mixing ratio of RoBERTa by {name}",
        name=f"mixing_of_roberta_by_{method}",
        at="notebook",
        statement=f"The notebook prints RoBERTa's mean mixing ratio by {words}.",
        model="FacebookAI/roberta-base",
        published=MIXING_RATIOS["FacebookAI/roberta-base", method, "mixing_ratio"],
        margin=MIXING,
        unit=SHARE,
    )(partial(mixing_ratio, method=method))


def rank_and_mixing(t: ResultTables, method: str, tokens: str) -> float:
    """Return the correlation of frequency rank and mixing ratio."""
    return t.kobayashi_mixing_frequency(text="whole", method=method, layer=0, tokens=tokens).spearman.item()


for tokens, title, phrase in (
    ("all", "all tokens", "over all tokens"),
    ("without_specials", "no special tokens", "without special tokens"),
):
    for method, name, words, condition, rare in METHODS:
        # With the residual connection, weights mix in the same order.
        fact = "rank_and_mixing_by_attn_w" if method == "attn_res_w" else f"rank_and_mixing_by_{method}"
        own = f"rank_and_mixing_by_{method}" + ("" if tokens == "all" else "_without_specials")
        of_2021(
            f"Rare tokens mix {rare} by {name} ({title})",
            name=own,
            at="table 2",
            margin=CORRELATION,
            true_if=condition,
            statement=f"Table 2 gives Spearman's correlation of frequency rank and mixing ratio by {words}, {phrase}.",
            published=RANKS[method, tokens],
            needs=["wikipedia", "token_frequency"],
            unit=RANK_CORRELATION,
            restates="" if own == fact else fact,
        )(partial(rank_and_mixing, method=method, tokens=tokens))

EXPANSION = kobayashi.published("expansion").set_index("model").value
for model, name in (
    ("google-bert/bert-base-uncased", "BERT-base"),
    ("google-bert/bert-large-uncased", "BERT-large"),
    ("prajjwal1/bert-mini", "BERT-mini"),
    ("prajjwal1/bert-tiny", "BERT-tiny"),
):
    kobayashi.claim(
        f"Expansion rate of {name}",
        name=f"expansion_of_{name.lower().replace('-', '_')}",
        work="Kobayashi et al. 2021",
        at="section 4.4",
        provenance=OFFICIAL_CODE,
        model=model,
        published=EXPANSION[model],
        margin=WEIGHTS,
        is_exact=True,
        statement=f"The value and output projections of {name} have this mean expansion rate over the layers.",
    )(lambda t: t.kobayashi_expansion(variant="released", layer=0).expansion_rate.item())
