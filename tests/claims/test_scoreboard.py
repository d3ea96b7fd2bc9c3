"""The scoreboard: a row for each claim and model, a page, and a summary."""

from pathlib import Path

import pandas as pd
import pytest

from bert_attention.claims.publications import Publication
from bert_attention.claims.scoreboard import as_page, counts, find_tables, number_text, scoreboard, summary
from bert_attention.errors import InputError
from bert_attention.statistics.jackknife import Replicates
from bert_attention.statistics.tables import write_table
from bert_attention.tables import read_table
from tests.replicates import within

HUB = "google-bert/bert-base-uncased"
BERT = {"name": "bert", "source": f"hub:{HUB}@86b5 sha256:{'a' * 64}"}
MINI = {"name": "mini", "source": "path:/models/mini"}
EDITION = {
    "models": [BERT],
    "papers_corpora": ["wikipedia"],
    "corpora": {"tasks": {"rte": {"source": "path:a"}, "qqp": None}},
    "translation_models": [{"name": name, "source": f"path:/{name}"} for name in ("opus", "mbart")],
}
POSITIONS = pd.DataFrame({"layer": [1, 2], "head": [1, 1], "target": "sep", "attention": [0.2, 0.6], "n": 9})
ALIGNMENT = pd.DataFrame(
    {
        "model": ["opus", "mbart"],
        "seed": [1, 1],
        "statistic": "layer_mean",
        "setting": "awi",
        "method": "norm",
        "value": [0.5, 0.6],
    }
)
TABLES = {"clark_positions": POSITIONS, "kobayashi_alignment_summary": ALIGNMENT}


def claim(number="C01", **changes):
    common = {
        "id": number,
        "label": "a | b",
        "place": "section 3",
        "statement": "It | is.",
        "provenance": "transcribed",
    }
    query = {"table": "clark_positions", "where": {"layer": 2}, "column": "attention"}
    return common | {"value": 0.6, "margin": 0.05, "measured": query} | changes


def board(*claims, edition=None, tables=TABLES):
    publications = {"clark": Publication(Path("clark.yaml"), HUB, 2, claims, {HUB: ["a" * 64]})}
    tables = {name: table if isinstance(table, Replicates) else Replicates(table) for name, table in tables.items()}
    return scoreboard(publications, lambda model, name: tables.get(name), EDITION | (edition or {}))


def test_a_changed_table_changes_the_verdict():
    assert board(claim())["verdict"].tolist() == ["reproduced"]
    changed = TABLES | {"clark_positions": POSITIONS.assign(attention=[0.2, 0.7])}
    assert board(claim(), tables=changed)["verdict"].tolist() == ["not reproduced"]


def test_a_wide_interval_reproduces_nothing():
    (row,) = board(claim(), tables={"clark_positions": within(POSITIONS, attention=0.11)}).to_dict("records")
    assert (row["verdict"], row["low"], row["high"]) == ("inconclusive", pytest.approx(0.49), pytest.approx(0.71))
    (row,) = board(claim(), tables={"clark_positions": within(POSITIONS, attention=0.04)}).to_dict("records")
    assert row["verdict"] == "reproduced"


STATEMENT = claim(holds={"above": 0.5}, margin=0.05)


def surely(table):
    """A table whose numbers have intervals of no width."""
    return Replicates(table, [table] * 20)


STATED = {"clark_positions": surely(POSITIONS)}


@pytest.mark.parametrize(
    ("random", "found", "control"),
    [
        (0.2, "confirmed", "not met"),
        (0.7, "not specific to training", "met"),
        (None, "true, no control applies", ""),
    ],
)
def test_a_statement_is_asked_of_random_weights_too(random, found, control):
    tables = dict(STATED)
    if random:
        tables["control/clark_positions"] = surely(POSITIONS.assign(attention=random))
    (row,) = board(STATEMENT, tables=tables, edition={"models": [MINI]}).to_dict("records")
    assert (row["condition"], row["control"], row["finding"]) == ("met", control, found)
    assert row["control_value"] == pytest.approx(random, nan_ok=True) or random is None


def test_each_seed_of_random_weights_is_asked_apart():
    control = pd.concat([POSITIONS.assign(attention=a, seed=seed) for seed, a in enumerate((0.2, 0.3, 0.55), start=1)])
    tables = STATED | {"control/clark_positions": surely(control.reset_index(drop=True))}
    (row,) = board(STATEMENT, tables=tables, edition={"models": [MINI]}).to_dict("records")
    assert (row["control_value"], row["gain"]) == pytest.approx((0.35, 0.25))
    assert row["finding"] == "inconclusive"  # the seeds differ too much
    (row,) = board(
        STATEMENT, tables=STATED | {"control/clark_positions": surely(control[control["seed"] < 3])}
    ).to_dict("records")
    assert row["control_value"] == pytest.approx(0.25)


def test_random_weights_may_be_other_rows_of_the_same_table():
    weights = pd.DataFrame({"layer": 2, "weights": ["trained", "random"], "attention": [0.6, 0.2]})
    query = {"table": "clark_positions", "where": {"layer": 2, "weights": "trained"}, "column": "attention"}
    statement = STATEMENT | {"measured": query, "control": {"weights": "random"}}
    (row,) = board(statement, tables={"clark_positions": surely(weights)}).to_dict("records")
    assert (row["control"], row["control_value"], row["finding"]) == ("not met", 0.2, "confirmed")


def test_a_statement_that_compares_with_random_weights_is_its_own_control():
    (row,) = board(STATEMENT | {"control": "in the statement"}, tables=STATED).to_dict("records")
    assert (row["control"], row["finding"]) == ("in the statement", "confirmed")
    assert pd.isna(row["control_value"])


def test_heads_that_random_weights_lack_are_no_control():
    query = {"table": "clark_positions", "where": {"attention": {"above": 0.5}}, "column": "attention", "take": "mean"}
    tables = STATED | {"control/clark_positions": surely(POSITIONS.assign(attention=0.1))}
    (row,) = board(STATEMENT | {"measured": query}, tables=tables, edition={"models": [MINI]}).to_dict("records")
    assert (row["control"], row["finding"]) == ("not applicable", "true, no control applies")


@pytest.mark.parametrize(
    ("seeds", "control", "finding", "reason"),
    [
        ((0.55, 0.1, 0.1), "not applicable", "true, no control applies", "1 of 3 random encoders have such heads"),
        ((0.52, 0.53, 0.1), "inconclusive", "confirmed", "2 of 3 random encoders have such heads"),
        ((0.55,), "met", "confirmed", "the difference to random weights has an interval over texts alone"),
    ],
)
def test_a_single_of_several_random_encoders_is_no_control(seeds, control, finding, reason):
    query = {"table": "clark_positions", "where": {"attention": {"above": 0.5}}, "column": "attention", "take": "mean"}
    table = POSITIONS.assign(attention=[0.2, 0.9])
    random = pd.concat([POSITIONS.assign(attention=a, seed=seed) for seed, a in enumerate(seeds, start=1)])
    tables = {"clark_positions": surely(table), "control/clark_positions": surely(random.reset_index(drop=True))}
    (row,) = board(STATEMENT | {"measured": query}, tables=tables).to_dict("records")
    assert (row["control"], row["finding"], row["reason"]) == (control, finding, reason)


def test_a_control_of_another_number_of_layers_says_so():
    query = {"table": "clark_positions", "column": "attention", "by": ["layer"], "where": {"n": 9}}
    random = pd.concat([POSITIONS.assign(seed=1), POSITIONS[:1].assign(seed=2)], ignore_index=True)
    tables = STATED | {"control/clark_positions": surely(random)}
    statement = {key: value for key, value in STATEMENT.items() if key not in ("value", "margin")}
    statement |= {"measured": query, "holds": {"above": 0.1}}
    (row,) = board(statement, tables=tables, edition={"models": [MINI]}).to_dict("records")
    assert (row["control"], row["finding"]) == ("inconclusive", "inconclusive")
    assert "random encoders differ in how many numbers they have" in row["reason"]


def test_statements_are_counted_by_paper_and_text():
    silver = STATEMENT | {"id": "C02", "needs": {"corpora": ["treebank"]}}
    failing = STATEMENT | {"id": "C03", "holds": {"above": 0.9}}
    corpora = {**EDITION["corpora"], "treebank": {"trees": "spacy"}}
    edition = {"models": [MINI], "corpora": corpora}
    found = counts(board(STATEMENT, silver, failing, edition=edition, tables=STATED))
    assert found.loc[("clark", "real"), ["true, no control applies", "not confirmed"]].tolist() == [1, 1]
    assert found.loc[("clark", "silver")].sum() == 1


def test_nothing_is_judged_on_a_stand_in():
    on_stand_in = STATEMENT | {"id": "C02", "needs": {"corpora": ["coreference"]}}
    corpora = {**EDITION["corpora"], "coreference": {"source": "stand-in:coreference.conllu"}}
    edition = {"models": [MINI], "corpora": corpora}
    found = board(STATEMENT, on_stand_in, edition=edition, tables=STATED)
    row = found.set_index("id").loc["C02"]
    assert (row["verdict"], row["reason"]) == ("not measured", "measured on a stand-in")
    assert (row["text"], row["finding"], row["condition"]) == ("stand-in", "", "")
    assert found["counted"].tolist() == [True, False]
    assert counts(found).sum().sum() == 1
    assert summary(found)[-1] == "1 statement is only measured on stand-ins, and gets no verdict."
    quoted = {key: value for key, value in on_stand_in.items() if key != "measured"} | {"absent": "quoted"}
    assert board(quoted, edition=edition)["text"].isna().all()
    # The same numbers on a corpus that is none are judged.
    real = {"models": [MINI], "corpora": corpora | {"coreference": {"source": "path:a.conllu"}}}
    assert board(on_stand_in, edition=real, tables=STATED)["finding"].tolist() == ["true, no control applies"]


def test_the_families_of_the_kinds_of_evidence_are_apart():
    """Many doubtful facts on silver trees do not raise the bar for a fact on real text."""
    corpora = {**EDITION["corpora"], "treebank": {"trees": "spacy"}}
    edition = {"models": [MINI], "corpora": corpora}
    doubtful = claim(holds={"above": 0.59})
    on_trees = [doubtful | {"id": f"C{n:02}", "needs": {"corpora": ["treebank"]}} for n in range(2, 30)]
    tables = {"clark_positions": within(POSITIONS, attention=0.095)}
    found = board(STATEMENT, *on_trees, edition=edition, tables=tables).set_index("id")
    assert found.loc["C01", "finding"] == "true, no control applies"
    assert found.loc["C02", "level"] < found.loc["C01", "level"]


@pytest.mark.parametrize(
    ("relation", "trees", "measured"),
    [
        ("dobj", "spacy", True),
        ({"in": [["obj", "dobj"], "det"]}, "spacy", True),
        ("all", "spacy", True),
        ("cc", "spacy", False),
        ({"in": ["det", "conj"]}, "stanza", False),
        ("cc", "gold", True),
    ],
)
def test_relations_are_judged_on_silver_trees_if_the_schemes_agree(relation, trees, measured):
    corpora = {**EDITION["corpora"], "treebank": {"trees": trees}}
    named = next(name for name in ("dobj", "all", "cc", "conj") if name in str(relation))
    table = POSITIONS.assign(relation=["punct", named])
    query = {"table": "clark_positions", "where": {"relation": relation}, "column": "attention", "take": "largest"}
    statement = STATEMENT | {"needs": {"corpora": ["treebank"]}, "measured": query}
    (row,) = board(
        statement, edition={"models": [MINI], "corpora": corpora}, tables={"clark_positions": surely(table)}
    ).to_dict("records")
    assert (row["verdict"] != "not measured") == measured
    assert measured or row["reason"] == "the parser may define these relations in another way than the paper"


def test_a_fact_that_is_stated_twice_is_counted_once():
    again = STATEMENT | {"id": "C00", "restates": "C01", "holds": {"above": 0.55}}
    found = board(again, STATEMENT, tables=STATED).set_index("id")
    assert found["finding"].tolist() == ["true, no control applies"] * 2
    assert found["counted"].to_dict() == {"C00": False, "C01": True}
    assert counts(found).loc[("clark", "real")].sum() == 1
    # A fact is tested by the claim that restates it, if the first one cannot be.
    elsewhere = STATEMENT | {"heads_of_model": True}
    assert board(again, elsewhere, tables=STATED, edition={"models": [MINI]})["counted"].tolist() == [True, False]


def test_a_statement_says_nothing_where_what_it_is_about_is_not_there():
    given = STATEMENT | {"id": "C02", "given": "C01"}
    lacking = STATEMENT | {"holds": {"above": 0.9}}
    tables = {"clark_positions": surely(POSITIONS)}
    assert board(STATEMENT, given, tables=tables)["finding"].tolist() == ["true, no control applies"] * 2
    found = board(lacking, given, tables=tables).set_index("id").loc["C02"]
    assert (found["finding"], found["verdict"]) == ("", "reproduced")
    assert found["reason"] == "needs C01, which does not hold here"
    assert found[["lead", "p", "control_p", "gain", "gain_low", "gain_p", "control_value"]].isna().all()
    again = STATEMENT | {"id": "C03", "restates": "C02"}
    assert board(lacking, given, again, tables=tables).set_index("id").loc["C03", "reason"] == found["reason"]
    unclear = {"clark_positions": within(POSITIONS, attention=0.15)}
    found = board(STATEMENT, given | {"holds": {"above": 0.1}}, tables=unclear).set_index("id").loc["C02"]
    assert (found["finding"], found["reason"]) == ("", "needs C01, which is inconclusive here")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"restates": "C09"}, r"claim C01: restates: there is no claim C09\n.*did you mean C0"),
        ({"given": "C09"}, r"claim C01: given: there is no claim C09"),
        ({"restates": "C02"}, r"claim C01: restates: C02 restates C03 itself\n.*name C03"),
        ({"restates": "C04"}, r"claim C01: restates: C04 has no statement"),
    ],
)
def test_a_claim_that_is_named_has_to_be_there(changes, message):
    others = [STATEMENT | {"id": "C02", "restates": "C03"}, STATEMENT | {"id": "C03"}, claim("C04")]
    with pytest.raises(InputError, match=message):
        board(STATEMENT | changes, *others, tables=STATED)
    board(STATEMENT | {"restates": "K09"}, tables=STATED)  # of a paper that is not in this edition


def test_verdicts_are_corrected_for_how_many_facts_were_judged():
    """A p-value of .03 among forty facts may well be luck."""
    heads = pd.DataFrame({"layer": range(1, 41), "head": 1, "attention": 0.5 + 0.0112, "n": 9})
    heads.loc[:1, "attention"] = 0.9
    table = within(heads, attention=0.01)
    query = {"table": "clark_positions", "column": "attention"}
    claims = [
        STATEMENT | {"id": f"C{layer}", "measured": query | {"where": {"layer": layer}}, "control": "in the statement"}
        for layer in range(1, 41)
    ]
    few = board(*claims[:4], tables={"clark_positions": table})
    assert few["finding"].tolist() == ["confirmed"] * 4
    noise = table.made_into(lambda rows: rows.assign(attention=rows["attention"] - 0.011 * (rows["layer"] > 4)))
    found = board(*claims, tables={"clark_positions": noise})
    assert found["finding"].tolist()[:4] == ["confirmed", "confirmed", "inconclusive", "inconclusive"]
    assert found["reason"][2] == "p = 0.03; for so many facts it has to be 0.0025"
    assert found["condition"][2] == "met"


def test_every_model_has_a_row():
    rows = board(claim(), edition={"models": [BERT, MINI]})
    assert rows[["model", "verdict"]].to_numpy().tolist() == [["bert", "reproduced"], ["mini", "not comparable"]]


def test_claims_on_translation_are_judged_for_each_translation_model():
    query = {"table": "kobayashi_alignment_summary", "where": {"method": "norm"}, "column": "value"}
    rows = board(claim("K18", measured=query, needs={"translation_model": "fairseq"}))
    assert rows["model"].tolist() == ["opus", "mbart"]
    assert rows["replicated"].tolist() == [0.5, 0.6]
    assert set(rows["verdict"]) == {"not comparable"}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {"measured": {"table": "kovaleva_change", "where": {"task": "qqp"}, "column": "cosine"}},
            "the edition has no qqp",
        ),
        ({"heads_of_model": True}, "the statement names heads of google-bert/bert-base-uncased"),
        (
            {"measured": {"table": "clark_positions", "where": {"layer": 9}, "column": "attention"}},
            "no rows with layer: 9",
        ),
        (
            {"measured": {"table": "clark_entropy", "where": {"layer": 1}, "column": "entropy"}},
            "does not make clark_entropy",
        ),
    ],
)
def test_what_cannot_be_measured_on_another_model_says_why(changes, reason):
    (row,) = board(claim(**changes), edition={"models": [MINI]}).to_dict("records")
    assert row["verdict"] == "not measured"
    assert reason in row["reason"]


def test_an_absent_claim_says_why():
    absent = {key: value for key, value in claim().items() if key != "measured"} | {"absent": "There is no code."}
    (row,) = board(absent).to_dict("records")
    assert (row["verdict"], row["reason"]) == ("not measured", "There is no code.")


@pytest.mark.parametrize(
    ("measured", "message"),
    [
        (
            {"table": "clark_position", "column": "attention"},
            r"claim C01: there is no table clark_position\n.*clark_positions",
        ),
        ({"table": "clark_positions", "column": "atention", "where": {"layer": 2}}, r"claim C01: .*no column atention"),
        (
            {"table": "clark_positions", "column": "attention", "where": {"layer": 9}},
            r"claim C01: .*no rows with layer: 9",
        ),
        ({"table": "clark_positions", "column": "attention"}, r"claim C01: 2 rows"),
        ({"table": "clark_entropy", "column": "entropy"}, r"claim C01: the edition does not make clark_entropy"),
    ],
)
def test_a_comparable_claim_that_cannot_be_traced_to_a_cell_is_an_error(measured, message):
    with pytest.raises(InputError, match=message):
        board(claim(measured=measured))


def test_no_head_beyond_a_limit_is_a_finding_and_no_mistake():
    query = {"table": "clark_positions", "where": {"attention": {"above": 0.9}}, "column": "n", "take": "mean"}
    (row,) = board(claim(measured=query)).to_dict("records")
    assert (row["verdict"], row["reason"]) == ("not measured", "clark_positions has no rows with attention above 0.9")


@pytest.mark.parametrize("model", [BERT, MINI])
def test_an_empty_cell_is_an_error_where_numbers_can_be_compared(model):
    tables = TABLES | {"clark_positions": POSITIONS.assign(attention=float("nan"))}
    if model is BERT:
        with pytest.raises(InputError, match=r"claim C01: a cell of clark_positions.attention is empty"):
            board(claim(), tables=tables)
    else:
        (row,) = board(claim(), tables=tables, edition={"models": [model]}).to_dict("records")
        assert row["verdict"] == "not measured"
        assert "a cell of clark_positions.attention is empty" in row["reason"]


def test_a_mistyped_column_is_an_error_on_any_model():
    measured = {"table": "clark_positions", "column": "atention", "where": {"layer": 2}}
    with pytest.raises(InputError, match="no column atention"):
        board(claim(measured=measured), edition={"models": [MINI]})


def test_tables_are_found_by_model(tmp_path):
    for folder in ("bert/tables", "tables"):
        (tmp_path / folder).mkdir(parents=True)
    write_table(within(POSITIONS, attention=0.01), tmp_path / "bert/tables/clark_positions.csv")
    counts = pd.DataFrame({"source": ["x"], "tokens": [5], "different_tokens": [3]})
    write_table(counts, tmp_path / "tables/kobayashi_token_counts.csv")
    table = find_tables(tmp_path.rglob("*.csv"), tmp_path)
    assert (len(table("bert", "clark_positions").whole), len(table("bert", "clark_positions").left_out)) == (2, 20)
    assert table("mini", "clark_positions") is None
    assert table("mini", "kobayashi_token_counts").whole["tokens"].item() == 5


def test_page_and_summary_say_the_same_before_and_after_writing(tmp_path):
    other = claim("C03", holds={"above": 0.5}, needs={"corpora": ["treebank"]})
    assert number_text(0.030150000001) == number_text(0.03015)  # as the CSV file has it
    made = board(claim(), claim("C02", value=0.1, margin=0), other, tables=STATED)
    assert summary(made) == [
        "Of 2 published numbers that can be compared, 1 is reproduced, 1 is not reproduced.",
        "The one finding that can be tested on this encoder and real text holds but no control applies.",
    ]
    write_table(made, tmp_path / "scoreboard.csv")
    read = read_table(tmp_path / "scoreboard.csv")
    page = as_page(made, {"clark": "Clark et al."}, "mine")
    assert as_page(read, {"clark": "Clark et al."}, "mine") == page
    assert all(line in page for line in summary(read))
    assert "| C03 | section 3 | It \\| is. | 0.6 | 0.6 (0.6–0.6) | — | — | true, no control applies; not" in page


def test_the_summary_counts_findings_of_several_models():
    several = board(STATEMENT, edition={"models": [BERT, MINI]}, tables=STATED)
    assert summary(several)[-1] == (
        "Of 2 findings that can be tested on these 2 models and real text, 2 hold but no control applies."
    )


def test_a_run_on_another_encoder_says_that_nothing_is_compared():
    assert summary(board(claim(), edition={"models": [MINI]})) == [
        "No published number is compared: the encoder or the corpora are not the papers'."
    ]
