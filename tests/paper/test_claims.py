"""What the papers published: curves and rows are read as they stand in the claims, and a broken file is named."""

import pandas as pd
import pytest

from bert_attention.corpora.relations import CLARK_TABLE_1
from bert_attention.errors import InputError
from bert_attention.paper.claims import published_curves, published_rows, published_values
from tests.conftest import ROOT

CLARK, KOBAYASHI = (ROOT / "workflow" / "claims" / f"{paper}.yaml" for paper in ("clark", "kobayashi"))


def test_curves_of_a_figure_are_a_row_per_point():
    curves = published_curves(CLARK, "clark_figure_4_entropy")
    assert set(curves["series"]) == {"all", "cls"}
    assert curves[curves["series"] == "cls"]["layer"].tolist() == list(range(1, 13))
    assert curves[(curves["series"] == "cls") & (curves["layer"] == 12)]["value"].item() == 3.89


def test_without_claims_there_are_no_curves():
    assert published_curves(None, "clark_figure_2_positions").empty


@pytest.mark.parametrize(
    "content",
    ["", "curves: 3", "curves:\n- {figure: 2}", "curves: [", "curves:\n- {figure: 2, series: a, by_layer: [x]}"],
)
def test_a_file_without_readable_curves_is_named(tmp_path, content):
    (tmp_path / "clark.yaml").write_text(content)
    with pytest.raises(InputError, match=r"clark.yaml: has no readable curves"):
        published_curves(tmp_path / "clark.yaml", "clark_figure_2_positions")


def test_the_rows_of_table_1_are_whole():
    paper, notebook = (published_rows(CLARK, name) for name in ("table_1", "table_1_notebook"))
    assert paper["relation"].tolist() == notebook["relation"].tolist() == ["all", *CLARK_TABLE_1]
    dobj = paper.set_index("relation").loc["dobj"]
    assert tuple(dobj[["head", "accuracy", "baseline_offset", "baseline_accuracy"]]) == ("8-10", 0.868, -2, 0.4)
    same = ["head", "baseline_offset"]
    pd.testing.assert_frame_equal(paper[same], notebook[same])


@pytest.mark.parametrize("content", ["", "table_1: 3", "table_1: {rows: [3]}", "table_1: ["])
def test_a_file_without_readable_rows_is_named(tmp_path, content):
    (tmp_path / "clark.yaml").write_text(content)
    with pytest.raises(InputError, match=r"clark.yaml: has no readable table_1"):
        published_rows(tmp_path / "clark.yaml", "table_1")


def test_values_of_a_table_come_with_the_row_that_answers_them():
    values = published_values(KOBAYASHI, "kobayashi_mixing_frequency").set_index("id")
    found = values.loc["E03-attn_n_all"]
    where = (found["text"], found["method"], found["layer"], found["tokens"], found["column"])
    assert where == ("whole", "attn_n", 0, "all", "spearman")
    assert (found["value"], found["provenance"]) == (-0.387, "official code")
    assert set(values["model"]) == {"google-bert/bert-base-uncased"}
    assert published_values(KOBAYASHI, "kobayashi_expansion")["model"].nunique() == 4
    assert published_values(KOBAYASHI, "kobayashi_categories").empty  # statements alone


@pytest.mark.parametrize("content", ["", "claims: 3", "claims: [{id: a}]", "claims: ["])
def test_a_file_without_readable_claims_is_named(tmp_path, content):
    (tmp_path / "clark.yaml").write_text(content)
    with pytest.raises(InputError, match=r"clark.yaml: has no readable claims"):
        published_values(tmp_path / "clark.yaml", "kobayashi_mixing")
