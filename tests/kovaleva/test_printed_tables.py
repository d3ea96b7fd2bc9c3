"""Printed tables of Kovaleva et al. 2019."""

import itertools

import pandas as pd
import pytest

from bert_attention.corpora.types import PATTERNS
from bert_attention.papers.kovaleva.columns import FRAME_LINKS, PATTERN_AVERAGES, VARIANTS
from bert_attention.papers.kovaleva.printed import table_1_finetuning as kovaleva_table_1_finetuning
from bert_attention.papers.kovaleva.printed import table_frames as kovaleva_table_frames
from bert_attention.papers.kovaleva.printed import table_pattern_shares as kovaleva_table_pattern_shares
from bert_attention.papers.kovaleva.printed import table_patterns as kovaleva_table_patterns
from tests.kovaleva.figures.scores import learned
from tests.paper.printed import published_rows, published_values, rows, width

NAN = float("nan")


def test_scores_and_baselines_beside_published_scores():
    columns = ["task", "metric", "initialisation", "seeds", "value", "low", "high", "learned"]
    found = [
        ("sst2", "accuracy", "pretrained_untrained_head", 2, 0.5, 0.4, 0.6, False),
        ("sst2", "accuracy", "pretrained_frozen", 0, 0.7, 0.6, 0.8, True),
        ("sst2", "accuracy", "random", 1, 0.6, 0.55, 0.65, False),
        ("sst2", "accuracy", "pretrained", 2, 0.82, 0.8, 0.84, True),
        ("stsb", "pearson", "pretrained_untrained_head", 2, 0.1, -0.02, 0.22, False),
        ("stsb", "pearson", "pretrained", 2, 0.7, 0.65, 0.75, True),
        ("rte", "f1", "pretrained", 2, 0.6, 0.5, 0.7, True),
    ]
    table = pd.DataFrame(found, columns=columns).assign(constant=0.58, bag_of_words=0.61, n=50)
    table["overlap"] = table["task"].map({"stsb": 0.45})
    printed = kovaleva_table_1_finetuning.format_table(table, published_rows("kovaleva", "table_1"))
    (cells,) = printed.groups
    ours = ["50.0 (40.0–60.0)°", "70.0 (60.0–80.0)", "60.0 (55.0–65.0)°", "82.0 (80.0–84.0)"]
    assert cells[0] == ["SST-2, accuracy", "58.0", "61.0", "—", *ours]
    assert cells[1] == ["published", "—", "—", "—", "49.1", "49.1", "80.5", "92.0"]  # two readings of pre-trained
    ours = ["10.0 (−2.0 to 22.0)°", "—", "—", "70.0 (65.0–75.0)"]
    assert cells[2] == ["STS-B, Pearson", "58.0", "61.0", "45.0", *ours]
    assert cells[3] == ["published", "—", "—", "—", "33.1", "33.1", "2.9", "82.7"]
    assert [row[0] for row in cells[4:]] == ["RTE, F1"]  # nothing is published
    assert width(printed, 7) < 6.85
    assert "Examples: SST-2 50, STS-B 50, RTE 50." in printed.notes
    seeds = (
        "Seeds: untrained head 2, from random 1, fine-tuned 2; with a single seed, the interval is over examples alone."
    )
    assert seeds in printed.notes
    # (82 - 50 + 70 - 10) / 2; the paper says 35.9 of its seven tasks
    assert printed.notes[-1] == "Mean gain of fine-tuning over the untrained head: 46.0 points; published: 35.9."


def frames(layers, heads):
    """Print a table in which attention grows with layer and head if described, and falls if released."""
    index = itertools.product(VARIANTS, FRAME_LINKS, range(1, layers + 1), range(1, heads + 1))
    table = pd.DataFrame(index, columns=["variant", "link", "layer", "head"])
    value = (10 * table["layer"] + table["head"]) / 1000
    value = value.where(table["variant"] == "described", 0.5 - value)
    value += table["link"].map({"annotated": 0.1, "reversed": 0.2, "random_pair": 0.3})
    table = table.assign(attention=value, low=value - 0.01, high=value + 0.01, n=1234)
    table = table.assign(gain=-value, gain_low=-value - 0.02, gain_high=-value + 0.02)
    offsets = pd.DataFrame(itertools.product(VARIANTS, (-2, 4)), columns=["variant", "offset"])
    offsets["share"] = [0.1, 0.4, 0.3, 0.2]
    selection = pd.DataFrame({"outcome": ["chosen", "sentences that sing"], "sentences": [1234, 4321]})
    return kovaleva_table_frames.format_table(table, offsets, selection, published_values("kovaleva_frames"))


def test_the_best_heads_for_frames_come_first_then_the_papers():
    table = frames(8, 6)
    described, released, named = ([row[0] for row in group] for group in table.groups)
    assert described == [f"8-{head}, as described" for head in (6, 5, 4, 3, 2)]
    assert released == [f"1-{head}, as released" for head in (1, 2, 3, 4, 5)]
    assert named == ["1-2, as released", "7-6, as released"]
    best = table.groups[0][0][1:]
    assert best == ["0.186 (0.176–0.196)", "0.286", "0.386", "−0.186 (−0.206 to −0.166)", "—"]
    assert [group[-1] for group in table.groups[2]] == ["0.201", "0.209"]
    assert table.groups[2][1][1] == "0.524 (0.514–0.534)"
    assert frames(6, 12).groups[2][1] == ["7-6, as released", *"————", "0.209"]  # there is no layer 7


def test_notes_on_frames_have_reference_values():
    notes = frames(1, 3).notes
    chosen = "Of 5,555 sentences, 1,234 pass the filters of section 4.2 (left out: 4,321 sentences that sing)."
    assert notes[1] == chosen
    assert notes[2].startswith("As described: 1,234 sentences. 99th percentile of all heads, to predicate: 0.113.")
    assert notes[2].endswith("offset +4 alone would have 0.400.")
    assert notes[3].endswith("offset −2 alone would have 0.300.")


def test_shares_of_patterns_beside_published_shares():
    figure_2 = published_rows("kovaleva", "figure_2")
    assert sorted(figure_2["task"]) == ["mnli", "mrpc", "qnli", "qqp", "rte", "sst2", "stsb"]
    assert figure_2[list(PATTERNS)].sum(axis=1).tolist() == pytest.approx([1] * 7, abs=0.002)
    columns = {
        "task": ("qqp", "mrpc"),
        "model": ("pretrained", "finetuned"),
        "method": ("classifier", "rules", "corrected"),
        "pattern": (*PATTERNS, "block_or_heterogeneous"),
    }
    table = pd.DataFrame(itertools.product(*columns.values()), columns=list(columns))
    share = (table.index % len(columns["pattern"]) + 1) / 20
    table = table.assign(share=share, low=share - 0.05, high=share + 0.05)
    table = table.query("method != 'corrected' or pattern not in ('block', 'heterogeneous')")
    mrpc, qqp = kovaleva_table_pattern_shares.format_table(table, learned("mrpc"), figure_2).groups
    cells = itertools.product(("fine-tuned", "pre-trained"), ("classifier", "corrected", "rules"))
    assert [row[0] for row in mrpc] == [*(f"MRPC, {weights}, {method}" for weights, method in cells), "MRPC, published"]
    assert mrpc[0][1:3] == ["5.0 (0.0–10.0)", "10.0 (5.0–15.0)"]
    assert mrpc[1][3:] == ["15.0 (10.0–20.0)", "—", "—", "30.0 (25.0–35.0)"]
    assert [row[0] for row in qqp[2:4]] == ["QQP, fine-tuned°, rules", "QQP, pre-trained, classifier"]
    assert qqp[-1] == ["QQP, published", "24.5", "8.3", "6.6", "2.9", "57.7", "60.6"]


@pytest.mark.parametrize("passes", [1, 2])
def test_f1_of_the_classification_of_patterns(passes):
    methods = ["classifier", "one_network", "rules", "second_pass"][: 2 + passes]
    index = itertools.product((0, 1), methods, (*PATTERNS, *PATTERN_AVERAGES))
    table = pd.DataFrame(index, columns=["fold", "method", "pattern"])
    number = table.groupby(["fold", "method"]).cumcount()
    table = table.assign(f1=0.3 + number / 10 - table["fold"] / 20, f1_sd=number / 100, low=0.2, high=0.95)
    agreement = pd.DataFrame([{"first": "first_pass", "second": NAN, "kappa": NAN, "low": NAN, "high": NAN, "n": 432}])
    if passes > 1:
        agreement = agreement.assign(second="second_pass", kappa=0.8, low=0.75, high=0.85)
    published = published_values("kovaleva_pattern_classifier")
    printed = kovaleva_table_patterns.format_table(table.assign(n=10 * number + 10), agreement, published)
    shown = ["classifier, held out", "one network", "rules", "second pass"][: 2 + passes]
    assert printed.titles == ["pattern", "maps", *shown, "F1"]
    cells = rows(printed)
    assert cells["macro average"] == ["80", *["1.00 (0.20–0.95)"] * len(shown), "0.86"]
    assert cells["vertical + diagonal"] == ["30", *["0.50 (0.20–0.95)"] * len(shown), "—"]
    assert list(cells)[-3:] == ["accuracy", "weighted average", "macro average"]
    assert any("is 0.07 (macro average) and 0.05 (accuracy)" in note for note in printed.notes)
    kappa = "Cohen's kappa of first pass and second pass: 0.80 (0.75–0.85), on 432 maps."
    assert [note for note in printed.notes if "kappa" in note] == [kappa] * (passes - 1)
