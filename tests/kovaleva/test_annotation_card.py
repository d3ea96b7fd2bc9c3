"""The numbers in the card of the labeled maps are those of its files."""

import pandas as pd
import yaml

from bert_attention.corpora.pattern_annotations import read_maps, read_passes
from bert_attention.papers.kovaleva.pattern_labels import LabeledMaps, tables_of_labelings
from bert_attention.statistics.tables import with_intervals
from tests.conftest import ROOT

FOLDER = ROOT / "workflow" / "annotations" / "attention_patterns"
CARD = " ".join((FOLDER / "README.md").read_text(encoding="utf-8").split())
MAPS = read_maps(FOLDER / "maps.parquet")
PASSES = ["first_pass", "second_pass", "third_pass"]
FIRST, SECOND, THIRD = LABELS = list(read_passes([FOLDER / f"{name}.csv" for name in PASSES], MAPS).values())
LABELED = LabeledMaps.of(MAPS, dict(zip(PASSES, LABELS, strict=True)))
DIFFERENT = [number for number in FIRST if FIRST[number] != SECOND[number]]


def test_the_default_edition_uses_all_passes_and_the_third_decides_between_the_others():
    paths = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))["pattern_annotation"]["labels"]
    assert paths == [str((FOLDER / f"{name}.csv").relative_to(ROOT)) for name in PASSES]
    assert len(FIRST) == len(SECOND) == len(MAPS)
    assert list(THIRD) == DIFFERENT
    assert f"The third annotator labeled only the {len(DIFFERENT)} maps on which the first two differ" in CARD


def test_the_agreement_equals_the_stated_agreement():
    predictions = pd.DataFrame({"fold": 1, "reference": LABELED.reference, "classifier": "vertical", "rules": "block"})
    tables = tables_of_labelings(LABELED, predictions, [LABELED.reference])
    (row,) = with_intervals(tables["kovaleva_pattern_agreement"], "kovaleva_pattern_agreement").itertuples()
    assert (
        f"The first two passes agree on {100 * row.agreement:.1f}% of the maps: Cohen's kappa {row.kappa:.2f}"
        f" (95% interval over heads {row.low:.2f} to {row.high:.2f})"
    ) in CARD
