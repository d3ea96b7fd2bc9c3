"""Word alignment against the released procedure in loops, on random maps."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import pearsonr, spearmanr

from bert_attention.attention.cross_attention_maps import CrossAttentionMaps
from bert_attention.corpora.alignments import diagonal_links
from bert_attention.corpora.types import AlignedPair
from bert_attention.papers.kobayashi.alignment import (
    METHODS,
    SETTINGS,
    alignment,
    alignment_summary,
    alignment_tables,
    example_pairs,
    linked_words,
    sums,
    table,
    tables_of_models,
    word_maps,
)
from bert_attention.statistics.jackknife import Replicates, interval, tabulated
from bert_attention.statistics.sums import Sums
from tests.corpora.alignment_error_rate import alignment_error_rate

LAYERS, HEADS = 3, 2


def make_maps(attention, value_norms, summed_norms, source_words, target_words):
    arrays = (np.asarray(array, dtype=np.float32) for array in (attention, value_norms, summed_norms))
    tokens = tuple("</s>" if word < 0 else f"w{word}" for word in source_words)
    return CrossAttentionMaps(*arrays, np.array(source_words), np.array(target_words), tokens)


def random_pair(random):
    """A pair with random links, maps between its subwords, and one special token at the end of either side."""
    source, target = ([int(size) for size in random.integers(1, 4, random.integers(2, 7))] for _ in range(2))
    links = [(i, j) for i in range(len(source)) for j in range(len(target)) if random.random() < 0.4]
    sure = frozenset(link for link in links if random.random() < 0.7)
    words = [[*np.repeat(range(len(side)), side), -1] for side in (source, target)]
    n, m = map(len, words)
    attention = random.dirichlet(np.full(n, 0.3), size=(LAYERS, HEADS, m))
    maps = make_maps(attention, random.random((LAYERS, HEADS, n)), random.random((LAYERS, m, n)), *words)
    texts = (tuple(f"{side}{index}" for index in range(len(sizes))) for side, sizes in (("s", source), ("t", target)))
    return AlignedPair(*texts, sure, frozenset(links) - (sure if random.random() < 0.5 else frozenset())), maps


@pytest.fixture(scope="module")
def corpus():
    random = np.random.default_rng(0)
    return list(zip(*(random_pair(random) for _ in range(30)), strict=True))


def summed(pairs, maps):
    return Sums.of(map(sums, pairs, maps), range(len(pairs)))


@pytest.fixture(scope="module")
def counts(corpus):
    return summed(*corpus)


def plain_word_map(matrix, maps, setting):
    """As in calculate_aer.py: rotate, merge subwords, drop the last row; </s> is the last column."""
    matrix = np.array(matrix, dtype=np.float64)
    if setting == "awi":
        matrix = matrix[[*range(1, len(matrix)), 0]]
    source, target = (
        [[row for row, row_word in enumerate(words) if row_word == word] for word in range(max(words) + 1)]
        for words in (maps.source_words.tolist(), maps.target_words.tolist())
    )
    columns = [*source, [-1]]
    return [[np.mean([sum(matrix[row, c] for c in column) for row in rows]) for column in columns] for rows in target]


def released_links(matrix, maps, setting):
    """Each word of the target with the source word of the highest value, unless </s> has the highest value."""
    chosen = [(int(np.argmax(row)), t) for t, row in enumerate(plain_word_map(matrix, maps, setting))]
    return {(s, t) for s, t in chosen if s <= maps.source_words.max()}


def matrix_of(maps, method, layer, head):
    """Values between subwords; head 0 stands for all heads together."""
    if head == 0:
        return maps.attention[layer].astype(float).mean(0) if method == "weight" else maps.summed_norms[layer]
    weights = maps.attention[layer, head - 1].astype(float)
    return weights if method == "weight" else weights * maps.value_norms[layer, head - 1]


def test_all_rates_equal_the_released_procedure(corpus, counts):
    pairs, maps = corpus
    rates = alignment(counts)
    assert len(rates) == 2 * 2 * LAYERS * (1 + HEADS)
    for row in rates.itertuples():
        head = 0 if pd.isna(row.head) else row.head
        links = [released_links(matrix_of(m, row.method, row.layer - 1, head), m, row.setting) for m in maps]
        assert row.aer == pytest.approx(alignment_error_rate(links, pairs), abs=1e-12)
        assert row.n == len(pairs)


def test_word_maps_equal_loops(corpus):
    for maps in corpus[1][:3]:
        found = word_maps(maps)
        for setting, method, layer, head in np.ndindex(found.shape[:4]):
            expected = plain_word_map(matrix_of(maps, METHODS[method], layer, head), maps, SETTINGS[setting])
            np.testing.assert_allclose(found[setting, method, layer, head], expected, atol=1e-5)


def test_mean_norms_are_over_all_cells_between_subwords(corpus, counts):
    for row in alignment(counts).itertuples():
        heads = range(1, HEADS + 1) if pd.isna(row.head) else [row.head]
        cells = [matrix_of(maps, "norm", row.layer - 1, head).ravel() for maps in corpus[1] for head in heads]
        assert row.mean_norm == pytest.approx(np.concatenate(cells).mean(), abs=1e-6)


def test_several_special_tokens_are_columns_of_their_own():
    """As in mBART, whose source begins with its language: the word has more than each special token alone."""
    maps = make_maps([[[[0.3, 0.4, 0.3]] * 2]], [[[1, 1, 1]]], [[[0.3, 0.4, 0.3]] * 2], [-1, 0, -1], [0, -1])
    found = word_maps(maps)
    np.testing.assert_allclose(found[:, 0, 0, 0, 0], [[0.4, 0.3, 0.3]] * 2, rtol=1e-6)
    assert (linked_words(found, 1) == 0).all()


def statistic(summary, name, **columns):
    rows = summary[summary["statistic"] == name]
    for column, value in columns.items():
        rows = rows[rows[column] == value]
    (row,) = rows.itertuples()
    return row


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("method", METHODS)
def test_the_summary_follows_from_the_table(counts, setting, method):
    rates, system = alignment(counts), {"setting": setting, "method": method}
    summary = alignment_summary(counts)
    own = rates[(rates["setting"] == setting) & (rates["method"] == method)]
    layers, heads = own[own["head"].isna()].set_index("layer"), own[own["head"].notna()]
    rows = summary[(summary["setting"] == setting) & (summary["method"] == method)]
    by_layer = rows[rows["statistic"] == "layer"].set_index("layer")["value"]
    assert by_layer.to_dict() == pytest.approx(layers["aer"].to_dict())
    expected = {"layer_mean": layers["aer"].mean()}
    best_layer = statistic(summary, "best_layer", selection="same_data", **system)
    assert (best_layer.value, best_layer.chosen) == (pytest.approx(layers["aer"].min()), 1)
    assert best_layer.layer == layers["aer"].idxmin()
    assert pd.isna(best_layer.head)
    chosen = {"best_head": heads.loc[heads["aer"].idxmin()]}
    if method == "norm":
        weights = rates.query("setting == @setting and method == 'weight' and head.isna()")["aer"]
        chosen["highest_norm_head"] = heads.loc[heads["mean_norm"].idxmax()]
        expected["highest_norm_layer"] = layers.loc[layers["mean_norm"].idxmax(), "aer"]
        expected["layer_mean_minus_weight"] = layers["aer"].mean() - weights.mean()
        expected["best_layer_minus_weight"] = layers["aer"].min() - weights.min()
        expected["spearman"] = spearmanr(heads["mean_norm"], heads["aer"]).statistic
        expected["pearson"] = pearsonr(heads["mean_norm"], heads["aer"]).statistic
        assert statistic(summary, "spearman", **system).n == LAYERS * HEADS
    for name, value in expected.items():
        assert statistic(summary, name, **system).value == pytest.approx(value)
    for name, head in chosen.items():
        (row,) = rows[(rows["statistic"] == name) & (rows["selection"] != "held_out")].itertuples()
        assert (row.layer, row.head, row.value) == (head["layer"], head["head"], pytest.approx(head["aer"]))
    assert set(rows["statistic"]) == {"layer", "best_layer", *expected, *chosen}


def test_the_diagonal_has_no_setting_or_method(corpus, counts):
    diagonal = statistic(alignment_summary(counts), "diagonal")
    expected = alignment_error_rate(map(diagonal_links, corpus[0]), corpus[0])
    assert (diagonal.value, diagonal.n) == (pytest.approx(expected), len(corpus[0]))
    assert pd.isna(diagonal.setting) and pd.isna(diagonal.method)


def test_held_out_choices_do_not_see_the_pairs_on_which_they_are_scored():
    """Either layer is right in one half of the pairs, so the layer chosen on some pairs is worse on the others."""
    right, wrong = [[0.9, 0.1]] * 2, [[0.1, 0.9]] * 2
    pair = AlignedPair(("a",), ("b",), frozenset({(0, 0)}), frozenset())
    maps = []
    for index in range(20):
        layers = [right, wrong] if index % 2 else [wrong, right]
        maps.append(make_maps([[layer] for layer in layers], np.ones((2, 1, 2)), layers, [0, -1], [0, -1]))
    summary = alignment_summary(summed([pair] * 20, maps))
    same_data, held_out = (
        statistic(summary, "best_layer", selection=selection, setting="awo", method="norm")
        for selection in ("same_data", "held_out")
    )
    assert same_data.value == pytest.approx(1 - 2 * 10 / (10 + 20))  # a wrong layer links to </s>
    assert held_out.value > same_data.value + 0.02
    assert 0.4 < held_out.chosen < 0.9
    alone = alignment_summary(summed([pair], maps[:1]))
    assert np.isnan(statistic(alone, "best_layer", selection="held_out", setting="awo", method="norm").value)


def named_pair(source, target, links):
    return AlignedPair(tuple(source.split()), tuple(target.split()), frozenset(links), frozenset())


def test_shown_pairs_fit_the_figure_and_have_crossing_links():
    straight = named_pair("a b c d e f", "a b c d e f", [(0, 0), (1, 1)])
    crossed = named_pair("g b c d e f", "a b c d e f", [(0, 1), (1, 0)])
    short = named_pair("a b", "a b", [(0, 1), (1, 0)])
    letters = named_pair("Donaudampfschifffahrt b c d e f", "a b c d e f", [(0, 1), (1, 0)])
    assert example_pairs([short, straight, letters, crossed, crossed]) == [3, 1]
    assert example_pairs([short, crossed, letters]) == [1, 0]
    assert example_pairs([short]) == [0]


def test_the_tables_of_a_model_are_made_in_two_passes_and_show_the_best_layer(corpus, counts):
    pairs, maps = corpus
    passes = []

    def maps_of(some):
        passes.append([pairs.index(pair) for pair in some])
        return (maps[index] for index in passes[-1])

    tables = alignment_tables(pairs, maps_of)
    shown = example_pairs(pairs)
    assert passes == [list(range(len(pairs))), shown]
    rates, summary = alignment(counts), tables["kobayashi_alignment_summary"]
    pd.testing.assert_frame_equal(tables["kobayashi_alignment"].whole, rates)
    pd.testing.assert_frame_equal(summary.left_out[2], alignment_summary(counts.without(2)))
    examples = tables["kobayashi_alignment_examples"].whole
    best = rates[(rates["method"] == "norm") & rates["head"].isna()].nsmallest(1, "aer").iloc[0]
    assert (set(examples["layer"]), set(examples["setting"])) == ({best["layer"]}, {best["setting"]})
    for number, index in enumerate(shown, start=1):
        rows, pair = examples[examples["pair"] == number], pairs[index]
        expected = word_maps(maps[index])[SETTINGS.index(best["setting"]), :, best["layer"] - 1, 0]
        np.testing.assert_allclose(rows[["weight", "norm"]].T, expected.reshape(2, -1))
        for row in rows.itertuples():
            link = (row.source - 1, row.target - 1)
            assert row.gold == ("sure" if link in pair.sure else "possible" if link in pair.possible else "none")
            words = (*pair.source, "</s>")[row.source - 1], pair.target[row.target - 1]
            assert (row.source_word, row.target_word) == words


def test_models_are_joined_and_seeds_averaged_in_the_summary(corpus):
    """Two seeds of one model, the second with fewer pairs, and a model of unknown seed."""
    pairs, maps = corpus
    shown = {"kobayashi_alignment_examples": Replicates(pd.DataFrame({"pair": [1, 2]}))}
    by_seed = {
        key: tabulated(table, summed(pairs[:n], maps[:n])) | shown
        for key, n in ((("a", 7), 30), (("a", 9), 20), (("downloaded", None), 30))
    }
    joined = tables_of_models(by_seed)
    rates, summary, examples = (joined[f"kobayashi_alignment{name}"] for name in ("", "_summary", "_examples"))
    assert examples.whole.to_csv(index=False).splitlines()[1::2] == ["1,a,7", "1,a,9", "1,downloaded,"]
    rows = rates.whole.groupby(["model", "seed"], dropna=False, sort=False)["aer"]
    for (_, found), tables in zip(rows, by_seed.values(), strict=True):
        assert found.tolist() == tables["kobayashi_alignment"].whole["aer"].tolist()
    first, second, alone = (tables["kobayashi_alignment_summary"].whole for tables in by_seed.values())
    means, downloaded = (summary.whole[summary.whole["model"] == model] for model in ("a", "downloaded"))
    assert means["value"].tolist() == pytest.approx(((first["value"] + second["value"]) / 2).tolist(), nan_ok=True)
    assert (set(means["seeds"]), set(downloaded["seeds"])) == ({2}, {1})
    assert means["head"].isna().all()
    assert downloaded["head"].tolist() == alone["head"].tolist()
    found = interval(lambda rows: rows["value"].to_numpy(), summary)
    standard_errors = ((first["value"] - second["value"]).abs() / 2).to_numpy()
    assert ((found.high - found.low)[: len(means)] > 2 * standard_errors).all()
