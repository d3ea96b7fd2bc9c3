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
    count_links,
    example_pairs,
    linked_words,
    tables_of_models,
    word_maps,
)
from bert_attention.statistics.old_held_out import second_half
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


@pytest.fixture(scope="module")
def counts(corpus):
    pairs, maps = corpus
    return count_links(pairs, iter(maps))


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
    table = alignment(count_links([pair], [maps]), seed=0).set_index(["setting", "method", "layer"])["aer"]
    assert (table["awo"] == 0).all()  # both links are right: 1 - (1 + 2) / (2 + 1)
    assert table["awi", "weight", 1].tolist() == [1, 1]  # one link, wrong
    assert table["awi", "norm", 1].tolist() == pytest.approx([2 / 3, 2 / 3])  # 1 - (0 + 1) / (2 + 1)


def test_all_rates_equal_the_released_procedure(corpus, counts):
    pairs, maps = corpus
    table = alignment(counts, seed=0)
    assert len(table) == 2 * 2 * LAYERS * (1 + HEADS)
    for row in table.itertuples():
        head = 0 if pd.isna(row.head) else row.head
        links = [released_links(matrix_of(m, row.method, row.layer - 1, head), m, row.setting) for m in maps]
        assert row.aer == pytest.approx(alignment_error_rate(links, pairs), abs=1e-12)
        assert row.low <= row.aer <= row.high
        assert row.n == len(pairs)
    assert table["aer"].nunique() > 20


def test_word_maps_equal_loops(corpus):
    for maps in corpus[1][:5]:
        found = word_maps(maps)
        for setting, method, layer, head in np.ndindex(found.shape[:4]):
            expected = plain_word_map(matrix_of(maps, METHODS[method], layer, head), maps, SETTINGS[setting])
            np.testing.assert_allclose(found[setting, method, layer, head], expected, atol=1e-5)


def test_mean_norms_are_over_all_cells_between_subwords(corpus, counts):
    table = alignment(counts, seed=0)
    of_heads = table[table["head"].notna()]
    for row in of_heads.itertuples():
        cells = [matrix_of(maps, "norm", row.layer - 1, row.head).ravel() for maps in corpus[1]]
        assert row.mean_norm == pytest.approx(np.concatenate(cells).mean(), abs=1e-6)
    layers = table[table["head"].isna()].set_index("layer")["mean_norm"]
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
        count_links([AlignedPair((*pairs[0].source, "x"), pairs[0].target, frozenset(), frozenset())], maps[:1])
    with pytest.raises(ValueError):
        count_links(pairs, maps[:-1])
    with pytest.raises(ValueError, match="no pairs"):
        count_links([], [])
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
    table, summary = alignment(counts, seed=5), alignment_summary(counts, seed=5)
    of_layers, of_heads = table[table["head"].isna()], table[table["head"].notna()]
    for setting in SETTINGS:
        for method in METHODS:
            which = {"setting": setting, "method": method}
            layers, heads = (t[(t["setting"] == setting) & (t["method"] == method)] for t in (of_layers, of_heads))
            assert statistic(summary, "layer_mean", **which).value == pytest.approx(layers["aer"].mean())
            best = statistic(summary, "best_layer", selection="same_data", **which)
            expected = layers.loc[layers["aer"].idxmin()]
            assert (best.value, best.low, best.high) == pytest.approx(tuple(expected[["aer", "low", "high"]]))
            assert best.layer == best.other_layer == expected["layer"]
            assert pd.isna(best.head)
            best = statistic(summary, "best_head", selection="same_data", **which)
            assert best.value == pytest.approx(heads["aer"].min())
        which = {"setting": setting, "method": "norm"}
        layers, heads = (t[(t["setting"] == setting) & (t["method"] == "norm")] for t in (of_layers, of_heads))
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
        values = [heads[column].to_numpy() for column in ("mean_norm", "aer")]
        assert statistic(summary, "pearson", **which).value == pytest.approx(np.corrcoef(values)[0, 1])
    assert not summary[summary["method"] == "weight"]["statistic"].str.contains("norm|spearman|pearson").any()
    expected = alignment_error_rate(map(diagonal_links, corpus[0]), corpus[0])
    diagonal = statistic(summary, "diagonal")
    assert diagonal.value == pytest.approx(expected)
    assert diagonal.low < diagonal.value < diagonal.high


def test_held_out_choices_do_not_see_what_they_are_scored_on():
    """Layer 1 is right in the half where it cannot be chosen for it: chosen on one half, each scores 1 on the other."""
    seed, n = 3, 10
    second = second_half(n, seed)
    right, wrong = [[0.9, 0.1], [0.1, 0.9]], [[0.1, 0.9], [0.9, 0.1]]
    pair = AlignedPair(("a",), ("b",), frozenset({(0, 0)}), frozenset())
    maps = []
    for in_second in second:
        layers = [wrong, right] if in_second else [right, wrong]
        layers = [[layer[0]] * 2 for layer in layers]  # both settings alike
        maps.append(make_maps([[layer] for layer in layers], np.ones((2, 1, 2)), layers, [0, -1], [0, -1]))
    summary = alignment_summary(count_links([pair] * n, maps), seed)
    held_out = statistic(summary, "best_layer", selection="held_out", setting="awo", method="norm")
    assert (held_out.value, held_out.layer, held_out.other_layer, held_out.n) == (1, 1, 2, n)
    same_data = statistic(summary, "best_layer", selection="same_data", setting="awo", method="norm")
    assert same_data.value == pytest.approx(1 - 2 * 5 / (5 + n))
    alone = alignment_summary(count_links([pair], maps[:1]), seed)
    assert "held_out" not in set(alone["selection"])


def test_intervals_are_those_of_the_corpus_rate(corpus, counts):
    """The released rate of resampled pairs, by hand."""
    pairs, maps = corpus
    links = [released_links(matrix_of(m, "norm", 0, 0), m, "awi") for m in maps]
    random = np.random.default_rng(1)
    rates = []
    for _ in range(600):
        drawn = random.integers(len(pairs), size=len(pairs))
        rates.append(alignment_error_rate([links[place] for place in drawn], [pairs[place] for place in drawn]))
    row = (
        alignment(counts, seed=0).query("setting == 'awi' and method == 'norm' and layer == 1 and head.isna()").iloc[0]
    )
    assert (row["low"], row["high"]) == pytest.approx(tuple(np.quantile(rates, [0.025, 0.975])), abs=0.02)


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
    table = alignment(counts, seed=0)
    best = table[(table["method"] == "norm") & table["head"].isna()].nsmallest(1, "aer").iloc[0]
    shown = alignment_examples(pairs[:2], iter(maps[:2]), table)
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

    tables = alignment_tables(pairs, maps_of, seed=0)
    assert asked == [len(pairs), len(example_pairs(pairs))]
    expected = alignment(counts, seed=0)
    pd.testing.assert_frame_equal(tables["kobayashi_alignment"], expected)
    pd.testing.assert_frame_equal(tables["kobayashi_alignment_summary"], alignment_summary(counts, seed=0))
    shown = example_pairs(pairs)
    examples = alignment_examples([pairs[place] for place in shown], [maps[place] for place in shown], expected)
    pd.testing.assert_frame_equal(tables["kobayashi_alignment_examples"], examples)


def test_tables_of_several_models_tell_model_and_seed():
    tables = {"kobayashi_alignment": pd.DataFrame({"aer": [0.5, 0.25]})}
    joined = tables_of_models({("a", 7): tables, ("a", 9): tables, ("downloaded", None): tables})["kobayashi_alignment"]
    assert joined["model"].tolist() == ["a", "a", "a", "a", "downloaded", "downloaded"]
    assert joined["seed"].dropna().tolist() == [7, 7, 9, 9]
    assert joined["seed"].isna().tolist() == [False] * 4 + [True] * 2
    assert joined["aer"].tolist() == [0.5, 0.25] * 3
    assert joined.to_csv(index=False).splitlines()[1] == "0.5,a,7"
    downloaded = tables_of_models({("downloaded", None): tables})["kobayashi_alignment"]
    assert downloaded.to_csv(index=False).splitlines()[1] == "0.5,downloaded,"
