"""The claims of Vig 2018 and 2019: all there, each answered by our tables, and judged as they say."""

import re

import pytest

from bert_attention.claims.publications import read_publication
from bert_attention.vig.column_values import FURTHER_PATTERNS, PATTERN_LABELS
from tests.claims import claim_tables
from tests.claims.claim_tables import board, claims_of, rows
from tests.conftest import ROOT

OTHER = {"name": "other", "source": "path:other"}


def tables():
    """Twelve layers of twelve heads: 3-1 attends to the next word, 8-4 to delimiters, 1-1 to its own sentence."""
    heads = {"layer": range(1, 13), "head": range(1, 13)}
    patterns = rows(
        heads | {"pattern": [*PATTERN_LABELS, *FURTHER_PATTERNS]}, attention=0.2, baseline=0.05, low=0.18, high=0.22
    )
    set_cell(patterns, 0.6, "attention", layer=3, head=1, pattern="next")
    set_cell(patterns, 0.7, "attention", layer=3, head=1, pattern="cls_from_sep")
    set_cell(patterns, 0.55, "attention", layer=4, head=5, pattern="previous")
    neurons = rows(
        heads, neuron_concentration=0.3, neuron_overlap=0.3, overlap_chance=0.1, delimiter=0.2, next_token=0.1
    )
    neurons = neurons.assign(
        same_segment=0.6, same_segment_ablated=0.6, same_segment_chance=0.6, next_token_ablated=0.1
    )
    of_heads = {
        (3, 1): {"next_token": 0.6, "next_token_ablated": 0.01, "neuron_concentration": 0.5, "neuron_overlap": 0.15},
        (8, 4): {"delimiter": 0.9, "neuron_concentration": 0.1, "neuron_overlap": 0.7},
        (1, 1): {"same_segment": 0.9, "same_segment_ablated": 0.62, "neuron_concentration": 0.05},
    }
    for (layer, head), values in of_heads.items():
        for column, value in values.items():
            set_cell(neurons, value, column, layer=layer, head=head)
    entropy = rows(heads | {"source": ["all", "cls"]}, entropy=2.0)
    set_cell(entropy, 3.6, "entropy", layer=1, head=1, source="all")
    return {"vig_patterns": patterns, "vig_neurons": neurons, "clark_entropy": entropy}


def set_cell(table, value, column, **where):
    chosen = (table[list(where)] == list(where.values())).all(axis=1)
    table.loc[chosen, column] = value


def test_of_heads_as_vig_describes_them_all_statements_on_neurons_hold():
    found = board("vig", tables())
    assert "not measured" not in set(found["verdict"])
    part_2 = found.loc["V07-delimiters":]
    assert set(part_2["verdict"]) == {"reproduced", ""}
    assert set(part_2["condition"]) == {"met", ""}
    assert found.loc["V08-neurons", "published_high"] == 4 / 64


@pytest.mark.parametrize(("attention", "condition"), [(0.6, "met"), (0.4, "not met")])
def test_most_of_its_attention_is_more_than_half(attention, condition):
    changed = tables()
    set_cell(changed["vig_patterns"], attention, "attention", layer=3, head=1, pattern="next")
    found = board("vig", changed)
    assert found.loc["V01", "condition"] == found.loc["V01-head", "condition"] == condition


def test_words_are_attended_to_if_they_get_more_than_chance():
    assert board("vig", tables()).loc["V03", "condition"] == "met"
    changed = tables()
    changed["vig_patterns"]["baseline"] = 0.15
    assert board("vig", changed).loc["V03", "condition"] == "not met"


@pytest.mark.parametrize(
    ("column", "value", "claims"),
    [
        ("same_segment_ablated", 0.9, {"V09", "V09-kind"}),
        ("next_token_ablated", 0.6, {"V11", "V11-kind"}),
        ("neuron_overlap", 0.3, {"V07-same", "V07-kind_same", "V10-change", "V10-kind_change"}),
    ],
)
def test_a_head_of_another_kind_fails_its_statements(column, value, claims):
    changed = tables()
    changed["vig_neurons"][column] = value
    found = board("vig", changed)
    assert set(found.index[found["condition"] == "not met"]) >= claims


def test_named_heads_are_those_of_bert_alone():
    found = board("vig", tables(), OTHER)
    named = [claim["id"] for claim in claims_of("vig").claims if claim.get("heads_of_model")]
    assert len(named) == 14
    assert set(found.loc[named, "verdict"]) == {"not measured"}
    kinds = [name for name in found.index if "-kind" in name]
    assert set(found.loc[kinds, "condition"]) == {"met"}


def test_the_claim_that_the_docs_add_is_judged(tmp_path, monkeypatch):
    written = re.search(r"```yaml\n(.*?)```", (ROOT / "docs" / "claims.md").read_text(encoding="utf-8"), re.S)[1]
    own = tmp_path / "vig.yaml"
    own.write_text((ROOT / "workflow" / "claims" / "vig.yaml").read_text(encoding="utf-8") + written, encoding="utf-8")
    monkeypatch.setattr(claim_tables, "claims_of", lambda paper: read_publication(own))
    found = board("vig", tables(), entries=("V90",)).loc["V90"]
    assert (found["condition"], found["replicated"]) == ("not met", 0.2)
