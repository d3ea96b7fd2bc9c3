"""Figure 10 of Kovaleva et al. 2019: grids of maps."""

import numpy as np
import pandas as pd
import pytest

from bert_attention.figures import style
from bert_attention.figures.kovaleva.kovaleva_figure_10_maps import draw

LAYERS, HEADS = 2, 3


def maps(task, tokens, seed):
    """A task's rows in random order, and its maps ``[layer, head, query, key]``."""
    attention = np.random.default_rng(seed).dirichlet(np.ones(tokens), (LAYERS, HEADS, tokens))
    layer, head, query, key = (places.ravel() for places in np.indices(attention.shape))
    places = {"layer": layer + 1, "head": head + 1, "query": query, "key": key}
    rows = pd.DataFrame({"task": task, "example": 3, **places, "weight": attention.ravel()})
    return rows.sample(frac=1, random_state=seed), attention


def titles(figure):
    return [panel.get_title(loc="left") for panel in figure.axes if panel.images]


def test_every_map_stands_at_its_layer_and_head():
    (of_rte, _), (of_mrpc, attention) = maps("rte", 4, 0), maps("mrpc", 5, 1)
    figure = draw(pd.concat([of_rte, of_mrpc]))
    assert titles(figure) == ["MRPC: 5 tokens", "RTE: 4 tokens"]
    panel = figure.axes[0]
    (image,) = panel.images
    assert image.get_clim() == (0, 1)
    picture = np.ma.filled(image.get_array(), np.nan)
    assert np.isnan(picture).sum() == picture.size - attention.size
    for name, middles in (("x", panel.get_xticks()), ("y", panel.get_yticks())):
        assert np.diff(middles).tolist() == [6.0] * ({"x": HEADS, "y": LAYERS}[name] - 1)
    for layer, down in enumerate(panel.get_yticks()):
        for head, right in enumerate(panel.get_xticks()):
            found = picture[int(down) - 2 : int(down) + 3, int(right) - 2 : int(right) + 3]
            np.testing.assert_allclose(found, attention[layer, head])
    assert panel.yaxis_inverted()
    assert [tick.get_text() for tick in panel.get_xticklabels()] == ["1", "2", "3"]
    assert figure.get_figwidth() == style.TEXT_WIDTH


@pytest.mark.parametrize(
    ("tasks", "shown"),
    [
        (("mnli", "qqp", "stsb", "sst2", "mrpc"), ["MRPC", "STS-B", "SST-2", "MNLI"]),
        (("qnli", "rte", "sst2", "stsb", "qqp"), ["STS-B", "SST-2", "QQP", "RTE"]),
        (("rte",), ["RTE"]),
    ],
)
def test_the_papers_tasks_come_first_and_others_fill_up(tasks, shown):
    figure = draw(pd.concat([maps(task, 2, 0)[0] for task in tasks]))
    assert titles(figure) == [f"{name}: 2 tokens" for name in shown]
