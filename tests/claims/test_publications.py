"""The papers' published numbers are read from the files of claims, and errors name mistakes in these files."""

import re

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
from tests.claims.claim_tables import claims_of
from tests.conftest import ROOT

# The letters of each paper's claims in order, each with its first and its last number.
IDS = {
    "clark": [("C", 1, 12), ("D", 0, 19), ("E", 1, 6), ("F", 1, 6), ("G", 1, 2), ("H", 1, 1)],
    "kovaleva": [("K", 1, 42)],
    "kobayashi": [("N", 1, 29), ("M", 1, 4)],
    "coenen": [("P", 1, 2)],
    "vig": [("V", 1, 11)],
}
# Columns that claims query beyond a table's contract.
FURTHER_COLUMNS = {"clark_coreference": {"gain"}, "kovaleva_frames": {"above_99th_percentile"}}
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
    "work": "Clark et al. 2019",
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


@pytest.mark.parametrize("paper", IDS)
def test_the_claims_of_a_paper_are_complete_and_name_tables_columns_and_models(paper):
    publication = claims_of(paper)
    numbers = list(dict.fromkeys(claim["id"].partition("-")[0] for claim in publication.claims))
    assert numbers == [f"{letter}{n:02}" for letter, first, last in IDS[paper] for n in range(first, last + 1)]
    labels = [claim["label"] for claim in publication.claims]  # figure and paper print the label alone
    assert len({*labels}) == len(labels)
    models = {publication.model}
    for claim in publication.claims:
        published_numbers(claim, publication)
        needs, query = claim.get("needs", {}), claim.get("measured")
        models |= {needs[key] for key in ("model", "translation_model") if needs.get(key)}
        for part in (query, {"table": query["table"], **query.get("minus", {})}) if query else ():
            table, named = part["table"], {*part.get("where", {}), *part.get("heads", {}), *part.get("by", [])}
            named |= {part[key] for key in ("column", "each") if key in part}
            assert named <= {*results().tables[table].columns, *FURTHER_COLUMNS.get(table, ())}, claim["id"]
    assert models <= publication.weights.keys()


def test_claims_of_several_works_name_their_own():
    works = {claim["id"]: claim["work"] for paper in IDS for claim in claims_of(paper).claims}
    kobayashi = {"N": "Kobayashi et al. 2020", "M": "Kobayashi et al. 2021"}
    assert all(work == kobayashi[number[0]] for number, work in works.items() if number[0] in kobayashi)
    assert all(
        work == ("Vig 2018" if number[:3] < "V07" else "Vig 2019b")
        for number, work in works.items()
        if number[0] == "V"
    )


def test_a_claim_has_the_work_of_its_file_unless_it_names_another(written):
    claims = read_publication(written(claims=[CLAIM, *with_claim(id="C02", work="Clark et al. 2021")])).claims
    assert [claim["work"] for claim in claims] == ["Clark et al. 2019", "Clark et al. 2021"]


def test_restated_claims_exist_and_ids_are_unique():
    publications = [claims_of(paper) for paper in IDS]
    check_references(publications)
    claims = [claim for publication in publications for claim in publication.claims]
    assert len({claim["id"] for claim in claims}) == len(claims)
    assert all("holds" in claim for claim in claims if {"restates", "given"} & claim.keys())


@pytest.mark.parametrize(("paper", "numbers"), [("clark", 27), ("kobayashi", 38)])
def test_the_open_edition_can_compare_published_numbers_on_a_laptop_too(paper, numbers):
    """Claims on running text alone: neither the Penn Treebank nor CoNLL-2012 is open."""
    opened, laptop = (yaml.safe_load((ROOT / "editions" / f"{name}.yaml").read_text()) for name in ("open", "laptop"))
    edition = opened | {name: laptop[name] for name in ("models", "papers_corpora") if name in laptop}
    publication, (model,) = claims_of(paper), edition["models"]
    number = {"value", "values", "range"}
    claims = [claim for claim in publication.claims if number & claim.keys() and "measured" in claim]
    assert sum(not differences(claim, publication, model, edition["papers_corpora"]) for claim in claims) == numbers


def test_published_curves_rows_and_values_are_read_as_tables(written):
    curves = published_curves(written(), "f")
    assert curves.to_numpy().tolist() == [["a", 1, 1.0], ["a", 2, 0.5]]
    for nothing in (published_curves(written(), "another"), published_curves(None, "f")):
        assert nothing.empty
        assert nothing.dtypes.equals(curves.dtypes)
    rows = published_rows(written(), "table_1")
    assert rows["a"].tolist() == [1, 3]
    assert rows["b"].isna().tolist() == [False, True]
    with pytest.raises(InputError, match=r"there is no table table_2\n.*table_1"):
        published_rows(written(), "table_2")
    other = with_claim(id="C02", needs={"model": "another"})
    several = with_claim(id="C03", measured=CLAIM["measured"] | {"by": ["layer"], "over": "mean"})
    values = published_values(written(claims=[CLAIM, *other, *several]), "clark_positions").set_index("id")
    assert values.loc["C01", ["target", "layer", "column", "value"]].tolist() == ["sep", 1, "attention", 0.5]
    assert values["model"].tolist() == [CONTENT["model"], "another"]
    assert published_values(written(), "clark_entropy").empty


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"claims": []}, r"clark.yaml, claims: "),
        ({"figures": []}, r"the whole: .*figures"),
        ({"curves": {"f": {"provenance": "recalled", "series": {"a": ["x"]}}}}, "curves: f: series: a: 0: is 'x'"),
        ({"claims": with_claim(id="first")}, "claim first: id: is 'first'"),
        ({"claims": with_claim(margin=None)}, "claim C01: 'margin' is a dependency"),
        ({"claims": with_claim(margin="point")}, "claim C01: there is no margin point\n.*points"),
        ({"claims": with_claim(measured=None)}, "claim C01: needs either `measured` or `absent`"),
        ({"claims": with_claim(measured={"table": "clark_positions"})}, "claim C01: measured: 'column' is a required"),
        ({"claims": [CLAIM, CLAIM]}, "several claims are called C01"),
    ],
)
def test_schema_errors_name_the_location(written, changes, message):
    with pytest.raises(InputError, match=message):
        read_publication(written(**changes))
    broken = written()
    broken.write_text("claims: [")
    with pytest.raises(InputError, match=r"clark.yaml: is not readable YAML"):
        read_publication(broken)


def test_a_group_has_a_claim_for_each_row_of_a_table(written):
    first, second = {"id": "$id-one", "value": "$b", "label": "$of"}, {"id": "$id-two", "label": "$of", "value": 1}
    second |= {"only": {"a": 3}, "measured": {"column": "n", "where": {"target": "$target"}}}
    rows = [{"a": 1, "id": "C01", "of": "A"}, {"a": 3, "b": 5, "id": "C02", "of": "B", "target": {"not": "sep"}}]
    exceptions = {"C02-one": {"measured": {"where": {"layer": "$a"}}}}
    path = written(claims=[GROUP | {"rows": rows, "claims": [first, second], "exceptions": exceptions}])
    claims = {claim.pop("id"): claim for claim in read_publication(path).claims}
    made = [(name, claim["label"], claim["value"]) for name, claim in claims.items()]
    assert made == [("C01-one", "A", 2), ("C02-one", "B", 5), ("C02-two", "B", 1)]
    assert claims["C01-one"]["statement"] == CLAIM["statement"]
    query, where = CLAIM["measured"], CLAIM["measured"]["where"]
    assert claims["C02-one"]["measured"] == query | {"where": where | {"layer": 3}}
    assert claims["C02-two"]["measured"] == query | {"column": "n", "where": where | {"target": {"not": "sep"}}}


def test_the_group_that_the_docs_show_has_a_claim_for_each_cell(written):
    docs = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    shown = yaml.safe_load(re.findall(r"```yaml\n(.*?)```", docs, re.S)[1])
    values = {claim["id"]: claim["value"] for claim in read_publication(written(**shown)).claims}
    assert list(values) == ["K21-pretrained", "K21-finetuned", "K22-pretrained", "K22-finetuned"]
    assert list(values.values()) == [0.527, 0.646, 0.528, 0.844]


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
        ({"claims": [{"label": "a head"}]}, "claims: entry 1: claims: 0: 'id' is a required property"),
        ({"margn": "points"}, "claim C01: .*'margn' was unexpected"),
    ],
)
def test_unknown_names_in_a_group_are_errors(written, changes, message):
    with pytest.raises(InputError, match=f"clark.yaml, {message}"):
        read_publication(written(claims=[GROUP | changes]))
