"""Queries and keys of typical heads."""

import numpy as np
import pandas as pd
import pytest

from bert_attention.papers.vig.figures.figure_neurons import draw
from tests.figures.reading import colliding_ticks

TOKENS = ["[CLS]", "a", "$x$", "[SEP]"]


def head(behaviour, layer, seed, tokens=TOKENS, neurons=3, bias=0.0):
    random = np.random.default_rng(seed)
    query, keys = random.normal(size=neurons), random.normal(size=(len(tokens), neurons))
    scores = keys @ query / np.sqrt(neurons) + bias
    key, neuron = (indices.ravel() for indices in np.indices(keys.shape))
    named = {"behaviour": behaviour, "layer": layer, "head": 4, "query": 2, "query_token": tokens[2]}
    columns = {"key": key, "key_token": np.array(tokens)[key], "neuron": neuron + 1, "score": scores[key]}
    columns |= {"query_value": query[neuron], "key_value": keys.ravel(), "product": (query * keys).ravel()}
    columns["bias"] = np.broadcast_to(bias, len(tokens))[key]
    columns["attention"] = (np.exp(scores) / np.exp(scores).sum())[key]
    return pd.DataFrame(named | columns), query, keys, scores


@pytest.mark.parametrize("scale", [0, 0.1, 30])
@pytest.mark.parametrize("behaviors", [["next", "delimiter"], ["next", "delimiter", "sentence"]])
def test_tick_labels_do_not_collide(behaviors, scale):
    """Vig's example has 19 tokens, and heads of an encoder of 12 layers have 64 neurons and large scores."""
    tokens = ["[CLS]", *["bought", "fresh", "##gqp"] * 6]
    rows = pd.concat([head(name, 12, seed, tokens, neurons=64)[0] for seed, name in enumerate(behaviors)])
    assert colliding_ticks(draw(rows.assign(score=scale * rows["score"]))) == []


def test_panels_show_the_table(saved):
    delimiter, *_ = head("delimiter", 2, 0)
    rows, query, keys, scores = head("next", 1, 1)
    shuffled = pd.concat([delimiter, rows]).sample(frac=1, random_state=1)
    figure = draw(shuffled)
    of_query, of_keys, products, of_scores, attention = figure.axes[:5]
    assert of_query.get_title(loc="left").startswith("head 1-4: next word\n")
    assert figure.axes[5].get_title(loc="left").startswith("head 2-4: delimiter\n")
    shown = np.ma.filled(of_query.images[0].get_array(), np.nan)
    assert np.allclose(shown[2], query)
    assert np.isnan(np.delete(shown, 2, axis=0)).all()
    assert np.allclose(of_keys.images[0].get_array(), keys)
    assert np.allclose(products.images[0].get_array(), keys * query)
    assert np.allclose([bar.get_width() for bar in of_scores.patches], scores)
    assert np.isclose(sum(bar.get_width() for bar in attention.patches), 1)
    labels = of_query.get_yticklabels()
    assert [label.get_text() for label in labels] == TOKENS
    assert [label.get_fontweight() for label in labels] == ["normal", "normal", "bold", "normal"]
    assert of_keys.images[0].norm.vmin == -of_keys.images[0].norm.vmax
    assert "no sentence head" in figure.get_suptitle()
    assert saved(figure)  # a token with dollar signs is not a formula
    assert not draw(pd.concat([shuffled, head("sentence", 3, 2)[0]])).get_suptitle()


def test_a_position_bias_has_a_panel(saved):
    bias = np.array([0.5, -2, 0, 1])
    rows, *_, scores = head("next", 1, 1, bias=bias)
    figure = draw(rows)
    panels = {axes.get_title(loc="left"): axes for axes in figure.axes[3:6]}
    assert list(panels) == ["bias", "score", "attention"]
    for title, values in (("bias", bias), ("score", scores)):
        assert np.allclose([bar.get_width() for bar in panels[title].patches], values)
    assert saved(figure)
