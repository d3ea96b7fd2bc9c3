"""The claims of Kobayashi et al. 2020 and 2021: all there, each answered by our tables, and judged as they say."""

import itertools

import numpy as np
import pandas as pd
import pytest

from bert_attention.claims.publications import published_values
from bert_attention.kobayashi.column_values import CATEGORIES, MIXING_LABELS, TEXTS, TOKENS
from tests.claims.claim_tables import board, claims_of, published_curve, published_rows, rows

THEIRS = {"name": "fairseq transformer_iwslt_de_en on Europarl v7", "source": f"path:theirs sha256:{'0' * 64}"}
WEIGHTS = {THEIRS["name"]: ["0" * 64], "prajjwal1/bert-tiny": ["1" * 64]}
OURS = {"name": "ours", "source": "path:/models/ours"}
SETTINGS, METHODS, SEEDS = ("awi", "awo"), ("weight", "norm"), (1, 2, 3, 4, 5)
# Of bert-base, layer by layer: Clark et al. 2019, figure 2, digitized.
CLARK = {
    "cls": [0.054, 0.257, 0.239, 0.145, 0.025, 0.014, 0.015, 0.008, 0.012, 0.017, 0.025, 0.006],
    "sep": [0.025, 0.050, 0.074, 0.213, 0.492, 0.549, 0.536, 0.571, 0.576, 0.477, 0.056, 0.077],
    "punctuation": [0.071, 0.109, 0.084, 0.085, 0.048, 0.047, 0.045, 0.056, 0.049, 0.085, 0.516, 0.569],
}


def published_rates(setting, method):
    """Error rates by layer."""
    return list(published_curve("kobayashi", "kobayashi_figure_alignment", f"{setting}_{method}"))


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
        best = int(np.argmin(rates))
        values = [("layer", layer, rate) for layer, rate in enumerate(rates, start=1)]
        values += [("layer_mean", None, np.mean(rates)), ("best_layer", best + 1, rates[best])]
        if method == "norm":
            values += [("highest_norm_layer", 2, rates[1]), ("highest_norm_head", 2, rates[1])]
            values += [("spearman", None, -0.4), ("pearson", None, -0.5)]
        for statistic, layer, value in values:
            for selection in ("same_data", "held_out") if statistic == "best_layer" else (None,):
                row = {"statistic": statistic, "selection": selection, "setting": setting, "method": method}
                found.append({**row, "layer": layer, "value": value, "low": value - 0.01, "high": value + 0.01})
    return pd.DataFrame(found).assign(model=model["name"], seeds=len(seeds))


def aligners(n_train=1_900_000):
    """Table ``kobayashi_aligners``."""
    directions = ["source_to_target", "target_to_source", "symmetrised"]
    return rows({"direction": directions}, aligner="fast_align", aer=[0.28, 0.32, 0.27], n_train=n_train, n=508)


def encoder_tables():
    layers = range(1, 13)
    weights = [{"measure": ["weight"], "category": [name], "layer": layers} for name in CATEGORIES]
    shares = {"measure": ["norm", "share_of_norm"], "category": CATEGORIES, "layer": layers}
    categories = rows(*weights, shares, head=np.nan, value=0.02)
    for name, curve in CLARK.items():
        categories.loc[(categories["measure"] == "weight") & (categories["category"] == name), "value"] = curve
    categories.loc[categories["category"] == "other", "value"] = 0.5
    return {
        "kobayashi_dispersion": rows(
            {"vector": ["transformed", "input"], "layer": [0]}, cv=[0.22, 0.12], mean=5.15, sd=1.17, max=12.66, min=0.96
        ),
        "kobayashi_categories": categories,
        "kobayashi_correlation": rows({"category": CATEGORIES}, spearman=[-0.34, -0.69, -0.25, -0.06]),
        "kobayashi_frequency": rows({"measure": METHODS, "layer": [0], "tokens": TOKENS}, spearman=0.06),
        "kobayashi_mixing": rows(
            {"text": TEXTS, "method": MIXING_LABELS, "layer": [0]}, mixing_ratio=0.9, min=0.1, max=0.99
        ),
        "kobayashi_mixing_frequency": rows(
            {"text": TEXTS, "method": MIXING_LABELS, "layer": [0], "tokens": TOKENS}, spearman=-0.3
        ),
        "kobayashi_aligners": aligners(),
        "kobayashi_expansion": rows({"layer": [0], "variant": ["released", "described"]}, expansion_rate=[0.877, 0.87]),
    }


def of_section_5(model=THEIRS, **changes):
    """The scoreboard of one translation model."""
    tables = {
        "kobayashi_alignment": alignment(model, **changes),
        "kobayashi_alignment_summary": summary(model, **changes),
    }
    return board("kobayashi", encoder_tables() | tables, weights=WEIGHTS, translation_models=[model])


@pytest.fixture(scope="module")
def theirs():
    return of_section_5()


def test_every_claim_is_measured_but_giza(theirs):
    assert list(theirs.index[theirs["verdict"] == "not measured"]) == ["N25"]
    other = theirs.index[theirs["verdict"] == "not comparable"]
    assert {name.partition("-")[0] for name in other} == {"M02", "M04"}
    assert "M04-base" not in other


def test_statements_on_categories_hold_of_weights_as_clark_has_them(theirs):
    assert set(theirs.loc[["N04-early", "N04-middle", "N04-late", "N05-every_layer"], "condition"]) == {"met"}
    assert theirs.loc["N04-early", "cells"] == 1
    tables = encoder_tables()
    categories = tables["kobayashi_categories"]
    one_cell = (categories["measure"] == "norm") & (categories["category"] == "sep") & (categories["layer"] == 7)
    categories.loc[one_cell, "value"] = 0.6
    assert board("kobayashi", tables).loc["N05-every_layer", "condition"] == "not met"


@pytest.mark.parametrize(
    ("rho", "verdict"),
    [(0.72, "reproduced"), (0.4, "not reproduced"), (0.05, "not reproduced"), (-0.7, "not reproduced")],
)
def test_rarer_tokens_have_longer_vectors_by_more_than_a_tenth(rho, verdict):
    tables = encoder_tables()
    tables["kobayashi_frequency"] = tables["kobayashi_frequency"].assign(spearman=rho)
    assert board("kobayashi", tables).loc["N10", "verdict"] == verdict


def test_numbers_of_section_5_are_of_translation_models(theirs):
    claims = {claim["id"]: claim for claim in claims_of("kobayashi").claims}
    for name, claim in claims.items():
        if "N12" <= name < "N30" and name not in ("N24", "N25"):
            assert claim["needs"]["translation_model"] == THEIRS["name"], name
            assert claim["needs"]["corpora"] == ["alignment"], name
    assert theirs.loc["N19", "verdict"] == "reproduced"
    assert theirs.loc["N12", "replicated"] == pytest.approx(np.mean(published_rates("awo", "weight")))
    assert set(theirs.loc["N12":"N29-layers", "model"].dropna()) == {THEIRS["name"]}


def test_an_aligner_is_compared_if_it_was_trained_on_parallel_text(theirs):
    assert (theirs.loc["N24", "replicated"], theirs.loc["N24", "verdict"]) == (0.28, "reproduced")
    alone = board("kobayashi", encoder_tables() | {"kobayashi_aligners": aligners(508)}, entries=("N24",))
    assert alone.loc["N24", "verdict"] == "not measured"
    empty = aligners().assign(aer=np.nan)
    without = board("kobayashi", encoder_tables() | {"kobayashi_aligners": empty}, entries=("N24",)).loc["N24"]
    assert (without["verdict"], without["reason"]) == ("not measured", "sil-thot is not installed")


def test_two_translation_models_are_two_rows():
    tables = encoder_tables() | {
        "kobayashi_alignment": pd.concat([alignment(), alignment(OURS, [7])]),
        "kobayashi_alignment_summary": pd.concat([summary(), summary(OURS, [7])]),
    }
    found = board("kobayashi", tables, weights=WEIGHTS, translation_models=[THEIRS, OURS]).loc["N19"]
    assert list(found["verdict"]) == ["reproduced", "not comparable"]


def test_the_best_layer_is_asked_of_weight_and_norm_and_of_all_seeds():
    names = ["N26-weight", "N26-norm", "N26-height"]
    assert set(of_section_5().loc[names, "verdict"]) == {"reproduced", ""}
    # That no block makes it differ from 0 is no proof that it is 0.
    assert of_section_5().loc["N26-height", "condition"] == "inconclusive"

    def third_by_weight(setting, method):
        rates = published_rates(setting, method)
        return [*rates[:2], 0.1, *rates[3:]] if (setting, method) == ("awi", "weight") else rates

    of_one, of_others = summary(seeds=[1], curve=third_by_weight), summary()
    numbers = {column: 0.2 * of_one[column] + 0.8 * of_others[column] for column in ("layer", "value", "low", "high")}
    mixed = {
        "kobayashi_alignment": pd.concat([alignment(seeds=SEEDS[1:]), alignment(seeds=[1], curve=third_by_weight)]),
        "kobayashi_alignment_summary": of_others.assign(**numbers),
    }
    found = board("kobayashi", encoder_tables() | mixed, weights=WEIGHTS, translation_models=[THEIRS]).loc[names]
    assert list(found["verdict"]) == ["not reproduced", "reproduced", ""]
    assert found.loc["N26-height", "condition"] == "not met"
    assert found.loc["N26-height", "replicated"] == pytest.approx(0.298 - 0.1)


def test_early_and_late_layers_are_those_of_six(theirs):
    assert theirs.loc["N27-early", "replicated"] == pytest.approx(0.325 - 0.879)
    assert theirs.loc["N27-late", "replicated"] == pytest.approx(0.848 - 0.539)
    twelve = of_section_5(OURS, curve=lambda *names: np.repeat(published_rates(*names), 2))
    assert twelve.loc["N27-early", "replicated"] == pytest.approx(0.325 - 0.879)
    assert twelve.loc["N27-awi_norm", "condition"] == "met"


def test_of_two_layers_a_curve_has_no_direction():
    found = of_section_5(OURS, curve=lambda *names: published_rates(*names)[:2])
    assert found.loc["N27-awi_norm", "condition"] == ""
    assert found.loc["N27-late", "condition"] == "not met"


def test_norms_beat_weights_in_so_many_seeds_and_settings(theirs):
    assert theirs.loc["N29", "verdict"] == "reproduced"

    def worse(setting, method):
        rates = np.array(published_rates(setting, method))
        return list(rates + 0.2) if (setting, method) == ("awi", "norm") else list(rates)

    found = of_section_5(OURS, curve=worse)
    assert (found.loc["N29", "replicated"], found.loc["N29", "condition"]) == (0.5, "not met")
    assert found.loc["N29-layers", "replicated"] == pytest.approx(6 / 12)


def test_a_seed_may_be_unknown():
    found = of_section_5(OURS, seeds=[np.nan])
    assert found.loc["N29", "replicated"] == 1
    assert found.loc["N26-height", "replicated"] == 0
    assert found.loc["N12", "replicated"] == pytest.approx(np.mean(published_rates("awo", "weight")))


def test_rates_of_other_aligners_stand_alike_wherever_they_do():
    claims = {claim["id"]: claim for claim in claims_of("kobayashi").claims}
    baselines = published_rows("kobayashi", "alignment_baselines").set_index("id")["aer"]
    assert dict(baselines) == {name: claims[name]["value"] for name in ("N24", "N25")}
    assert claims["N28"]["range"] == sorted(baselines)


def test_what_was_published_of_several_cells_is_no_cells_value():
    found = published_values(claims_of("kobayashi").path, "kobayashi_alignment_summary").set_index("id")
    assert "N29" not in found.index
    assert found.loc["N26-norm", "column"] == "layer"
    assert published_values(claims_of("kobayashi").path, "kobayashi_alignment").empty


def test_expansion_rates_are_of_four_models_and_need_no_text():
    claims = {claim["id"]: claim for claim in claims_of("kobayashi").claims if claim["id"].startswith("M04")}
    models = [claim.get("needs", {}).get("model") for claim in claims.values()]
    assert models == [None, "google-bert/bert-large-uncased", "prajjwal1/bert-mini", "prajjwal1/bert-tiny"]
    tiny = {"name": "tiny", "source": f"hub:prajjwal1/bert-tiny@0 sha256:{'1' * 64}"}
    tables = encoder_tables()
    tables["kobayashi_expansion"] = tables["kobayashi_expansion"].assign(expansion_rate=1.8576)
    found = board("kobayashi", tables, tiny, weights=WEIGHTS, papers_corpora=[])
    assert found.loc["M04-tiny", "verdict"] == "reproduced"
    assert found.loc["M04-base", "verdict"] == "not comparable"
