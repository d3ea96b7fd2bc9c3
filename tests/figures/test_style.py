import pytest
from matplotlib.figure import Figure

from bert_attention.figures import style


@pytest.mark.parametrize(("top", "some"), [(0.006, {"0.1%", "0.5%"}), (0.06, {"1%", "5%"}), (1, {"20%", "100%"})])
def test_ticks_of_small_shares_are_told_apart(top, some):
    axes = Figure().subplots()
    axes.set_ylim(0, top)
    style.percent_axis(axes, "share")
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert len(labels) == len(set(labels))
    assert some <= set(labels)
    assert max(map(len, labels)) <= len("100%")
