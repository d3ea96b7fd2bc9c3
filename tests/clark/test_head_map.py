import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import silhouette_samples

from bert_attention.papers.clark import head_distances
from bert_attention.papers.clark.head_map import distance_matrix, head_clusters, head_map, layer_statistics
from tests.bert_base_attention import bert_base_sequences
from tests.statistics import blocks

LAYERS, HEADS = 3, 4
NAMES = list(itertools.product(range(1, LAYERS + 1), range(1, HEADS + 1)))


def table_of(matrix):
    """The table ``clark_head_distances`` of a matrix over ``NAMES``."""
    rows = [(*NAMES[i], *NAMES[j], matrix[i, j], 9) for i, j in itertools.combinations(range(len(NAMES)), 2)]
    return pd.DataFrame(rows, columns=["layer_a", "head_a", "layer_b", "head_b", "divergence", "n"])


def plane(spread, seed=0):
    """Distances between points around those of their layers, which are one apart."""
    random = np.random.default_rng(seed)
    points = np.array([(layer, 0.0) for layer, _ in NAMES]) + random.normal(0, spread, (len(NAMES), 2))
    return np.linalg.norm(points[:, None] - points, axis=-1)


@pytest.fixture
def measured():
    """Tables ``clark_positions`` and ``clark_entropy`` of heads without a behavior."""
    targets = ("self", "previous", "next", "cls", "sep", "punctuation", "sep_from_sep", "sep_from_other")
    positions = [(*name, target, 0.1) for name in NAMES for target in targets]
    entropy = [(*name, source, 2.0) for name in NAMES for source in ("all", "cls")]
    return (
        pd.DataFrame(positions, columns=["layer", "head", "target", "attention"]),
        pd.DataFrame(entropy, columns=["layer", "head", "source", "entropy"]),
    )


def examples_of(**heads):
    """The columns of tables ``clark_examples`` and ``clark_coreference_examples`` that name heads, as relation=head."""
    rows = [(relation, *head) for relation, head in heads.items() for _ in range(2)]
    table = pd.DataFrame(rows, columns=["relation", "layer", "head"])
    is_coreference = table["relation"] == "coreference"
    return table[~is_coreference], table.loc[is_coreference, ["layer", "head"]]


NO_EXAMPLES = examples_of()


def test_rows_of_distances_can_have_any_order_and_none_can_be_missing():
    matrix = plane(0.3)
    table = table_of(matrix).sample(frac=1, random_state=0)
    heads, found = distance_matrix(table)
    assert list(heads.itertuples(index=False, name=None)) == NAMES
    np.testing.assert_allclose(found, matrix)
    with pytest.raises(ValueError, match="lacks pairs"):
        distance_matrix(table[1:])


def test_the_map_recovers_points_of_a_plane(measured):
    matrix = plane(0.3)
    found = head_map(table_of(matrix), *measured, *NO_EXAMPLES, seed=0)
    xy = found[["x", "y"]].to_numpy()
    np.testing.assert_allclose(np.linalg.norm(xy[:, None] - xy, axis=-1), matrix, atol=2e-3)
    np.testing.assert_allclose(xy.mean(0), 0, atol=1e-9)
    assert xy[:, 0].std() > xy[:, 1].std()
    assert (xy.T @ xy)[0, 1] == pytest.approx(0, abs=1e-6)
    assert found["stress"].iloc[0] < 0.01


def test_the_seed_decides_the_map(measured):
    table = table_of(1 - np.eye(len(NAMES)))  # equal distances, which fit no plane
    one, same, other = (head_map(table, *measured, *NO_EXAMPLES, seed=seed) for seed in (0, 0, 1))
    assert one.equals(same)
    assert not one.equals(other)
    assert one["stress"].iloc[0] > 0.1


def test_behaviors_follow_the_examples_and_then_the_released_thresholds(measured):
    positions, entropy = measured
    for layer, head, target, attention in [
        *[(1, 1, "next", 0.51), (1, 2, "previous", 0.51), (1, 3, "previous", 0.50), (1, 4, "next", 0.9)],
        *[(2, 1, "cls", 0.61), (2, 2, "sep", 0.61), (2, 3, "punctuation", 0.61), (2, 4, "sep", 0.55)],
        *[(3, 1, "sep_from_sep", 0.61), (3, 3, "next", 0.65), (3, 4, "sep", 0.65)],
    ]:
        cell = (positions["layer"] == layer) & (positions["head"] == head) & (positions["target"] == target)
        positions.loc[cell, "attention"] = attention
    for head, source in [(1, "all"), (2, "cls"), (3, "all"), (4, "all")]:
        cell = (entropy["layer"] == 3) & (entropy["head"] == head) & (entropy["source"] == source)
        entropy.loc[cell, "entropy"] = 3.81
    expected = ["next", "previous", "other", "next", "cls", "sep", "punctuation", "other"]
    expected += ["broad", "other", "broad", "sep"]
    distances = table_of(plane(0.3))
    assert head_map(distances, positions, entropy, *NO_EXAMPLES, seed=0)["behaviour"].tolist() == expected
    expected[3], expected[4], expected[7] = "det, case", "coreference", "obj"
    examples = examples_of(obj=(2, 4), det=(1, 4), coreference=(2, 1), case=(1, 4))
    assert head_map(distances, positions, entropy, *examples, seed=0)["behaviour"].tolist() == expected
    with pytest.raises(KeyError, match=r"\(4, 1\)"):  # the encoder lacks head 4-1 of an example
        head_map(distances, positions, entropy, *examples_of(obj=(4, 1)), seed=0)


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
    matrix = plane(0.5)
    in_order, random = np.repeat(range(LAYERS), HEADS), np.random.default_rng(0)
    assignments = np.stack([in_order, *(random.permutation(in_order) for _ in range(3))])
    nearest = np.argsort(matrix, axis=1)[:, 1:HEADS]
    found = layer_statistics(matrix, nearest, assignments)
    for index, layers in enumerate(assignments):
        for name, values in reference(matrix, layers).items():
            by_layer = [np.mean(values), *(np.mean(np.array(values)[layers == layer]) for layer in range(LAYERS))]
            np.testing.assert_allclose(found[name][index], by_layer, rtol=1e-10, err_msg=name)
    np.testing.assert_allclose(found["same_to_cross"], found["same_layer"] / found["cross_layer"])


def by_seed(*tables):
    return pd.concat([table.assign(seed=seed) for seed, table in enumerate(tables, start=1)])


def clusters(distances, seed=0):
    """The statistics of trained weights."""
    table = head_clusters(distances, by_seed(table_of(plane(50))), seed)
    return table[table["weights"] == "trained"].drop(columns="weights")


def of_all_heads(table):
    return table[table["layer"] == 0].set_index("statistic")


def test_clusters_that_are_layers_are_found():
    table = clusters(table_of(plane(0.05)))
    whole = of_all_heads(table)
    assert whole.loc["neighbors_in_layer", "value"] == 1
    assert whole.loc["neighbors_in_layer", "chance"] == pytest.approx((HEADS - 1) / (LAYERS * HEADS - 1), abs=0.02)
    assert whole.loc["silhouette", "value"] > 0.8 > whole.loc["silhouette", "chance"]
    assert whole.loc["same_to_cross", "value"] < 0.15
    assert whole.loc["same_to_cross", "chance"] == pytest.approx(1, abs=0.05)
    assert (whole["p"] < 0.005).all()
    assert table["n"].tolist() == [len(NAMES), *[HEADS] * LAYERS] * 5


@pytest.mark.parametrize(("layers", "heads"), [(1, 4), (4, 1)])
def test_undefined_statistics_have_no_p_value(layers, heads):
    pairs = list(itertools.combinations(itertools.product(range(1, layers + 1), range(1, heads + 1)), 2))
    rows = [(*a, *b, 0.1 + number / 100) for number, (a, b) in enumerate(pairs)]
    table = clusters(pd.DataFrame(rows, columns=["layer_a", "head_a", "layer_b", "head_b", "divergence"]))
    assert table["value"].isna().any()
    assert (table["p"].isna() == table["value"].isna()).all()


def test_random_distances_have_p_values_of_chance():
    p = [of_all_heads(clusters(table_of(plane(50, seed)))).loc["same_to_cross", "p"] for seed in range(12)]
    assert 0.2 < np.mean(p) < 0.8
    assert min(p) > 0.005


def test_rounding_does_not_break_ties():
    """Means of these whole numbers are exact, but means of their tenths are not."""
    drawn = np.triu(np.random.default_rng(0).integers(1, 4, (len(NAMES), len(NAMES))), 1)
    whole = 24.0 * (drawn + drawn.T)
    exact, rounded = (clusters(table_of(matrix)).set_index("statistic")["p"] for matrix in (whole, whole / 10))
    for statistic in ("same_layer", "cross_layer"):
        assert rounded[statistic].tolist() == exact[statistic].tolist()


def test_rows_come_from_the_weights_that_they_name():
    near, far = table_of(plane(0.05)), table_of(plane(50))
    table, swapped = head_clusters(near, by_seed(far), seed=0), head_clusters(far, by_seed(near), seed=0)
    assert table["weights"].tolist() == ["trained"] * 20 + ["random"] * 20
    columns = table.columns.drop("weights")
    pd.testing.assert_frame_equal(table.loc[:19, columns], swapped.loc[20:, columns].reset_index(drop=True))


def test_statistics_of_random_weights_are_means_over_seeds():
    encoders = [table_of(plane(50, seed)) for seed in range(3)]
    alone = [of_all_heads(clusters(table)) for table in encoders]
    table = head_clusters(encoders[0], by_seed(*encoders), seed=0)
    together = of_all_heads(table[table["weights"] == "random"])
    np.testing.assert_allclose(together["value"], sum(table["value"] for table in alone) / 3)
    np.testing.assert_allclose(together["chance"], sum(table["chance"] for table in alone) / 3, rtol=0.05)
    assert together["p"].between(0, 1).all()


def test_heads_of_a_layer_of_real_bert_lie_together(real_data):
    """Section 6: heads within the same layer are often fairly close to each other."""
    distances = blocks.table_of(head_distances, bert_base_sequences(real_data))
    whole = of_all_heads(clusters(distances))
    assert whole.loc["same_to_cross", "value"] < 0.75
    assert whole.loc["neighbors_in_layer", "value"] > 3 * whole.loc["neighbors_in_layer", "chance"]
    assert (whole["p"] < 0.01).all()
