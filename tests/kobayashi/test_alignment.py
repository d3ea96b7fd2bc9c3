"""Word alignment: a pair worked by hand, and the released procedure in loops on random maps."""

import numpy as np
import pandas as pd
import pytest

from bert_attention.attention.cross_attention_maps import CrossAttentionMaps
from bert_attention.corpora.alignments import diagonal_links
from bert_attention.corpora.types import AlignedPair
from bert_attention.kobayashi.alignment import (
    METHODS,
    NO_LINK,
    SETTINGS,
    alignment,
    alignment_examples,
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
    source, target = ([int(places) for places in random.integers(1, 4, random.integers(2, 7))] for _ in range(2))
    links = [(i, j) for i in range(len(source)) for j in range(len(target)) if random.random() < 0.4]
    sure = frozenset(link for link in links if random.random() < 0.7)
    words = [[*np.repeat(range(len(side)), side), -1] for side in (source, target)]
    n, m = map(len, words)
    attention = random.dirichlet(np.full(n, 0.3), size=(LAYERS, HEADS, m))
    maps = make_maps(attention, random.random((LAYERS, HEADS, n)), random.random((LAYERS, m, n)), *words)
    named = (tuple(f"{side}{place}" for place in range(len(sizes))) for side, sizes in (("s", source), ("t", target)))
    return AlignedPair(*named, sure, frozenset(links) - (sure if random.random() < 0.5 else frozenset())), maps


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
    """As in calculate_aer.py: rotate, put subwords together, drop the last row; </s> is the last column."""
    matrix = np.array(matrix, dtype=np.float64)
    if setting == "awi":
        matrix = matrix[[*range(1, len(matrix)), 0]]
    source, target = (
        [[place for place, of in enumerate(words) if of == word] for word in range(max(words) + 1)]
        for words in (maps.source_words.tolist(), maps.target_words.tolist())
    )
    columns = [*source, [-1]]
    return [[np.mean([sum(matrix[row, c] for c in column) for row in rows]) for column in columns] for rows in target]


def released_links(matrix, maps, setting):
    """Each word of the target with the word that it takes most from, unless that is </s>."""
    chosen = [(int(np.argmax(row)), t) for t, row in enumerate(plain_word_map(matrix, maps, setting))]
    return {(s, t) for s, t in chosen if s <= maps.source_words.max()}


def matrix_of(maps, method, layer, head):
    """Between subwords; head 0 stands for all together."""
    if head == 0:
        return maps.attention[layer].astype(float).mean(0) if method == "weight" else maps.summed_norms[layer]
    weights = maps.attention[layer, head - 1].astype(float)
    return weights if method == "weight" else weights * maps.value_norms[layer, head - 1]


def test_a_pair_worked_by_hand():
    """Source and target: a word of two subwords, a word, </s>."""
    rows = [
        [0.6, 0.1, 0.2, 0.1],  # predicts the first subword of word 0, is given the start
        [0.3, 0.3, 0.4, 0.0],  # predicts its second, is given its first
        [0.1, 0.1, 0.7, 0.1],  # predicts word 1, is given the second subword of word 0
        [0.0, 0.1, 0.2, 0.7],  # predicts </s>, is given word 1
    ]
    norms = [1.0, 1.0, 1.0, 0.1]
    maps = make_maps([[rows]], [[norms]], [np.multiply(rows, norms)], [0, 0, 1, -1], [0, 0, 1, -1])
    found = word_maps(maps)
    awi, awo = (found[SETTINGS.index(setting), 0, 0, 1] for setting in ("awi", "awo"))
    np.testing.assert_allclose(awo, [[0.65, 0.3, 0.05], [0.2, 0.7, 0.1]], rtol=1e-6)
    np.testing.assert_allclose(awi, [[0.4, 0.55, 0.05], [0.1, 0.2, 0.7]], rtol=1e-6)
    links = linked_words(found, 2)
    assert links[SETTINGS.index("awo"), METHODS.index("weight"), 0].tolist() == [[0, 1], [0, 1]]
    assert links[SETTINGS.index("awi"), METHODS.index("weight"), 0].tolist() == [[1, NO_LINK], [1, NO_LINK]]
    assert links[SETTINGS.index("awi"), METHODS.index("norm"), 0].tolist() == [[1, 1], [1, 1]]  # </s> is short
    pair = AlignedPair(("a", "b"), ("c", "d"), frozenset({(0, 0)}), frozenset({(1, 1)}))
    rates = alignment(summed([pair], [maps])).set_index(["setting", "method", "layer"])["aer"]
    assert (rates["awo"] == 0).all()  # both links are right: 1 - (1 + 2) / (2 + 1)
    assert rates["awi", "weight", 1].tolist() == [1, 1]  # one link, wrong
    assert rates["awi", "norm", 1].tolist() == pytest.approx([2 / 3, 2 / 3])  # 1 - (0 + 1) / (2 + 1)


def test_all_rates_equal_the_released_procedure(corpus, counts):
    pairs, maps = corpus
    rates = alignment(counts)
    assert len(rates) == 2 * 2 * LAYERS * (1 + HEADS)
    for row in rates.itertuples():
        head = 0 if pd.isna(row.head) else row.head
        links = [released_links(matrix_of(m, row.method, row.layer - 1, head), m, row.setting) for m in maps]
        assert row.aer == pytest.approx(alignment_error_rate(links, pairs), abs=1e-12)
        assert row.n == len(pairs)
    assert rates["aer"].nunique() > 20


def test_word_maps_equal_loops(corpus):
    for maps in corpus[1][:5]:
        found = word_maps(maps)
        for setting, method, layer, head in np.ndindex(found.shape[:4]):
            expected = plain_word_map(matrix_of(maps, METHODS[method], layer, head), maps, SETTINGS[setting])
            np.testing.assert_allclose(found[setting, method, layer, head], expected, atol=1e-5)


def test_mean_norms_are_over_all_cells_between_subwords(corpus, counts):
    rates = alignment(counts)
    of_heads = rates[rates["head"].notna()]
    for row in of_heads.itertuples():
        cells = [matrix_of(maps, "norm", row.layer - 1, row.head).ravel() for maps in corpus[1]]
        assert row.mean_norm == pytest.approx(np.concatenate(cells).mean(), abs=1e-6)
    layers = rates[rates["head"].isna()].set_index("layer")["mean_norm"]
    assert layers[2].tolist() == pytest.approx([of_heads[of_heads["layer"] == 2]["mean_norm"].mean()] * 4)


def test_several_special_tokens_are_columns_of_their_own():
    """As in mBART, whose source begins with its language: neither outdoes the word, both together would."""
    maps = make_maps([[[[0.3, 0.4, 0.3]] * 2]], [[[1, 1, 1]]], [[[0.3, 0.4, 0.3]] * 2], [-1, 0, -1], [0, -1])
    found = word_maps(maps)
    np.testing.assert_allclose(found[:, 0, 0, 0, 0], [[0.4, 0.3, 0.3]] * 2, rtol=1e-6)
    assert (linked_words(found, 1) == 0).all()


def test_maps_of_other_words_are_refused(corpus):
    pairs, maps = corpus
    with pytest.raises(ValueError, match="do not fit its words"):
        sums(AlignedPair((*pairs[0].source, "x"), pairs[0].target, frozenset(), frozenset()), maps[0])
    with pytest.raises(ValueError):
        alignment_tables(pairs, lambda _: maps[:-1])
    cut = make_maps(np.ones((1, 1, 2, 2)), np.ones((1, 1, 2)), np.ones((1, 2, 2)), [0, -1], [0, 1])  # no </s> follows
    with pytest.raises(ValueError, match="no row"):
        word_maps(cut)


def statistic(summary, name, **which):
    rows = summary[summary["statistic"] == name]
    for column, value in which.items():
        rows = rows[rows[column] == value]
    (row,) = rows.itertuples()
    return row


def test_the_summary_is_that_of_the_table(corpus, counts):
    rates, summary = alignment(counts), alignment_summary(counts)
    of_layers, of_heads = rates[rates["head"].isna()], rates[rates["head"].notna()]
    for setting in SETTINGS:
        for method in METHODS:
            which = {"setting": setting, "method": method}
            layers, heads = (t[(t["setting"] == setting) & (t["method"] == method)] for t in (of_layers, of_heads))
            rows = summary[(summary["setting"] == setting) & (summary["method"] == method)]
            for_each = rows[rows["statistic"] == "layer"]
            assert for_each["layer"].tolist() == layers["layer"].tolist() == [1, 2, 3]
            assert for_each["value"].tolist() == pytest.approx(layers["aer"].tolist())
            assert statistic(summary, "layer_mean", **which).value == pytest.approx(layers["aer"].mean())
            best = statistic(summary, "best_layer", selection="same_data", **which)
            assert (best.value, best.chosen) == (pytest.approx(layers["aer"].min()), 1)
            assert best.layer == layers.loc[layers["aer"].idxmin(), "layer"]
            assert pd.isna(best.head)
            best = statistic(summary, "best_head", selection="same_data", **which)
            expected = heads.loc[heads["aer"].idxmin()]
            assert best.value == pytest.approx(expected["aer"])
            assert (best.layer, best.head) == (expected["layer"], expected["head"])
        which = {"setting": setting, "method": "norm"}
        layers, heads = (t[(t["setting"] == setting) & (t["method"] == "norm")] for t in (of_layers, of_heads))
        by_weight = of_layers.query("setting == @setting and method == 'weight'")["aer"]
        for name, take in (("layer_mean", np.mean), ("best_layer", np.min)):
            found = statistic(summary, f"{name}_minus_weight", **which)
            assert found.value == pytest.approx(take(layers["aer"]) - take(by_weight))
        highest = heads.loc[heads["mean_norm"].idxmax()]
        found = statistic(summary, "highest_norm_head", **which)
        assert (found.layer, found.head, found.value) == (
            highest["layer"],
            highest["head"],
            pytest.approx(highest["aer"]),
        )
        found = statistic(summary, "highest_norm_layer", **which)
        assert found.value == pytest.approx(layers.loc[layers["mean_norm"].idxmax(), "aer"])
        ranks = [heads[column].rank().to_numpy() for column in ("mean_norm", "aer")]
        found = statistic(summary, "spearman", **which)
        assert (found.value, found.n) == (pytest.approx(np.corrcoef(ranks)[0, 1]), LAYERS * HEADS)
        values = [heads[column].to_numpy(dtype=float) for column in ("mean_norm", "aer")]
        assert statistic(summary, "pearson", **which).value == pytest.approx(np.corrcoef(values)[0, 1])
    assert not summary[summary["method"] == "weight"]["statistic"].str.contains("norm|spearman|pearson").any()
    expected = alignment_error_rate(map(diagonal_links, corpus[0]), corpus[0])
    diagonal = statistic(summary, "diagonal")
    assert (diagonal.value, diagonal.n) == (pytest.approx(expected), len(corpus[0]))


def test_held_out_choices_do_not_see_what_they_are_scored_on():
    """Either layer is right in one half of the pairs: what is chosen for some is worse on the others."""
    right, wrong = [[0.9, 0.1], [0.1, 0.9]], [[0.1, 0.9], [0.9, 0.1]]
    pair = AlignedPair(("a",), ("b",), frozenset({(0, 0)}), frozenset())
    maps = []
    for place in range(20):
        layers = [right, wrong] if place % 2 else [wrong, right]
        layers = [[layer[0]] * 2 for layer in layers]  # both settings alike
        maps.append(make_maps([[layer] for layer in layers], np.ones((2, 1, 2)), layers, [0, -1], [0, -1]))
    summary = alignment_summary(summed([pair] * 20, maps))
    same_data, held_out = (
        statistic(summary, "best_layer", selection=selection, setting="awo", method="norm")
        for selection in ("same_data", "held_out")
    )
    assert same_data.value == pytest.approx(1 - 2 * 10 / (10 + 20))  # a wrong link is to </s>, that is none
    assert held_out.value > same_data.value + 0.02
    assert 0.4 < held_out.chosen < 0.9
    alone = alignment_summary(summed([pair], maps[:1]))
    assert np.isnan(statistic(alone, "best_layer", selection="held_out", setting="awo", method="norm").value)


def named_pair(source, target, links):
    return AlignedPair(tuple(source.split()), tuple(target.split()), frozenset(links), frozenset())


def test_pairs_to_be_shown_fit_and_cross():
    straight = named_pair("a b c d e f", "a b c d e f", [(0, 0), (1, 1)])
    crossed = named_pair("g b c d e f", "a b c d e f", [(0, 1), (1, 0)])
    short = named_pair("a b", "a b", [(0, 1), (1, 0)])
    letters = named_pair("Donaudampfschifffahrt b c d e f", "a b c d e f", [(0, 1), (1, 0)])
    assert example_pairs([short, straight, letters, crossed, crossed]) == [3, 1]
    assert example_pairs([short, crossed, letters]) == [1, 0]
    assert example_pairs([short]) == [0]


def test_examples_show_the_best_layer(corpus, counts):
    pairs, maps = corpus
    rates = alignment(counts)
    best = rates[(rates["method"] == "norm") & rates["head"].isna()].nsmallest(1, "aer").iloc[0]
    shown = alignment_examples(pairs[:2], iter(maps[:2]), rates)
    assert set(shown["layer"]) == {best["layer"]}
    assert set(shown["setting"]) == {best["setting"]}
    first = shown[shown["pair"] == 1]
    assert len(first) == len(pairs[0].target) * (len(pairs[0].source) + 1)
    assert first[first["target"] == 1]["source_word"].tolist() == [*pairs[0].source, "</s>"]
    expected = word_maps(maps[0])[SETTINGS.index(best["setting"]), :, best["layer"] - 1, 0]
    np.testing.assert_allclose(first["weight"], expected[0].ravel())
    np.testing.assert_allclose(first["norm"], expected[1].ravel())
    for row in shown.itertuples():
        pair, link = pairs[row.pair - 1], (row.source - 1, row.target - 1)
        assert row.gold == ("sure" if link in pair.sure else "possible" if link in pair.possible else "none")
        assert row.target_word == pair.target[row.target - 1]


def test_the_tables_of_a_model_take_two_passes_and_keep_no_maps(corpus, counts):
    pairs, maps = corpus
    asked = []

    def maps_of(some):
        asked.append(len(some))
        return iter([maps[pairs.index(pair)] for pair in some])

    tables = alignment_tables(pairs, maps_of)
    assert asked == [len(pairs), len(example_pairs(pairs))]
    expected = alignment(counts)
    pd.testing.assert_frame_equal(tables["kobayashi_alignment"].whole, expected)
    summary = tables["kobayashi_alignment_summary"]
    pd.testing.assert_frame_equal(summary.whole, alignment_summary(counts))
    pd.testing.assert_frame_equal(summary.left_out[2], alignment_summary(counts.without(2)))
    shown = example_pairs(pairs)
    examples = alignment_examples([pairs[place] for place in shown], [maps[place] for place in shown], expected)
    pd.testing.assert_frame_equal(tables["kobayashi_alignment_examples"].whole, examples)


def test_models_are_joined_and_seeds_averaged_in_the_summary(corpus):
    """Two seeds of one model (the second with fewer pairs, for other rates), and a model whose seed is not known."""
    pairs, maps = corpus
    by_seed = {
        key: {**tabulated(table, summed(pairs[:some], maps[:some])), "kobayashi_alignment_examples": Replicates(shown)}
        for key, some, shown in (
            (("a", 7), 30, pd.DataFrame({"pair": [1, 2]})),
            (("a", 9), 20, pd.DataFrame({"pair": [1, 2]})),
            (("downloaded", None), 30, pd.DataFrame({"pair": [1, 2]})),
        )
    }
    joined = tables_of_models(by_seed)
    rates, summary, examples = (joined[f"kobayashi_alignment{which}"] for which in ("", "_summary", "_examples"))
    assert examples.whole["model"].tolist() == ["a", "a", "a", "a", "downloaded", "downloaded"]
    assert examples.whole.to_csv(index=False).splitlines()[1::4] == ["1,a,7", "1,downloaded,"]
    for (model, seed), tables in by_seed.items():
        rows = rates.whole[(rates.whole["model"] == model) & (rates.whole["seed"].fillna(0) == (seed or 0))]
        assert rows["aer"].tolist() == tables["kobayashi_alignment"].whole["aer"].tolist()
    first, second, alone = (tables["kobayashi_alignment_summary"].whole for tables in by_seed.values())
    of_a, of_downloaded = (summary.whole[summary.whole["model"] == model] for model in ("a", "downloaded"))
    assert of_a["value"].tolist() == pytest.approx(((first["value"] + second["value"]) / 2).tolist(), nan_ok=True)
    assert (of_a["seeds"] == 2).all()
    assert of_a["head"].isna().all()
    assert (of_downloaded["seeds"] == 1).all()
    assert of_downloaded["head"].tolist() == alone["head"].tolist()
    found = interval(lambda rows: rows["value"].to_numpy(), summary)
    widths = (found.high - found.low)[: len(of_a)]
    means = ((first["value"] - second["value"]).abs() / 2).to_numpy()  # their standard error
    assert (widths > 2 * means).all()
