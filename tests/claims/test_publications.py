"""The papers' published numbers are read as they stand in the claims, and mistakes are named."""

import re
from collections import Counter
from pathlib import Path

import pytest
import yaml

from bert_attention.claims.publications import (
    check_references,
    published_curves,
    published_numbers,
    published_rows,
    published_values,
    read_publication,
)
from bert_attention.claims.verdicts import differences
from bert_attention.errors import InputError
from bert_attention.results import results
from tests.claims.claim_tables import asked_columns, ids_of
from tests.conftest import ROOT

# The entries of each paper's list.
IDS = {
    "clark": [
        *(("C", range(1, 13)), ("D", range(20)), ("E", range(1, 7))),
        *(("F", range(1, 7)), ("G", range(1, 3)), ("H", range(1, 2))),
    ],
    "kovaleva": [("K", range(1, 41))],
    "kobayashi": [("N", range(1, 30)), ("M", range(1, 5))],
    "coenen": [("P", range(1, 3))],
    "vig": [("V", range(1, 12))],
}
# Columns that claims ask for beyond a table's contract.
FURTHER_COLUMNS = {
    "clark_coreference": {"gain"},
    "kovaleva_frames": {"above_99th_percentile"},
}
FILES = sorted((ROOT / "workflow" / "claims").glob("*.yaml"))
CLAIM = {
    "id": "C01",
    "label": "a head",
    "place": "section 3",
    "statement": "A head attends.",
    "provenance": "transcribed",
    "value": 0.5,
    "margin": "points",
    "measured": {"table": "clark_positions", "where": {"target": "sep", "layer": 1, "head": 1}, "column": "attention"},
}
# A claim for each row of table_1, of CONTENT below.
GROUP = {
    "table": "table_1",
    "keys": ["a"],
    "rows": [{"a": 1, "id": "C01"}],
    **{key: value for key, value in CLAIM.items() if key not in ("id", "value", "label")},
    "claims": [{"id": "$id", "label": "head $a-$b", "value": "$b"}],
}
CONTENT = {
    "model": "google-bert/bert-base-uncased",
    "depth": 12,
    "weights": {"google-bert/bert-base-uncased": ["a" * 64]},
    "margins": {"points": {"margin": 0.1, "reason": "ten points"}},
    "curves": {"f": {"provenance": "recalled", "series": {"a": [1, 0.5]}}},
    "tables": {"table_1": {"provenance": "transcribed", "rows": [{"a": 1, "b": 2}, {"a": 3}]}},
    "claims": [CLAIM],
}


@pytest.fixture
def written(tmp_path):
    """Write claims with some changes; their path."""

    def write(**changes):
        path = tmp_path / "clark.yaml"
        path.write_text(yaml.safe_dump(CONTENT | changes))
        return path

    return write


def with_claim(**changes):
    return [{key: value for key, value in (CLAIM | changes).items() if value is not None}]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_labels_of_a_paper_differ(path):
    """Figure and paper print the label alone, so that two claims with the same one could not be told apart."""
    labels = [claim["label"] for claim in read_publication(path).claims]
    assert [label for label in labels if labels.count(label) > 1] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_claims_of_every_paper_are_readable(path):
    publication = read_publication(path)
    for claim in publication.claims:
        published_numbers(claim, publication)
        query = claim.get("measured", {})
        for name in filter(None, (query.get("table"), query.get("minus", {}).get("table"))):
            assert name in results().tables, (claim["id"], name)


@pytest.mark.parametrize("paper", IDS)
def test_every_entry_of_a_papers_list_has_a_claim_in_its_order(paper):
    assert ids_of(paper) == [f"{letter}{number:02}" for letter, numbers in IDS[paper] for number in numbers]


@pytest.mark.parametrize("paper", IDS)
def test_queries_name_columns_of_the_tables(paper):
    for table, columns in asked_columns(paper).items():
        assert columns <= {*results().tables[table].columns, *FURTHER_COLUMNS.get(table, ())}, table


def test_an_id_names_one_claim_of_all_papers():
    ids = [claim["id"] for path in FILES for claim in read_publication(path).claims]
    assert [name for name, times in Counter(ids).items() if times > 1] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_model_that_a_claim_needs_can_be_named(path):
    """A user adds its digest to the file's weights, where there is none."""
    publication = read_publication(path)
    needs = [claim.get("needs", {}) for claim in publication.claims]
    wanted = {name for need in needs for key, name in need.items() if key in ("model", "translation_model") and name}
    assert wanted | {publication.model} <= publication.weights.keys()


@pytest.mark.parametrize(("paper", "numbers"), [("clark", 27), ("kobayashi", 38)])
def test_the_open_edition_can_compare_published_numbers_on_a_laptop_too(paper, numbers):
    """Claims on running text alone: neither the Penn Treebank nor CoNLL-2012 is open."""
    opened, laptop = (yaml.safe_load((ROOT / "editions" / f"{name}.yaml").read_text()) for name in ("open", "laptop"))
    edition = opened | {name: laptop[name] for name in ("models", "papers_corpora") if name in laptop}
    publication = read_publication(ROOT / "workflow" / "claims" / f"{paper}.yaml")
    measured = [
        claim for claim in publication.claims if {"value", "values", "range"} & claim.keys() and "measured" in claim
    ]
    (model,) = edition["models"]
    assert sum(not differences(claim, publication, model, edition["papers_corpora"]) for claim in measured) == numbers


def test_curves_of_a_figure_are_a_row_per_point(written):
    curves = published_curves(written(), "f")
    assert curves.to_dict("records") == [
        {"series": "a", "layer": 1, "value": 1.0},
        {"series": "a", "layer": 2, "value": 0.5},
    ]
    assert published_curves(written(), "another").empty


def test_rows_of_a_table_come_as_they_stand(written):
    rows = published_rows(written(), "table_1")
    assert rows["a"].tolist() == [1, 3]
    assert rows["b"].isna().tolist() == [False, True]
    with pytest.raises(InputError, match=r"has no table table_2\n.*table_1"):
        published_rows(written(), "table_2")


def test_values_of_a_table_come_with_the_row_that_answers_them(written):
    other = with_claim(id="C02", needs={"model": "another"})
    values = published_values(written(claims=[CLAIM, *other]), "clark_positions").set_index("id")
    assert values.loc["C01", ["target", "layer", "column", "value"]].tolist() == ["sep", 1, "attention", 0.5]
    assert values["model"].tolist() == [CONTENT["model"], "another"]
    assert published_values(written(), "clark_entropy").empty


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"claims": []}, r"clark.yaml, claims: "),
        ({"figures": []}, r"the whole: .*figures"),
        ({"curves": {"f": {"provenance": "recalled", "series": {"a": ["x"]}}}}, "curves: f: series: a: 0: is 'x'"),
        ({"tables": {"table_1": {"rows": []}}}, "table_1"),
        ({"claims": with_claim(id="first")}, "claim first: id: is 'first'"),
        ({"claims": with_claim(margin=None)}, "claim C01: 'margin' is a dependency"),
        ({"claims": with_claim(margin="point")}, "claim C01: there is no margin point\n.*points"),
        ({"weights": {"bert": ["abc"]}}, "weights: bert: 0"),
        ({"claims": with_claim(measured=None)}, "claim C01: has to have either measured or absent"),
        ({"claims": with_claim(holds={"more": 1})}, "claim C01: holds"),
        ({"claims": with_claim(measured={"table": "clark_positions"})}, "claim C01: measured: 'column' is a required"),
        ({"claims": [CLAIM, CLAIM]}, "several claims are called C01"),
    ],
)
def test_what_is_not_of_the_form_is_named(written, changes, message):
    with pytest.raises(InputError, match=message):
        read_publication(written(**changes))


def test_a_group_has_a_claim_for_each_row_of_a_table(written):
    first, second = {"id": "$id-one", "value": "$b", "label": "$of"}, {"id": "$id-two", "label": "$of", "value": 1}
    second |= {"only": {"a": 3}, "measured": {"column": "n", "where": {"target": "$target"}}}
    rows = [{"a": 1, "id": "C01", "of": "A"}, {"a": 3, "b": 5, "id": "C02", "of": "B", "target": {"not": "sep"}}]
    exceptions = {"C02-one": {"measured": {"where": {"layer": "$a"}}}}
    path = written(claims=[GROUP | {"rows": rows, "claims": [first, second], "exceptions": exceptions}])
    claims = {claim.pop("id"): claim for claim in read_publication(path).claims}
    assert {name: (claim["label"], claim["value"]) for name, claim in claims.items()} == {
        "C01-one": ("A", 2),
        "C02-one": ("B", 5),
        "C02-two": ("B", 1),
    }
    assert claims["C01-one"]["statement"] == CLAIM["statement"]
    query = CLAIM["measured"]
    assert claims["C02-one"]["measured"] == query | {"where": query["where"] | {"layer": 3}}
    assert claims["C02-two"]["measured"] == query | {
        "column": "n",
        "where": query["where"] | {"target": {"not": "sep"}},
    }


def test_the_group_that_the_docs_show_has_a_claim_for_each_cell(written):
    docs = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    shown = yaml.safe_load(re.findall(r"```yaml\n(.*?)```", docs, re.S)[1])
    claims = read_publication(written(**shown)).claims
    assert [(claim["id"], claim["label"], claim["value"]) for claim in claims] == [
        ("K21-pretrained", "Accuracy on RTE before fine-tuning", 0.527),
        ("K21-finetuned", "Accuracy on RTE, fine-tuned", 0.646),
        ("K22-pretrained", "Accuracy on QNLI before fine-tuning", 0.528),
        ("K22-finetuned", "Accuracy on QNLI, fine-tuned", 0.844),
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"table": "table_2"}, r"group of \$id: there is no table table_2\n  Remedy: tables are table_1"),
        ({"keys": ["c"]}, r"group of \$id: table_1 has no column c\n  Remedy: its columns are a, b"),
        ({"rows": [{"a": 2, "id": "C01"}]}, r"group of \$id: 0 rows of table_1 have a: 2\n  Remedy: each of `rows`"),
        ({"rows": [{"a": 3, "id": "C01"}]}, r"group of \$id: there is no field b in the row with a: 3.*\n.*correct"),
        ({"statement": "It costs $."}, r"group of \$id: 'It costs \$.' has a \$ without a field\n.*write \$\$"),
        ({"claims": [{"id": "$id", "only": {"a": 3}}]}, r"group of \$id: no row has a: 3\n.*correct `only`"),
        ({"exceptions": {"C02": {}}}, r"group of \$id: exceptions: the group has no claim C02\n.*did you mean C01"),
        ({"rows": None}, "claims: entry 1: rows"),
        ({"claims": [{"label": "a head"}]}, "claims: entry 1: claims: 0: 'id' is a required property"),
        ({"margn": "points"}, "claim C01: .*'margn' was unexpected"),
    ],
)
def test_what_a_group_names_and_is_not_there_is_named(written, changes, message):
    with pytest.raises(InputError, match=f"clark.yaml, {message}"):
        read_publication(written(claims=[GROUP | changes]))


def test_a_file_that_is_no_yaml_is_named(tmp_path):
    path = Path(tmp_path / "clark.yaml")
    path.write_text("claims: [")
    with pytest.raises(InputError, match=r"clark.yaml: is not readable YAML"):
        read_publication(path)


def test_claims_restate_claims_that_are_there():
    publications = [read_publication(file) for file in FILES]
    check_references(publications)
    claims = [claim for publication in publications for claim in publication.claims]
    assert {"C04-band", "C05-cls", "K14"} <= {claim.get("restates") for claim in claims}
    assert all("holds" in claim for claim in claims if {"restates", "given"} & claim.keys())
