import pytest

from bert_attention.checks import InputError
from bert_attention.claims import published_curves
from tests.conftest import ROOT


def test_curves_of_a_figure_are_a_row_per_point():
    curves = published_curves(ROOT / "workflow" / "claims" / "clark.yaml", 4)
    assert set(curves["series"]) == {"all", "cls"}
    assert curves[curves["series"] == "cls"]["layer"].tolist() == list(range(1, 13))
    assert curves[(curves["series"] == "cls") & (curves["layer"] == 12)]["value"].item() == 3.89


def test_without_claims_there_are_no_curves():
    assert published_curves(None, 2).empty


@pytest.mark.parametrize(
    "content",
    ["", "curves: 3", "curves:\n- {figure: 2}", "curves: [", "curves:\n- {figure: 2, series: a, by_layer: [x]}"],
)
def test_a_broken_file_is_named(tmp_path, content):
    (tmp_path / "clark.yaml").write_text(content)
    with pytest.raises(InputError, match=r"clark.yaml: has no readable curves"):
        published_curves(tmp_path / "clark.yaml", 2)
