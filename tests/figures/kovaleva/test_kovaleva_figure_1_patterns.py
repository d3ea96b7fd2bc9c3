"""Figure 1 of Kovaleva et al. 2019: a map of each pattern."""

import numpy as np
import pandas as pd

from bert_attention.figures.kovaleva.kovaleva_figure_1_patterns import draw


def cells(pattern, attention, **where):
    query, key = np.indices(attention.shape)
    return pd.DataFrame(
        {"pattern": pattern, "query": query.ravel(), "key": key.ravel(), "weight": attention.ravel(), **where}
    )


def test_maps_stand_in_the_papers_order_with_their_origin():
    random = np.random.default_rng(1)
    of_two, of_one = random.dirichlet(np.ones(5), 5), random.dirichlet(np.ones(4), 4)
    table = pd.concat(
        [
            cells("block", of_two, map=7, weights="finetuned", task="rte", layer=2, head=11, separator=2),
            cells("vertical", of_one, map=3, weights="pretrained", task="sst2", layer=1, head=4, separator=3),
        ]
    )
    figure = draw(table.sample(frac=1, random_state=1))
    vertical, block = figure.axes
    assert [panel.get_title() for panel in figure.axes] == ["vertical", "block"]
    assert vertical.get_xlabel() == "head 1-4\nSST-2, pre-trained"
    assert block.get_xlabel() == "head 2-11\nRTE, fine-tuned"
    assert np.allclose(block.images[0].get_array(), of_two)
    assert block.images[0].get_clim() == (0, np.percentile(of_two, 99))
    assert np.allclose(vertical.images[0].get_array(), of_one)
    assert [label.get_text() for label in block.get_xticklabels()] == ["[CLS]", "[SEP]", "[SEP]"]
    assert list(block.get_yticks()) == [0, 2, 4]
    assert list(vertical.get_xticks()) == [0, 3]
