"""The figure of relations predicted from attention."""

import itertools

import numpy as np
import pandas as pd
import pytest

from bert_attention.papers.coenen.columns import DIRECTIONS, FEATURES, OPTIMIZERS
from bert_attention.papers.coenen.figures.figure_relations import draw


@pytest.fixture
def table():
    systems = [(features, optimizer) for features in FEATURES for optimizer in OPTIMIZERS.get(features, (None,))]
    cells = itertools.product(("det", "obj", "punct"), DIRECTIONS, systems)
    found = pd.DataFrame(
        [(relation, direction, *system) for relation, direction, system in cells],
        columns=["relation", "direction", "features", "optimizer"],
    )
    found["f1"] = np.random.default_rng(0).uniform(0.2, 0.8, len(found))
    return found.assign(precision=0.5, recall=0.5, low=found["f1"] - 0.1, high=found["f1"] + 0.2, n=1234, n_train=9)


def test_every_relation_has_its_f1_with_the_best_on_top(table):
    (axes,) = draw(table).axes
    shown = table[(table["direction"] == "dependent_to_head") & (table["optimizer"] != "sgd")]
    names = [label.get_text() for label in axes.get_yticklabels()]
    best_first = shown[shown["features"] == "attention"].sort_values("f1", ascending=False)
    assert names == [f"{relation} (1,234)" for relation in best_first["relation"]]
    points = {found.get_label(): found.get_offsets() for found in axes.collections if len(found.get_offsets()) == 3}
    labels = {"attention": "attention", "distance_only": "distance only", "dependent_form": "dependent's word form"}
    for features, label in labels.items():
        expected = shown[shown["features"] == features].set_index("relation").loc[best_first["relation"], "f1"]
        x, y = points[label][np.argsort(points[label][:, 1])].T
        assert x.tolist() == pytest.approx(expected.tolist())
        assert y.tolist() == [0, 1, 2]
    assert axes.yaxis_inverted()
    # A relation without test pairs is left out.
    empty = table.assign(f1=table["f1"].where(table["relation"] != "obj"))
    (axes,) = draw(empty).axes
    assert len(axes.get_yticks()) == 2
