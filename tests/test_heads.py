import numpy as np

from bert_attention.heads import cell_table, head_table, relative_depth


def test_relative_depth_is_the_middle_of_a_layer():
    assert relative_depth(np.array([1, 2, 4]), 4).tolist() == [0.125, 0.375, 0.875]
    of_six, of_twelve = (relative_depth(np.arange(layers) + 1, layers) for layers in (6, 12))
    assert np.allclose(of_six, of_twelve.reshape(6, 2).mean(1))


def test_labels_come_before_heads_and_values_are_broadcast():
    values = np.arange(2 * 3 * 1 * 2).reshape(2, 3, 1, 2)
    labels = {"model": ("one", "other"), "variant": ("a", "b", "c")}
    table = head_table(labels, value=values, n=np.array([7, 8, 9])[:, None, None], task="rte")
    assert [*table] == ["layer", "head", "model", "variant", "value", "n", "task"]
    assert len(table) == 12
    for row in table.to_dict("records"):
        model, variant = labels["model"].index(row["model"]), labels["variant"].index(row["variant"])
        assert row["value"] == values[model, variant, row["layer"] - 1, row["head"] - 1]
        assert (row["n"], row["task"]) == (7 + variant, "rte")


def test_indices_of_an_axis_are_labels_or_numbers():
    table = cell_table(
        {"kind": ("a", "b"), "query": 0, "key": 1}, weight=np.arange(8).reshape(2, 2, 2), linked=[True, False]
    )
    rows = zip(*(table[name] for name in ("kind", "query", "key", "weight")), strict=True)
    assert list(rows)[:5] == [("a", 0, 1, 0), ("a", 0, 2, 1), ("a", 1, 1, 2), ("a", 1, 2, 3), ("b", 0, 1, 4)]
    assert table["linked"].tolist() == [True, False] * 4
