import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import silhouette_samples

from bert_attention.clark import head_distances
from bert_attention.clark.head_map import distance_matrix, head_clusters, head_map, layer_statistics
from tests.bert_base_attention import bert_base_sequences
from tests.statistics import blocks

LAYERS, HEADS = 3, 4
NAMES = list(itertools.product(range(1, LAYERS + 1), range(1, HEADS + 1)))


def table_of(matrix):
    """The table ``clark_head_distances`` of a matrix over ``NAMES``."""
    rows = [
        {"layer_a": a[0], "head_a": a[1], "layer_b": b[0], "head_b": b[1], "divergence": matrix[i, j], "n": 9}
        for (i, a), (j, b) in itertools.combinations(enumerate(NAMES), 2)
    ]
    return pd.DataFrame(rows)


def plane(spread, seed=0):
    """Places of heads around that of their layer (layers are one apart), and the distances of heads."""
    random = np.random.default_rng(seed)
    places = np.array([(layer, 0.0) for layer, _ in NAMES]) + random.normal(0, spread, (len(NAMES), 2))
    return places, np.linalg.norm(places[:, None] - places, axis=-1)


@pytest.fixture
def measured():
    """Tables ``clark_positions`` and ``clark_entropy`` of heads that do nothing."""
    targets = ("self", "previous", "next", "cls", "sep", "punctuation", "sep_from_sep", "sep_from_other")
    positions = pd.DataFrame(
        [{"layer": a, "head": b, "target": target, "attention": 0.1} for a, b in NAMES for target in targets]
    )
    entropy = pd.DataFrame(
        [{"layer": a, "head": b, "source": source, "entropy": 2.0} for a, b in NAMES for source in ("all", "cls")]
    )
    return positions, entropy


def found_by(**heads):
    """The columns of tables ``clark_examples`` and ``clark_coreference_examples`` that name heads, as relation=head."""
    rows = [{"relation": relation, "layer": layer, "head": head} for relation, (layer, head) in heads.items()]
    table = pd.DataFrame([row for row in rows for _ in range(2)], columns=["relation", "layer", "head"])
    of_coreference = table["relation"] == "coreference"
    return table[~of_coreference], table.loc[of_coreference, ["layer", "head"]]


NO_HEADS = found_by()


def put(table, column, value, **where):
    table.loc[np.logical_and.reduce([table[name] == one for name, one in where.items()]), column] = value


def test_the_matrix_is_that_of_the_table_in_any_order():
    _, matrix = plane(0.3)
    heads, found = distance_matrix(table_of(matrix).sample(frac=1, random_state=0))
    assert list(heads.itertuples(index=False, name=None)) == NAMES
    np.testing.assert_allclose(found, matrix)


def test_a_missing_pair_is_an_error():
    with pytest.raises(ValueError, match="lacks pairs"):
        distance_matrix(table_of(plane(0.3)[1]).drop(index=5))


def test_places_in_a_plane_are_found_again(measured):
    _, matrix = plane(0.3)
    found = head_map(table_of(matrix), *measured, *NO_HEADS, seed=0)
    xy = found[["x", "y"]].to_numpy()
    np.testing.assert_allclose(np.linalg.norm(xy[:, None] - xy, axis=-1), matrix, atol=2e-3)
    np.testing.assert_allclose(xy.mean(0), 0, atol=1e-9)
    assert xy[:, 0].std() > xy[:, 1].std()
    assert (xy.T @ xy)[0, 1] == pytest.approx(0, abs=1e-6)
    assert found["stress"].iloc[0] < 0.01


def test_the_seed_decides_the_map(measured):
    """Distances that fit no plane: all the same."""
    table = table_of(1 - np.eye(len(NAMES)))
    one, same, other = (head_map(table, *measured, *NO_HEADS, seed=seed) for seed in (0, 0, 1))
    assert one.equals(same)
    assert not one.equals(other)
    assert one["stress"].iloc[0] > 0.1


def test_behaviors_are_the_released_thresholds_of_which_the_last_holds(measured):
    positions, entropy = measured
    for layer, head, target, attention in [
        *[(1, 1, "next", 0.51), (1, 2, "previous", 0.51), (1, 3, "previous", 0.50)],
        *[(2, 1, "cls", 0.61), (2, 2, "sep", 0.61), (2, 3, "punctuation", 0.61), (2, 4, "sep", 0.55)],
        *[(3, 1, "sep_from_sep", 0.61), (3, 3, "next", 0.65), (3, 4, "sep", 0.65)],
    ]:
        put(positions, "attention", attention, layer=layer, head=head, target=target)
    for head, source in [(1, "all"), (2, "cls"), (3, "all"), (4, "all")]:
        put(entropy, "entropy", 3.81, layer=3, head=head, source=source)
    found = head_map(table_of(plane(0.3)[1]), positions, entropy, *NO_HEADS, seed=0)
    assert found["behaviour"].tolist() == [
        *("next", "previous", "other", "other"),
        *("cls", "sep", "punctuation", "other"),
        *("broad", "other", "broad", "sep"),
    ]


def test_heads_of_figure_5_have_what_they_find(measured):
    of_figure_5 = found_by(obj=(3, 1), det=(1, 3), coreference=(2, 2), case=(1, 3))
    put(measured[0], "attention", 0.9, layer=3, head=1, target="next")
    found = head_map(table_of(plane(0.3)[1]), *measured, *of_figure_5, seed=0).set_index(["layer", "head"])["behaviour"]
    assert found[3, 1] == "obj"
    assert found[1, 3] == "det, case"
    assert found[2, 2] == "coreference"
    assert (found == "other").sum() == len(NAMES) - 3


def test_a_head_that_is_not_there_is_an_error(measured):
    with pytest.raises(KeyError, match=r"\(4, 1\)"):
        head_map(table_of(plane(0.3)[1]), *measured, *found_by(obj=(4, 1)), seed=0)


def reference(matrix, layers):
    """The statistics of all heads, in loops."""
    same, cross, neighbors = [], [], []
    for a in range(len(matrix)):
        others = [b for b in range(len(matrix)) if b != a]
        same.append(np.mean([matrix[a, b] for b in others if layers[b] == layers[a]]))
        cross.append(np.mean([matrix[a, b] for b in others if layers[b] != layers[a]]))
        nearest = sorted(others, key=lambda b: matrix[a, b])[: HEADS - 1]
        neighbors.append(np.mean([layers[b] == layers[a] for b in nearest]))
    return {
        "same_layer": same,
        "cross_layer": cross,
        "neighbors_in_layer": neighbors,
        "silhouette": silhouette_samples(matrix, layers, metric="precomputed"),
    }


def test_layer_statistics_equal_the_plain_formulas():
    _, matrix = plane(0.5)
    in_order, random = np.repeat(range(LAYERS), HEADS), np.random.default_rng(0)
    assignments = np.stack([in_order, *(random.permutation(in_order) for _ in range(3))])
    nearest = np.argsort(matrix, axis=1)[:, 1:HEADS]
    found = layer_statistics(matrix, nearest, assignments)
    for place, layers in enumerate(assignments):
        for name, values in reference(matrix, layers).items():
            by_layer = [np.mean(values), *(np.mean(np.array(values)[layers == layer]) for layer in range(LAYERS))]
            np.testing.assert_allclose(found[name][place], by_layer, rtol=1e-10, err_msg=name)
    np.testing.assert_allclose(found["same_to_cross"], found["same_layer"] / found["cross_layer"])


def by_seed(*tables):
    return pd.concat([table.assign(seed=place) for place, table in enumerate(tables, start=1)])


def clusters(distances, seed=0):
    """The statistics of trained weights; those of random ones are not looked at."""
    table = head_clusters(distances, by_seed(table_of(plane(50)[1])), seed)
    return table[table["weights"] == "trained"].drop(columns="weights")


def of_all_heads(table):
    return table[table["layer"] == 0].set_index("statistic")


def test_clusters_that_are_layers_are_found():
    table = clusters(table_of(plane(0.05)[1]))
    whole = of_all_heads(table)
    assert whole.loc["neighbors_in_layer", "value"] == 1
    assert whole.loc["neighbors_in_layer", "chance"] == pytest.approx((HEADS - 1) / (LAYERS * HEADS - 1), abs=0.02)
    assert whole.loc["silhouette", "value"] > 0.8 > whole.loc["silhouette", "chance"]
    assert whole.loc["same_to_cross", "value"] < 0.15
    assert whole.loc["same_to_cross", "chance"] == pytest.approx(1, abs=0.05)
    assert (whole["p"] < 0.005).all()
    assert (whole["n"] == len(NAMES)).all()
    assert (table.loc[table["layer"] > 0, "n"] == HEADS).all()
    assert len(table) == 5 * (LAYERS + 1)


@pytest.mark.parametrize(("layers", "heads"), [(1, 4), (4, 1)])
def test_what_an_encoder_has_nothing_for_has_no_p_value(layers, heads):
    pairs = list(itertools.combinations(itertools.product(range(1, layers + 1), range(1, heads + 1)), 2))
    rows = [(*a, *b, 0.1 + place / 100) for place, (a, b) in enumerate(pairs)]
    table = clusters(pd.DataFrame(rows, columns=["layer_a", "head_a", "layer_b", "head_b", "divergence"]))
    assert table["value"].isna().any()
    assert (table["p"].isna() == table["value"].isna()).all()


def test_heads_without_layers_are_taken_for_none():
    p = [of_all_heads(clusters(table_of(plane(50, seed)[1]))).loc["same_to_cross", "p"] for seed in range(12)]
    assert 0.2 < np.mean(p) < 0.8
    assert min(p) > 0.005


def test_ties_are_ties_whatever_the_rounding():
    """Means of these whole numbers are exact, those of their tenths are not."""
    drawn = np.random.default_rng(0).integers(1, 4, (len(NAMES), len(NAMES)))
    whole = 24.0 * (np.triu(drawn, 1) + np.triu(drawn, 1).T)
    exact, rounded = (clusters(table_of(matrix)).set_index("statistic") for matrix in (whole, whole / 10))
    for statistic in ("same_layer", "cross_layer"):
        assert rounded.loc[statistic, "p"].tolist() == exact.loc[statistic, "p"].tolist()


def test_permutations_that_tie_but_for_rounding_are_as_extreme():
    """Equal distances give every assignment of heads to layers the same statistics."""
    whole = of_all_heads(clusters(table_of(0.1 * (1 - np.eye(len(NAMES))))))
    assert (whole.loc[["same_layer", "cross_layer", "same_to_cross", "silhouette"], "p"] == 1).all()


def test_clusters_follow_the_seed_alone():
    table = table_of(plane(0.5)[1])
    assert clusters(table, 0).equals(clusters(table, 0))
    assert not clusters(table, 0)["p"].equals(clusters(table, 1)["p"])


def test_random_weights_stand_beside_the_trained_ones():
    near, far = table_of(plane(0.05)[1]), table_of(plane(50)[1])
    table = head_clusters(near, by_seed(far), seed=0)
    assert table["weights"].unique().tolist() == ["trained", "random"]
    swapped = head_clusters(far, by_seed(near), seed=0)
    for weights, other in (("trained", "random"), ("random", "trained")):
        rows = table[table["weights"] == weights].drop(columns="weights").reset_index(drop=True)
        same = swapped[swapped["weights"] == other].drop(columns="weights").reset_index(drop=True)
        pd.testing.assert_frame_equal(rows, same)
    ratios = table[(table["statistic"] == "same_to_cross") & (table["layer"] == 0)].set_index("weights")["value"]
    assert ratios["trained"] < 0.15
    assert ratios["random"] > 0.7


def test_statistics_of_random_weights_are_means_over_seeds():
    encoders = [table_of(plane(50, seed)[1]) for seed in range(3)]
    alone = [of_all_heads(clusters(table)) for table in encoders]
    table = head_clusters(encoders[0], by_seed(*encoders), seed=0)
    together = of_all_heads(table[table["weights"] == "random"])
    expected = sum(table["value"] for table in alone) / 3
    np.testing.assert_allclose(together["value"], expected)
    np.testing.assert_allclose(together["chance"], sum(table["chance"] for table in alone) / 3, rtol=0.05)
    assert together["p"].between(0, 1).all()


def test_what_all_seeds_show_a_little_is_beyond_chance():
    """Three times an effect that is too small for one encoder."""
    encoders = [table_of(plane(2, seed)[1]) for seed in range(3)]
    alone = [of_all_heads(clusters(table)).loc["same_to_cross", "p"] for table in encoders]
    table = head_clusters(encoders[0], by_seed(*encoders), seed=0)
    assert of_all_heads(table[table["weights"] == "random"]).loc["same_to_cross", "p"] < np.median(alone)


def test_heads_of_a_layer_of_real_bert_lie_together(real_data):
    """Section 6: heads within the same layer are often fairly close to each other."""
    distances = blocks.table_of(head_distances, bert_base_sequences(real_data))
    whole = of_all_heads(clusters(distances))
    assert whole.loc["same_to_cross", "value"] < 0.75
    assert whole.loc["neighbors_in_layer", "value"] > 3 * whole.loc["neighbors_in_layer", "chance"]
    assert (whole["p"] < 0.01).all()
