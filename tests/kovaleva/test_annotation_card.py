"""The card of the labeled maps agrees with its files."""

import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest
import yaml
from sklearn.metrics import cohen_kappa_score

from bert_attention.corpora.pattern_annotations import read_maps, read_passes
from bert_attention.corpora.types import PATTERNS
from bert_attention.kovaleva.pattern_labels import LabeledMaps, tables_of_labelings
from bert_attention.statistics.tables import with_intervals
from tests.conftest import ROOT

FOLDER = ROOT / "workflow" / "annotations" / "attention_patterns"
TEXT = (FOLDER / "README.md").read_text(encoding="utf-8")
SAID = " ".join(TEXT.split())
MAPS = read_maps(FOLDER / "maps.parquet")
FIRST, SECOND, THIRD = PASSES = ["first_pass", "second_pass", "third_pass"]
LABELS = read_passes([FOLDER / f"{name}.csv" for name in PASSES], MAPS)
DIFFERENT = {number for number in LABELS[FIRST] if LABELS[FIRST][number] != LABELS[SECOND][number]}
LABELED = LabeledMaps.of(MAPS, LABELS)
REFERENCE = {item.id: label for item, label in zip(LABELED.maps, LABELED.reference, strict=True)}


def test_the_passes_are_those_of_the_default_edition():
    given = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))["pattern_annotation"]["labels"]
    assert given == [str((FOLDER / f"{name}.csv").relative_to(ROOT)) for name in PASSES]
    files = {file.name for file in FOLDER.iterdir()}
    assert files == {"README.md", "maps.parquet", *(f"{name}.csv" for name in LABELS)}
    assert f"{len(MAPS)} maps, one per row" in SAID


def test_all_passes_label_all_maps_but_the_third_which_decides():
    assert all(len(LABELS[name]) == len(MAPS) for name in (FIRST, SECOND))
    assert LABELS[THIRD].keys() == DIFFERENT
    sides = [sum(LABELS[THIRD][number] == LABELS[name][number] for number in DIFFERENT) for name in (FIRST, SECOND)]
    assert f"The third annotator labeled only the {len(DIFFERENT)} maps on which the first two differ" in SAID
    assert (
        f"On the {len(DIFFERENT)} maps on which they differ, the third pass agrees with the first {sides[0]} times,"
        f" with the second {sides[1]} times, and with neither once."
    ) in SAID
    assert len(DIFFERENT) - sum(sides) == 1


def test_agreement_of_the_passes_is_as_stated():
    predictions = pd.DataFrame({"map": list(REFERENCE), "fold": 1, "reference": LABELED.reference})
    predictions = predictions.assign(classifier="vertical", rules="vertical")
    tables = tables_of_labelings(LABELED, predictions, [LABELED.reference])
    (row,) = with_intervals(tables["kovaleva_pattern_agreement"], "kovaleva_pattern_agreement").itertuples()
    assert (
        f"The first two passes agree on {100 * row.agreement:.1f}% of the maps: Cohen's kappa {row.kappa:.2f} (95% interval"
        f" over heads {row.low:.2f} to {row.high:.2f})"
    ) in SAID


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_are_counted_as_stated(pattern):
    counts = [Counter(labels.values())[pattern] for labels in (LABELS[FIRST], LABELS[SECOND], REFERENCE)]
    rows = [line for line in TEXT.splitlines() if line.startswith(f"| {pattern} |")][:1]
    assert rows == [f"| {pattern} | {' | '.join(map(str, counts))} |"]


def test_maps_that_satisfy_the_rule_for_vertical_are_counted_as_stated():
    """The rule with loops: most rows give more than half of their attention to [CLS] and [SEP]."""

    def satisfies(item):
        special = sorted({0, item.separator, len(item.attention) - 1})
        rows = [sum(float(row[place]) for place in special) > 0.5 for row in item.attention]
        return sum(rows) > len(rows) / 2

    of = {name: [m for m in MAPS if REFERENCE[m.id] == name] for name in ("heterogeneous", "vertical")}
    found = {name: sum(map(satisfies, maps)) for name, maps in of.items()}
    assert (
        f"Of the {len(of['heterogeneous'])} maps that most passes call heterogeneous, {found['heterogeneous']}"
        " satisfy the rule for `vertical`"
    ) in SAID
    assert f"Of the {len(of['vertical'])} vertical maps, {found['vertical']} satisfy it." in SAID


def test_patterns_that_the_macro_average_leaves_out_are_named():
    rare = [name for name in PATTERNS if Counter(REFERENCE.values())[name] < 0.02 * len(MAPS)]
    assert f"patterns that fewer than 2% of the maps have: here, {', '.join(f'`{name}`' for name in rare)}." in SAID


def test_agreement_is_as_stated_for_maps_drawn_at_random_and_for_others():
    def agreed(numbers):
        labels = [[LABELS[name][number] for number in numbers] for name in (FIRST, SECOND)]
        share = np.mean([one == other for one, other in zip(*labels, strict=True)])
        return f"on {100 * share:.1f}% (kappa {cohen_kappa_score(*labels):.2f})"

    at_random = [number for number in REFERENCE if number <= 720]
    chosen = [number for number in REFERENCE if number > 720]
    said = f"(up to number 720), the passes agree {agreed(at_random)}; on the {len(chosen)} others, {agreed(chosen)}"
    assert said in SAID
    differ = [{LABELS[FIRST][number], LABELS[SECOND][number]} for number in chosen if number in DIFFERENT]
    lines = [pair for pair in differ if "heterogeneous" in pair and pair & {"diagonal", "vertical_diagonal"}]
    assert f"Of these {len(differ)} differences, {len(lines)} are between `heterogeneous` and a diagonal line" in SAID


def test_parts_are_as_large_as_stated():
    parts = [sum(first <= number <= last for number in REFERENCE) for first, last in ((1, 432), (433, 720), (721, 920))]
    stated = re.findall(r"^\| \d+ to \d+ \| (\d+) \|", TEXT, flags=re.M)
    assert list(map(int, stated)) == parts
    assert sum(parts) == len(MAPS)


def test_all_maps_are_of_real_sentences():
    assert {item.task for item in MAPS} == {"sst2", "tweets", "nsp", "wikipedia"}


def test_heads_with_diagonals_are_counted_as_stated():
    heads = Counter((item.layer, item.head) for item in MAPS if REFERENCE[item.id] == "diagonal")
    of_two = sum(count for _, count in heads.most_common(2))
    assert (
        f"Only {len(heads)} heads have diagonals, and {of_two} of the {heads.total()} diagonal maps are of two heads"
    ) in SAID
