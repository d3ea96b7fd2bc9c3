"""Printed tables of Kobayashi et al. 2020 and 2021: each number in its cell, beside the published number."""

import itertools

import pandas as pd

from bert_attention.papers.kobayashi.columns import MIXING_LABELS, TEXTS, TOKENS
from bert_attention.papers.kobayashi.printed import table_alignment as kobayashi_table_alignment
from bert_attention.papers.kobayashi.printed import table_correlation as kobayashi_table_correlation
from bert_attention.papers.kobayashi.printed import table_dispersion as kobayashi_table_dispersion
from bert_attention.papers.kobayashi.printed import table_expansion as kobayashi_table_expansion
from bert_attention.papers.kobayashi.printed import table_mixing as kobayashi_table_mixing
from bert_attention.papers.kobayashi.printed import table_mixing_frequency as kobayashi_table_mixing_frequency
from tests.paper.printed import published_rows, published_values, rows

NAN = float("nan")


def combined(**columns):
    """A row for every combination of the columns' values."""
    return pd.DataFrame(itertools.product(*columns.values()), columns=list(columns))


def test_correlations_of_weight_and_length():
    columns = ["category", "spearman", "low", "high", "n"]
    found = [("other", 0.031, 0.024, 0.038, 4000), ("punctuation", NAN, NAN, NAN, 0)]
    found += [("sep", -0.5, -0.625, -0.375, 20), ("cls", -0.25, -0.5, 0, 10)]
    table = pd.DataFrame(found, columns=columns)
    assert rows(kobayashi_table_correlation.format_table(table, published_values("kobayashi_correlation"))) == {
        "[CLS]": ["−0.25 (−0.50 to 0.00)", "10", "−0.34†"],
        "[SEP]": ["−0.50 (−0.62 to −0.38)", "20", "−0.69†"],
        ". and ,": ["—", "0", "−0.25†"],
        "other tokens": ["0.03 (0.02–0.04)", "4,000", "−0.06†"],
    }


def test_dispersion_of_lengths():
    table = combined(vector=("input", "transformed", "weight", "weighted"), layer=(0, 1))
    table = table.assign(cv=0.3 - table["layer"], cv_low=0.2, cv_high=0.4, mean=4.125, low=4, high=4.25)
    table = table.assign(sd=1, sd_low=0.9, sd_high=1.1, max=8, min=0.0004)
    printed = kobayashi_table_dispersion.format_table(table, published_values("kobayashi_dispersion"))
    found = rows(printed)
    ours = ["0.30 (0.20–0.40)", "4.12 (4.00–4.25)", "1.00 (0.90–1.10)", "8.00", "0.00"]
    assert found["transformed vector f(x)"] == [*ours, "0.22†", "5.15†", "1.17†", "12.66†", "0.96†"]
    assert found["input vector x"][5:] == ["0.12†", *"————"]
    ours = ["0.300 (0.200–0.400)", "4.125 (4.000–4.250)", "1.000 (0.900–1.100)", "8.000", "0.000"]
    assert found["attention weight"] == [*ours, *"—————"]
    assert printed.notes[-1] == "†: cited from memory, not checked in the paper."
    assert printed.titles[1:6] == ["cv", "mean", "sd", "max", "min"]


def test_expansion_of_lengths():
    table = combined(variant=("released", "described"), layer=(0, 1, 2))
    table["expansion_rate"] = 1 + table["layer"] / 4 - (table["variant"] == "described") / 8
    printed = kobayashi_table_expansion.format_table(table, published_values("kobayashi_expansion"))
    assert rows(printed) == {
        "mean of the layers": ["1.000", "0.875", "0.877", "0.798", "1.238", "1.858"],
        "layer 1": ["1.250", "1.125", *"————"],
        "layer 2": ["1.500", "1.375", *"————"],
    }
    assert printed.titles[3:] == ["bert-base-uncased", "bert-large-uncased", "bert-mini", "bert-tiny"]


def test_mixing_of_both_texts():
    table = combined(text=TEXTS, layer=(0, 1), method=MIXING_LABELS)
    ratio = table["text"].map({"whole": 0.5, "masked": 0.25}) + table["layer"]
    table = table.assign(mixing_ratio=ratio, low=ratio - 0.05, high=ratio + 0.05, max=ratio + 0.1, min=ratio - 0.1)
    printed = kobayashi_table_mixing.format_table(table, published_values("kobayashi_mixing"))
    found = rows(printed)
    assert list(found) == list(MIXING_LABELS.values())
    masked, whole = ["25.00 (20.00–30.00)", "35.00", "15.00"], ["50.00 (45.00–55.00)", "60.00", "40.00"]
    assert found["norms, residual"] == [*masked, *whole, "22.25", "65.70", "2.04", "19.55"]
    assert found["weights"][6:] == ["96.41", "99.99", "45.04", "95.81"]
    shared = ["replicated, masked", "replicated, whole text", "published, bert-base-uncased", "published, roberta-base"]
    assert [title for title, _ in printed.header] == ["", *shared]


def test_mixing_by_frequency():
    table = combined(text=TEXTS, layer=(0, 1), method=MIXING_LABELS, tokens=TOKENS)
    values = table["text"].map({"whole": -0.5, "masked": -0.25}) + table["tokens"].map({"all": 0.0, TOKENS[0]: 0.125})
    values += table["layer"]
    table = table.assign(spearman=values, low=values - 0.25, high=values + 0.125)
    found = rows(kobayashi_table_mixing_frequency.format_table(table, published_values("kobayashi_mixing_frequency")))
    assert list(found) == list(MIXING_LABELS.values())
    of_all = ["−0.500 (−0.750 to −0.375)", "−0.250 (−0.500 to −0.125)", "−0.387"]
    without_specials = ["−0.375 (−0.625 to −0.250)", "−0.125 (−0.375 to 0.000)", "−0.413"]
    assert found["norms"] == [*of_all, *without_specials]


def alignment_summary(model="m", seeds=1):
    """A summary of one model, in which best layers and heads are layer 2 and head 3."""
    settings = combined(setting=("awi", "awo"), method=("weight", "norm"))
    chosen = combined(statistic=("best_layer", "best_head"), selection=("same_data", "held_out"))
    others = ("highest_norm_layer", "highest_norm_head", "spearman", "pearson")
    others += ("layer_mean_minus_weight", "best_layer_minus_weight")
    both = pd.concat([chosen, pd.DataFrame({"statistic": ["layer_mean"]})])
    table = pd.concat(
        [
            settings.merge(both, how="cross"),
            settings.query("method == 'norm'").merge(pd.DataFrame({"statistic": others}), how="cross"),
            pd.DataFrame({"statistic": ["diagonal"]}),
        ]
    )
    statistic = table["statistic"]
    value = 0.5 + (table["selection"] == "held_out") / 4
    value = value.mask(statistic.str.contains("minus|spearman|pearson"), -0.25)
    layer = pd.Series(2.0, table.index).where(statistic.str.contains("best_layer$|best_head|highest"))
    table = table.assign(value=value, low=value - 0.1, high=value + 0.1, layer=layer)
    return table.assign(head=layer.where(statistic.str.contains("head")) + 1, model=model, seeds=seeds)


def alignment(*summaries):
    columns = ["aligner", "direction", "aer", "low", "high"]
    rates = {"source_to_target": (0.1, 0.05, 0.15), "target_to_source": (0.2, 0.15, 0.25), "symmetrized": (NAN,) * 3}
    aligners = pd.DataFrame([("fast_align", direction, *rate) for direction, rate in rates.items()], columns=columns)
    published = published_values("kobayashi_alignment_summary"), published_rows("kobayashi", "alignment_baselines")
    summary = pd.concat(summaries, ignore_index=True)
    return kobayashi_table_alignment.format_table(summary, aligners.assign(n_train=2500, n=500), *published)


def test_alignment_error_rates_and_aligners():
    printed = alignment(alignment_summary())
    found = rows(printed)
    rate = "50.0 (40.0–60.0)"
    assert found["input word, norm: best layer"] == [rate, "75.0", "2", "25.0"]
    assert found["input word, norm: head of the highest norm"] == [rate, "—", "2-3", "35.5"]
    assert found["output word, weight: mean of the layers"] == [rate, "—", "—", "68.4"]
    assert found["output word, weight: best head"] == [rate, "75.0", "2-3", "—"]
    assert found["input word, norm: Spearman, norm and rate of heads"] == ["−0.25 (−0.35 to −0.15)", "—", "—", "−0.44"]
    assert found["input word, norm: best layer, minus that by weight"] == ["−25.0 (−35.0 to −15.0)", "—", "—", "—"]
    assert found["diagonal"] == [rate, "—", "—", "—"]
    assert found["fast_align"] == ["10.0 (5.0–15.0)", "—", "—", "28.4"]
    assert found["fast_align, target to source"] == ["20.0 (15.0–25.0)", "—", "—", "—"]
    assert found["fast_align, symmetrized"] == ["—", "—", "—", "—"]
    assert found["GIZA++"] == ["—", "—", "—", "21.0"]
    assert len(found) == 2 * (3 + 9) + 5
    assert "fast_align: README of lilt/alignment-scripts; that the paper prints it is recalled." in printed.notes
    for part in ("trained on 2,500 pairs of sentences, the 500 aligned ones included", "one seed of five has 0.775"):
        assert any(part in note for note in printed.notes)


def test_several_seeds_have_a_mean_layer():
    several = alignment_summary(seeds=2).assign(head=NAN).replace({"layer": {2: 1.5}})
    table = alignment(several, alignment_summary("o"))
    found = rows(table)
    cells = ["50.0 (40.0–60.0)", "75.0"]
    assert found["input word, norm: best layer"] == [*cells, "1.5", *cells, "2", "25.0"]
    assert found["input word, norm: best head"] == [*cells, "1.5", *cells, "2-3", "—"]
    assert found["fast_align"] == [*["10.0 (5.0–15.0)", "—", "—"] * 2, "28.4"]
    (note,) = (note for note in table.notes if "means of" in note)
    assert note.startswith("m: means of 2 seeds, each with its own choice")
