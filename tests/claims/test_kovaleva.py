"""The claims of Kovaleva et al. 2019: all are there, each is measured, and their numbers agree with one another."""

import numpy as np
import pandas as pd
import pytest

from bert_attention.claims.verdicts import published_numbers
from bert_attention.corpora.types import PATTERNS
from bert_attention.kovaleva.column_values import LEAST_EXAMPLES, MAIN_METRICS
from tests.claims import claim_tables
from tests.claims.kovaleva_tables import TASKS, tables
from tests.replicates import within

PUBLICATION = claim_tables.claims_of("kovaleva")
SMALL = {"name": "small", "source": "hub:a/small@1"}


@pytest.fixture(scope="module")
def made():
    return tables()


@pytest.fixture
def run(made):
    return {name: table.copy() for name, table in made.items()}


def judged(run, *ids, **edition):
    """Verdicts and directions of some claims."""
    found = claim_tables.board("kovaleva", run, entries=ids, **edition)
    return {name: (found.loc[name, "verdict"], found.loc[name, "condition"]) for name in ids}


def published(claim_id):
    (claim,) = [claim for claim in PUBLICATION.claims if claim["id"] == claim_id]
    return published_numbers(claim, PUBLICATION)


def means_by_layer(table, *keys):
    """The mean over heads, by layer."""
    by_head = rows(table).set_index([*keys, "layer"])["by_head"].sort_index()
    assert (by_head.map(len) == 12).all()
    return by_head.map(np.mean)


def rows(table):
    return claim_tables.published_rows("kovaleva", table)


def curve(figure, series):
    return claim_tables.published_curve("kovaleva", figure, series)


def test_every_query_finds_its_numbers_where_the_corpora_are_the_papers(run):
    found = claim_tables.board("kovaleva", run)
    of_other_training = [claim["id"] for claim in PUBLICATION.claims if "absent" in claim]
    assert of_other_training == ["K34-worst", "K34-best"]
    found = found.drop(of_other_training)
    assert not found.index[found["verdict"] == "not measured"].tolist()
    assert (found.loc[["K06", "K06-tasks"], "cells"] == 35).all()
    assert found.loc["K12", "cells"] == 14
    assert found.loc["K13", "cells"] == 144
    assert found.loc["K15-heads", "cells"] == 7 * 144
    assert found.loc["K29-means", "cells"] == 56
    assert (found.loc[["K34-lowest", "K34-highest", "K36-lowest", "K36-highest"], "cells"] == 7).all()
    assert (found.loc[["K40-cls", "K40-noun", "K40-subject_verb"], "cells"] == 288).all()


def test_numbers_of_heads_and_of_an_encoder_are_not_compared_on_another(run):
    named = ("K09", "K11-head_1_2", "K12", "K13")
    verdicts = judged(run, *named, "K07", "K01", "K31", model=SMALL)
    assert [verdicts[name][0] for name in named] == ["not measured"] * 4
    assert verdicts["K31"][0] == "not comparable"
    assert {verdicts["K07"][0], verdicts["K01"][0]} <= {"reproduced", "not reproduced"}  # of any encoder


def test_what_is_said_of_tasks_that_an_edition_lacks_is_not_measured(run):
    few = ["mrpc", "sst2", "qqp"]
    tasks = {task: {"source": "hub:glue@1"} if task in few else None for task in TASKS}
    with_tasks = {name: table[table["task"].isin(few)] for name, table in run.items() if "task" in table}
    run |= with_tasks | {"kovaleva_shared_heads": run["kovaleva_shared_heads"][:0]}
    found = claim_tables.board("kovaleva", run, corpora={"tasks": tasks})
    assert found.loc["K29-punctuation", "reason"] == "the edition has no stsb or rte or qnli"
    assert found.loc["K39-shared", "reason"] == "the edition has no rte"
    assert found.loc["K29-sep", "verdict"] != "not measured"
    assert found.loc["K06", "cells"] == 15


def test_labels_of_others_are_never_the_papers(run):
    found = judged(run, "K01", "K02", "K03", "K04", "K06", papers_corpora=["tasks", "frames"])
    assert {verdict for verdict, _ in found.values()} == {"not comparable"}


def test_tasks_that_do_not_differ_do_not_have_the_papers_patterns(run):
    table = run["kovaleva_patterns"].set_index(["task", "pattern"])
    shares = published("K06").reindex(table.index)
    run["kovaleva_patterns"] = table.assign(share=shares).reset_index()
    assert judged(run, "K06", "K06-tasks") == {"K06": ("reproduced", ""), "K06-tasks": ("reproduced", "met")}
    run["kovaleva_patterns"] = table.assign(share=shares.groupby("pattern").transform("mean")).reset_index()
    equal = run["kovaleva_patterns"].query("model == 'finetuned' and method == 'classifier'")
    equal = equal.set_index(["task", "pattern"])["share"].dropna()
    assert np.corrcoef(equal, published("K06").reindex(equal.index))[0, 1] == pytest.approx(0.92, abs=0.005)
    assert judged(run, "K06-tasks")["K06-tasks"][1] == "not met"


def test_a_number_within_its_margin_is_reproduced_and_one_outside_is_not(run):
    assert judged(run, "K01", "K02") == {"K01": ("reproduced", ""), "K02": ("not reproduced", "")}  # 400; a fifth
    run["kovaleva_pattern_predictions"]["reference"] = ["vertical"] * 130 + ["block"] * 270
    assert judged(run, "K02") == {"K02": ("reproduced", "")}


def test_table_1_is_compared_cell_by_cell(run):
    table = run["kovaleva_finetuning"]
    cell = (table["task"] == "mrpc") & (table["metric"] == "f1") & (table["initialisation"] == "pretrained")
    table.loc[cell, "value"] = 0.87
    assert published("K17-f1_finetuned").item() == 0.879
    assert judged(run, "K17-f1_finetuned")["K17-f1_finetuned"][0] == "reproduced"
    table.loc[cell, "value"] = 0.72
    assert judged(run, "K17-f1_finetuned")["K17-f1_finetuned"][0] == "not reproduced"


def test_the_gain_of_fine_tuning_is_averaged_over_tasks_and_must_be_there_in_each(run):
    table = run["kovaleva_finetuning"]
    table["value"] = table["initialisation"].map(
        {"pretrained_untrained_head": 0.3, "pretrained_frozen": 0.4, "random": 0.5, "pretrained": 0.65}
    )
    found = judged(run, "K16", "K16-frozen", "K16-random", "K24-stsb", "K24-stsb_frozen")
    assert found == {
        "K16": ("reproduced", "met"),
        "K16-frozen": ("not reproduced", "met"),
        "K16-random": ("", "met"),
        "K24-stsb": ("", "not met"),
        "K24-stsb_frozen": ("", "not met"),
    }
    table.loc[(table["task"] == "rte") & (table["initialisation"] == "random"), "value"] = 0.7
    assert judged(run, "K16-random")["K16-random"] == ("", "not met")


def test_the_last_two_layers_change_most_in_all_tasks_but_one(run):
    table = run["kovaleva_change"]
    table["cosine"] = table["layer"].map(lambda layer: 0.5 if layer > 10 else 0.9)
    qqp = table["task"] == "qqp"
    assert judged(run, "K14", "K14-qqp") == {
        "K14": ("", "met"),
        "K14-qqp": ("", "not met"),
    }
    table.loc[qqp & (table["layer"] == 10), "cosine"] = 0.4
    assert {direction for _, direction in judged(run, "K14", "K14-qqp").values()} == {"met"}
    table.loc[(table["task"] == "rte") & (table["layer"] == 3) & (table["variant"] == "padded"), "cosine"] = 0.4
    assert [direction for _, direction in judged(run, "K14", "K14-cropped").values()] == ["not met", "met"]


def test_cls_is_attended_to_early_and_sep_late_on_an_encoder_of_half_the_depth(run):
    table = run["kovaleva_features"] = run["kovaleva_features"].query("layer <= 6").copy()
    table["attention"] = 0.1
    table.loc[(table["feature"] == "cls") & (table["layer"] <= 2), "attention"] = 0.4
    table.loc[(table["feature"] == "sep") & (table["layer"] > 2), "attention"] = 0.5
    names = ("K25-special", "K25-early", "K25-late", "K27-small")
    assert set(judged(run, *names, model=SMALL).values()) == {("", "met")}
    table.loc[(table["feature"] == "cls") & (table["layer"] == 6) & (table["task"] == "sst2"), "attention"] = 2.0
    assert judged(run, "K25-early", model=SMALL)["K25-early"][1] == "not met"


def test_sst2_gives_sep_more_than_any_other_task(run):
    table = run["kovaleva_features"]
    sep = table["feature"] == "sep"
    table.loc[sep, "attention"] = 0.4
    table.loc[sep & (table["task"] == "sst2"), "attention"] = 0.6
    names = ("K26-others", "K26-least_layer", "K26-most_layer")
    assert judged(run, *names) == dict(zip(names, [("", "met"), *[("reproduced", "")] * 2], strict=True))
    in_layer = sep & (table["task"] == "sst2") & (table["layer"] == 7)
    table.loc[in_layer, "attention"] = 0.45  # one layer of five is enough
    assert [verdict for verdict, _ in judged(run, *names).values()] == ["", "not reproduced", "reproduced"]
    table.loc[in_layer, "attention"] = 0.75
    assert [verdict for verdict, _ in judged(run, *names).values()] == ["", "reproduced", "not reproduced"]
    table.loc[sep & (table["task"] == "rte") & table["layer"].between(5, 9), "attention"] = 0.7
    assert judged(run, "K26-others")["K26-others"] == ("", "not met")


def test_cls_attends_to_sep_first_in_four_tasks_and_to_punctuation_in_three(run):
    table = run["kovaleva_cls"]
    first = table["task"].map(lambda task: "punctuation" if task in ("stsb", "rte", "qnli") else "sep")
    table["attention"] = 0.1 + 0.2 * (table["feature"] == first)
    names = ("K29-sep", "K29-not_sep", "K29-punctuation")
    assert set(judged(run, *names).values()) == {("", "met")}
    table.loc[(table["task"] == "mnli") & (table["feature"] == "noun"), "attention"] = 0.4
    table.loc[(table["task"] == "rte") & (table["feature"] == "sep"), "attention"] = 0.4
    assert {direction for _, direction in judged(run, *names).values()} == {"not met"}


def test_heads_of_word_pairs_are_those_of_neighbors_only_if_they_attend_to_them_more(run):
    table = run["kovaleva_token_pairs"]
    assert judged(run, "K28-verb_subject")["K28-verb_subject"][1] == "not met"  # no connection
    table["neighbors"] = 2 * table["attention"]
    assert judged(run, "K28-verb_subject")["K28-verb_subject"][1] == "met"
    rare = table["task"] != "rte"
    table.loc[rare, "n"], table.loc[~rare, "neighbors"] = LEAST_EXAMPLES - 1, 0.3
    assert judged(run, "K28-verb_subject")["K28-verb_subject"][1] == "not met"  # of enough examples
    table["n"] = LEAST_EXAMPLES - 1
    found = claim_tables.board("kovaleva", run, entries=("K28-verb_subject",))
    assert found["verdict"].item() == "not measured"
    assert "n above 19" in found["reason"].item()


def test_words_are_far_below_special_tokens_if_they_receive_half_as_much(run):
    table = run["kovaleva_features"]
    table["attention"] = 0.1
    table.loc[table["feature"] == "cls", "attention"] = 0.21
    assert judged(run, "K25-special")["K25-special"] == ("", "met")
    table.loc[(table["feature"] == "noun") & (table["task"] == "rte"), "attention"] = 0.11
    assert judged(run, "K25-special")["K25-special"] == ("", "not met")


def test_the_best_head_helps_by_each_tasks_own_metric(run):
    table = run["kovaleva_disabled_gains"]
    table["gain"] = 0.01
    names = ("K30", "K32-held_out")
    other = (table["task"] == "mrpc") & (table["metric"] == "accuracy")
    table.loc[other, "gain"] = -0.01
    assert {direction for _, direction in judged(run, *names).values()} == {"met"}
    main = (table["task"] == "mrpc") & (table["metric"] == "f1")
    table.loc[other, "gain"], table.loc[main, "gain"] = 0.01, -0.01
    assert {direction for _, direction in judged(run, *names).values()} == {"not met"}


def test_the_papers_example_is_reproduced_by_itself(run):
    names = ("K11-head_1_2", "K11-head_7_6", "K12")
    assert {verdict for verdict, _ in judged(run, *names).values()} == {"not reproduced"}
    table = run["kovaleva_frame_example"]
    of_he = table["query_token"] == "he"
    places = pd.MultiIndex.from_frame(table[["layer", "head", "key_token"]])
    table["weight"] = np.where(of_he, published("K12").reindex(places, fill_value=0.9), 0.9)
    assert {verdict for verdict, _ in judged(run, *names).values()} == {"reproduced"}


def test_a_score_of_few_examples_is_inconclusive(run):
    table = run["kovaleva_disabled_layers"]
    cell = (table["task"] == "rte") & (table["layer"] == 1)
    table.loc[cell, ["value", "baseline"]] = [0.6, 0.62]
    varied = run | {"kovaleva_disabled_layers": within(table, value=0.06)}
    assert judged(varied, "K35-score", "K35-gain") == {
        "K35-score": ("inconclusive", ""),
        "K35-gain": ("inconclusive", "inconclusive"),
    }
    varied = run | {"kovaleva_disabled_layers": within(table, value=0.01)}
    assert judged(varied, "K35-score", "K35-gain") == {
        "K35-score": ("reproduced", ""),
        "K35-gain": ("not reproduced", "not met"),
    }


def test_disabled_heads_are_compared_with_the_whole_model_in_every_task(run):
    table = run["kovaleva_disabled_heads"]
    table[["value", "baseline"]] = 0.8
    named = (table["layer"] == 1) & (table["head"] == 2)
    table.loc[named & (table["task"] == "sst2"), "value"] = 0.795
    assert judged(run, "K38-head_1_2")["K38-head_1_2"] == ("", "met")
    table.loc[named & (table["task"] == "sst2"), "value"] = 0.7
    assert judged(run, "K38-head_1_2")["K38-head_1_2"] == ("", "not met")
    worst = (table["layer"] == 4) & (table["head"] == 1) & table["task"].isin(["stsb", "rte"])
    table.loc[worst, "value"] = 0.7
    assert judged(run, "K39-head_4_1", "K39-head_2_12") == {
        "K39-head_4_1": ("", "met"),
        "K39-head_2_12": ("", "not met"),
    }


def test_maps_of_heads_are_reproduced_by_themselves_and_not_by_others(run):
    assert judged(run, "K13")["K13"] == ("not reproduced", "not met")
    attention = published("K13")
    table = run["kovaleva_frames"].set_index(["layer", "head"])
    table["attention"] = attention.reindex(table.index)
    run["kovaleva_frames"] = table.reset_index()
    assert judged(run, "K08", "K09", "K13", "K10-head_7_6", "K10-head_1_2") == {
        "K08": ("reproduced", ""),
        "K09": ("reproduced", ""),
        "K13": ("reproduced", "met"),
        # Which head is above a percentile has no interval.
        "K10-head_7_6": ("", "inconclusive"),
        "K10-head_1_2": ("", "inconclusive"),
    }


def test_what_the_text_says_of_figures_is_true_of_them(run):
    change = run["kovaleva_change"].set_index(["task", "layer", "head"])
    change["cosine"] = published("K15-heads").reindex(change.index)
    run["kovaleva_change"] = change.reset_index()
    from_cls = run["kovaleva_cls"].set_index(["task", "feature"])
    from_cls["attention"] = published("K29-means").reindex(from_cls.index).fillna(0)  # punctuation is not in the figure
    run["kovaleva_cls"] = from_cls.reset_index()
    features = run["kovaleva_features"]
    features["attention"] = 0.0
    for feature in ("sep", "cls"):
        for task in TASKS:
            rows_of = (features["task"] == task) & (features["feature"] == feature)
            of_layer = curve("kovaleva_figure_6_features", f"{task}_{feature}")
            features.loc[rows_of, "attention"] = features.loc[rows_of, "layer"].map(of_layer)
    names = ["K14", "K14-cropped", "K14-qqp", "K15-heads", "K15-rte", "K25-special", "K25-early", "K25-late"]
    names += ["K25-sep_qnli", "K26-others", "K26-least_layer", "K26-most_layer", "K29-means", "K29-sep", "K29-not_sep"]
    assert {verdict for verdict, _ in judged(run, *names).values()} == {"reproduced", ""}


def test_notebooks_heads_attend_to_nouns_and_objects_more_after_fine_tuning(run):
    features = run["kovaleva_features"].query("task == 'qqp'").set_index(["model", "layer", "head"])
    for feature in ("sep", "cls", "noun", "verb", "pronoun", "negation", "subject", "object"):
        attention = published(f"K40-{feature}").reindex(features.index)
        features["attention"] = features["attention"].where(features["feature"] != feature, attention)
    run["kovaleva_features"] = features.reset_index()
    names = ("K25-special", "K25-early", "K25-late", "K27-nouns", "K27-objects", "K27-small", "K40-noun", "K40-sep")
    assert {direction for _, direction in judged(run, *names).values()} == {"met"}


def test_figures_that_are_there_by_head_and_by_layer_agree():
    for task in TASKS:
        heads = means_by_layer("figure_5", "task")[task]
        assert curve("kovaleva_figure_5_change", task).tolist() == pytest.approx(heads.tolist(), abs=0.001)
    notebook = means_by_layer("notebook_features", "feature", "model")
    for feature in ("sep", "cls"):  # the notebook's fine-tuned model of QQP is that of figure 6
        of_figure = curve("kovaleva_figure_6_features", f"qqp_{feature}")
        assert of_figure.tolist() == pytest.approx(notebook[feature, "finetuned"].tolist(), abs=0.02)


def test_the_notebooks_model_is_that_of_figure_7():
    heads = rows("notebook_from_cls").set_index("feature")["by_head"]
    figure = rows("figure_7").query("task == 'qqp'").set_index("feature")
    assert figure["attention"].to_dict() == pytest.approx(heads.map(np.mean).to_dict(), abs=0.01)
    assert figure["highest"].to_dict() == pytest.approx(heads.map(max).to_dict(), abs=0.015)


def test_numbers_of_the_text_are_those_of_tables_and_figures():
    shares = rows("figure_2").set_index("task")
    assert sorted(shares.columns) == sorted(PATTERNS)
    upper = shares["heterogeneous"] + shares["block"]
    assert (upper.idxmin(), upper.min()) == ("mrpc", pytest.approx(published("K04").item(), abs=0.005))
    assert upper["qqp"] == upper.max() == pytest.approx(published("K05").item(), abs=0.005)
    scores = rows("table_1").query("metric != 'f1'")
    gain = (scores["finetuned"] - scores["pretrained"]).mean()
    assert gain == pytest.approx(published("K16").item(), abs=0.0005)
    frames = rows("frames_by_head").set_index("layer")["by_head"]
    assert (frames[1][1], frames[7][5]) == (published("K08").item(), published("K09").item())
    assert np.percentile(np.concatenate(frames.tolist()), 99) == pytest.approx(0.170, abs=0.001)
    he = published("K12")
    assert (he[1, 2, "agitated"], he[7, 6, "agitated"]) == (
        published("K11-head_1_2").item(),
        published("K11-head_7_6").item(),
    )
    sst2 = curve("kovaleva_figure_6_features", "sst2_sep").loc[5:9]
    assert [published(f"K26-{which}_layer").item() for which in ("least", "most")] == [sst2.min(), sst2.max()]
    patterns = shares[list(PATTERNS)]
    by_task = rows("figure_2_by_task").set_index("task")[list(PATTERNS)]
    np.testing.assert_allclose(by_task, patterns - patterns.mean(), atol=0.0005001)
    words = rows("notebook_features").query("model == 'finetuned'").set_index("feature")["by_head"].explode()
    received = words.astype(float).groupby("feature").mean()
    assert received["sep"] / received.drop(["sep", "cls"]).max() == pytest.approx(4.5, abs=0.05)  # note of K25-special


def test_scores_of_disabled_heads_and_layers_agree_with_the_gains_of_the_text():
    bars = rows("figure_8").set_index("task")
    heads = rows("figure_8_heads").set_index("task")
    assert bars["metric"].to_dict() == heads["metric"].to_dict() == {task: MAIN_METRICS[task] for task in bars.index}
    assert (bars["lowest"] < heads["mean"]).all()
    assert (heads["mean"] < bars["highest"]).all()
    best = (bars["highest"] - heads["baseline"]).to_dict()
    assert best["mrpc"] == pytest.approx(published("K32").item(), abs=0.0005)
    assert best["stsb"] == pytest.approx(published("K31").item(), abs=0.0005)
    layers = rows("figure_9").set_index("task")
    gain = layers.loc["rte", "highest"] - heads.loc["rte", "baseline"]
    assert gain == pytest.approx(published("K35-gain").item(), abs=0.0005)
    assert layers.loc["rte", "highest"] == published("K35-score").item()
    for task in TASKS:
        scores = curve("kovaleva_figure_9_disabled_layers", task)
        assert scores.min() == pytest.approx(layers.loc[task, "lowest"], abs=0.0005)
        best = layers.loc[task, "highest"] + (published("K37-qnli").item() if task in ("qnli", "mnli") else 0)
        assert scores.max() == pytest.approx(best, abs=0.0005)


def test_what_a_model_has_not_learned_is_not_measured(run):
    scores = run["kovaleva_finetuning"]
    scores["learned"] = ~scores["task"].isin(["rte", "mrpc", "qqp"])
    found = claim_tables.board("kovaleva", run)
    for claim in ("K35-gain", "K36-rte", "K33-rte", "K15-rte"):
        assert found.loc[claim, ["verdict", "reason"]].tolist() == ["not measured", "the model has not learned rte"]
    assert found.loc["K27-nouns", "reason"] == "the model has not learned mrpc or rte or qqp"
    assert found.loc["K21-finetuned", "verdict"] != "not measured"  # the score itself
    assert found.loc["K15-heads", "cells"] == 4 * 144
    gains = run["kovaleva_disabled_gains"]
    gains.loc[gains["task"].isin(["rte", "mrpc", "qqp"]), "gain"] = -1.0
    assert judged(run, "K30")["K30"] == ("", "met")


def test_a_task_whose_words_are_not_tagged_is_left_out_where_features_are_compared(run):
    features = run["kovaleva_features"]
    untagged = (features["task"] == "sst2") & (features["feature"] == "noun")
    features.loc[untagged, "attention"] = np.nan
    features.loc[(features["task"] == "sst2") & (features["feature"] == "verb"), "attention"] = 0.9
    features.loc[(features["task"] != "sst2") & features["feature"].isin(["cls", "sep"]), "attention"] = 0.8
    assert judged(run, "K27-small")["K27-small"] == ("", "met")
    features.loc[untagged, "attention"] = 0.0
    assert judged(run, "K27-small")["K27-small"] == ("", "not met")
