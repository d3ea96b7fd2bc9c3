"""The claims of Kobayashi et al. 2020 and 2021: each claim is measured, and judged by its condition."""

import itertools

import numpy as np
import pandas as pd
import pytest

from bert_attention.papers.kobayashi.columns import CATEGORIES, MIXING_LABELS, TEXTS, TOKENS
from tests.judging.claim_tables import board, changed, claims_of, published_curve, rows

THEIRS = {"name": "fairseq transformer_iwslt_de_en on Europarl v7", "source": f"path:theirs sha256:{'0' * 64}"}
WEIGHTS = {THEIRS["name"]: ["0" * 64], "prajjwal1/bert-tiny": ["1" * 64]}
OURS = {"name": "ours", "source": "path:/models/ours"}
SETTINGS, METHODS, SEEDS = ("awi", "awo"), ("weight", "norm"), (1, 2, 3, 4, 5)
CLAIMS = {claim.name: claim for claim in claims_of("kobayashi").claims}


def published_rates(setting, method):
    """Error rates by layer."""
    return list(published_curve("kobayashi", "figure_alignment", f"{setting}_{method}"))


def alignment(model=THEIRS, seeds=SEEDS, curve=published_rates):
    """Table ``kobayashi_alignment``, of layers alone."""
    found = [
        {"setting": setting, "method": method, "layer": layer, "aer": aer, "seed": seed}
        for seed, setting, method in itertools.product(seeds, SETTINGS, METHODS)
        for layer, aer in enumerate(curve(setting, method), start=1)
    ]
    return pd.DataFrame(found).assign(model=model["name"], head=np.nan)


def summary(model=THEIRS, seeds=SEEDS, curve=published_rates):
    """Table ``kobayashi_alignment_summary`` of such rates."""
    found = []
    for setting, method in itertools.product(SETTINGS, METHODS):
        rates = curve(setting, method)
        best = (int(np.argmin(rates)) + 1, min(rates))
        values = [("layer", None, layer, rate) for layer, rate in enumerate(rates, start=1)]
        values += [("layer_mean", None, None, np.mean(rates))]
        values += [("best_layer", selection, *best) for selection in ("same_data", "held_out")]
        if method == "norm":
            values += [(f"highest_norm_{part}", None, 2, rates[1]) for part in ("layer", "head")]
            values += [("spearman", None, None, -0.4), ("pearson", None, None, -0.5)]
        table = pd.DataFrame(values, columns=["statistic", "selection", "layer", "value"])
        found.append(table.assign(setting=setting, method=method))
    return pd.concat(found, ignore_index=True).assign(model=model["name"], seeds=len(seeds))


def aligners(n_train=1_900_000):
    """Table ``kobayashi_aligners``."""
    directions = ["source_to_target", "target_to_source", "symmetrized"]
    return rows({"direction": directions}, aligner="fast_align", aer=[0.28, 0.32, 0.27], n_train=n_train, n=508)


def encoder_tables():
    layer_0 = {"layer": [0]}
    categories = rows({"measure": ["weight", "norm", "share_of_norm"], "category": CATEGORIES, "layer": range(1, 13)})
    categories = changed(categories.assign(head=np.nan), "value", {"": 0.02, "category == 'other'": 0.5})
    for name in ("cls", "sep", "punctuation"):
        of_clark = published_curve("clark", "figure_2_positions", name).to_numpy()
        categories.loc[(categories["measure"] == "weight") & (categories["category"] == name), "value"] = of_clark
    mixing = {"text": TEXTS, "method": MIXING_LABELS, **layer_0}
    vectors = {("vector", "cv"): [("transformed", 0.22), ("input", 0.12)], **layer_0}
    expansion = {("variant", "expansion_rate"): [("released", 0.877), ("described", 0.87)], **layer_0}
    return {
        "kobayashi_dispersion": rows(vectors, mean=5.15, sd=1.17, max=12.66, min=0.96),
        "kobayashi_categories": categories,
        "kobayashi_correlation": rows({"category": CATEGORIES}, spearman=[-0.34, -0.69, -0.25, -0.06]),
        "kobayashi_frequency": rows({"measure": METHODS, "tokens": TOKENS, **layer_0}, spearman=0.06),
        "kobayashi_mixing": rows(mixing, mixing_ratio=0.9, min=0.1, max=0.99),
        "kobayashi_mixing_frequency": rows({**mixing, "tokens": TOKENS}, spearman=-0.3),
        "kobayashi_aligners": aligners(),
        "kobayashi_expansion": rows(expansion),
    }


# The beginnings of the names of some claims on section 5.
SECTION_5 = (
    *("error_rate_of_layers_of_output_word_by_weight", "index_of_best_layer", "excess_of", "early_layers_align"),
    *("late_layers_align", "error_rate_by_layer", "share_of_seeds", "share_of_layers"),
)


def of_section_5(model=THEIRS, entries=SECTION_5, **kwargs):
    """The scoreboard of one translation model."""
    made = {"kobayashi_alignment": alignment(model, **kwargs), "kobayashi_alignment_summary": summary(model, **kwargs)}
    tables = encoder_tables() | made
    return board("kobayashi", tables, entries=entries, weights=WEIGHTS, translation_models=[model])


@pytest.fixture(scope="module")
def theirs():
    return of_section_5(entries=("",))


def test_every_claim_is_measured_except_giza_and_unsure_claims(theirs):
    unsure = [
        "spread_of_input_lengths",
        "input_lengths_vary_less",
        "transformed_length_mean",
        "transformed_length_sd",
        "transformed_length_max",
        "transformed_length_min",
    ]
    assert list(theirs.index[theirs["verdict"] == "not measured"]) == [*unsure, "error_rate_of_giza"]
    other = theirs.index[theirs["verdict"] == "not comparable"]
    assert {name.partition("_of_")[0] for name in other} == {"mixing", "expansion"}
    assert "expansion_of_bert_base" not in other
    assert set(theirs.loc[theirs.index.str.startswith(SECTION_5), "model"]) == {THEIRS["name"]}
    assert theirs.loc["error_rate_of_layers_of_output_word_by_weight", "replicated"] == pytest.approx(
        np.mean(published_rates("awo", "weight"))
    )


def test_statements_on_categories_are_true_of_the_weights_of_clark(theirs):
    assert set(
        theirs.loc[
            [
                "early_layers_rest_on_cls",
                "middle_layers_rest_on_sep",
                "late_layers_rest_on_punctuation",
                "others_lead_by_norm",
            ],
            "condition",
        ]
    ) == {"met"}
    assert theirs.loc["early_layers_rest_on_cls", "cells"] == 1
    assert theirs.loc["early_layers_rest_on_cls", "subject"] == "in layers 2 and 3, of layers 1 to 4"
    for layers, led in (("layer == 2", "layer 3,"), ("layer < 5", "none")):
        later = {f"measure == 'weight' and category == 'cls' and {layers}": 0.0}
        tables = {"kobayashi_categories": changed(encoder_tables()["kobayashi_categories"], "value", later)}
        found = board("kobayashi", tables, entries=("early_layers_rest",)).loc["early_layers_rest_on_cls"]
        assert (found["condition"], found["subject"]) == ("not met", f"in {led} of layers 1 to 4")
    cell = {"measure == 'norm' and category == 'sep' and layer == 7": 0.6}
    tables = {"kobayashi_categories": changed(encoder_tables()["kobayashi_categories"], "value", cell)}
    assert board("kobayashi", tables, entries=("others_lead",)).loc["others_lead_by_norm", "condition"] == "not met"


@pytest.mark.parametrize(
    ("ratios", "expected"),
    [
        ({"attn_n": 0.85, "attn_res_n": 0.22, "attn_res_ln_n": 0.19}, ["met", "met"]),  # as published
        ({"attn_n": 0.3, "attn_res_n": 0.4, "attn_res_ln_n": 0.45}, ["not met", "met"]),
        ({"attn_n": 0.9, "attn_res_n": 0.8, "attn_res_ln_n": 0.55}, ["met", "not met"]),
    ],
)
def test_the_residual_connection_lowers_mixing_and_the_own_vector_dominates(ratios, expected):
    cells = {f"method == '{method}'": ratio for method, ratio in ratios.items()}
    table = changed(encoder_tables()["kobayashi_mixing"], "mixing_ratio", cells)
    found = board("kobayashi", {"kobayashi_mixing": table}, entries=("residual_lowers_mixing", "own_vector_dominates"))
    assert found.loc[["residual_lowers_mixing", "own_vector_dominates"], "condition"].tolist() == expected


def test_an_aligner_is_compared_if_it_was_trained_on_parallel_text(theirs):
    def found(table):
        return board("kobayashi", {"kobayashi_aligners": table}, entries=("error_rate_of_fast_align",)).loc[
            "error_rate_of_fast_align"
        ]

    assert theirs.loc["error_rate_of_fast_align", ["replicated", "verdict"]].tolist() == [0.28, "reproduced"]
    assert found(aligners(508))["verdict"] == "not measured"
    empty = found(aligners().assign(aer=np.nan))
    assert empty[["verdict", "reason"]].tolist() == ["not measured", "sil-thot is not installed"]


def test_the_best_layer_is_that_of_weight_and_norm_in_all_seeds(theirs):
    names = ["index_of_best_layer_by_weight", "index_of_best_layer_by_norm", "excess_of_second_layer"]
    assert set(theirs.loc[names, "verdict"]) == {"reproduced", ""}
    # A number that stays 0 if any block is left out need not be exactly 0.
    assert theirs.loc["excess_of_second_layer", "condition"] == "inconclusive"
    table = changed(alignment(), "aer", {"seed == 1 and setting == 'awi' and method == 'weight' and layer == 3": 0.1})
    kwargs = {"entries": ("excess_of_second_layer",), "weights": WEIGHTS, "translation_models": [THEIRS]}
    found = board("kobayashi", {"kobayashi_alignment": table}, **kwargs).loc["excess_of_second_layer"]
    assert (found["condition"], found["replicated"]) == ("not met", pytest.approx(0.298 - 0.1))


def test_early_and_late_layers_are_scaled_to_six_layers(theirs):
    assert theirs.loc["early_layers_align_input_words", "replicated"] == pytest.approx(0.325 - 0.879)
    assert theirs.loc["late_layers_align_output_words", "replicated"] == pytest.approx(0.848 - 0.539)
    twelve = of_section_5(OURS, curve=lambda *names: np.repeat(published_rates(*names), 2))
    assert twelve.loc["early_layers_align_input_words", "replicated"] == pytest.approx(0.325 - 0.879)
    assert twelve.loc["error_rate_by_layer_of_input_word_by_norm", "condition"] == "met"
    two = of_section_5(OURS, curve=lambda *names: published_rates(*names)[:2])
    assert two.loc[
        ["error_rate_by_layer_of_input_word_by_norm", "late_layers_align_output_words"], "condition"
    ].tolist() == ["", "not met"]  # too few for a curve


def test_norms_beat_weights_in_the_published_number_of_seeds_and_settings(theirs):
    assert theirs.loc["share_of_seeds_in_which_norms_align_better", "verdict"] == "reproduced"

    def worse(setting, method):
        rates = np.array(published_rates(setting, method))
        return list(rates + 0.2) if (setting, method) == ("awi", "norm") else list(rates)

    found = of_section_5(OURS, curve=worse)
    assert (
        found.loc["share_of_seeds_in_which_norms_align_better", "replicated"],
        found.loc["share_of_seeds_in_which_norms_align_better", "condition"],
    ) == (0.5, "not met")
    assert found.loc["share_of_layers_in_which_norms_align_better", "replicated"] == pytest.approx(6 / 12)
    unknown = of_section_5(OURS, seeds=[np.nan])
    mean = np.mean(published_rates("awo", "weight"))
    assert unknown.loc[
        [
            "share_of_seeds_in_which_norms_align_better",
            "excess_of_second_layer",
            "error_rate_of_layers_of_output_word_by_weight",
        ],
        "replicated",
    ].tolist() == pytest.approx([1, 0, mean])


def test_expansion_rates_of_four_models_need_no_text():
    tiny = {"name": "tiny", "source": f"hub:prajjwal1/bert-tiny@0 sha256:{'1' * 64}"}
    tables = {"kobayashi_expansion": encoder_tables()["kobayashi_expansion"].assign(expansion_rate=1.8576)}
    found = board("kobayashi", tables, tiny, entries=("expansion_of",), weights=WEIGHTS, papers_corpora=[])
    assert found["verdict"].tolist() == ["not comparable"] * 3 + ["reproduced"]
