"""The scoreboard: a row for each claim and model, a page, and a summary."""

import re
from pathlib import Path

import pandas as pd
import pytest

from bert_attention.claims.publications import Publication
from bert_attention.claims.scoreboard import (
    FEWEST_HEADS,
    as_page,
    counts,
    find_tables,
    number_text,
    scoreboard,
    summary,
    verdict_text,
)
from bert_attention.errors import InputError
from bert_attention.statistics.jackknife import Replicates
from bert_attention.statistics.tables import write_table
from bert_attention.tables import read_table
from tests.claims.claim_tables import without_noise
from tests.replicates import within

HUB = "google-bert/bert-base-uncased"
BERT = {"name": "bert", "source": f"hub:{HUB}@86b5 sha256:{'a' * 64}"}
MINI = {"name": "mini", "source": "path:/models/mini"}
CORPORA = {"tasks": {"rte": {"source": "path:a"}, "qqp": None}}
EDITION = {
    "models": [BERT],
    "papers_corpora": ["wikipedia"],
    "corpora": CORPORA,
    "translation_models": [{"name": name, "source": f"path:/{name}"} for name in ("opus", "mbart")],
}
ON_MINI = {"models": [MINI]}
ON_SILVER = {"models": [MINI], "corpora": CORPORA | {"treebank": {"trees": "spacy"}}}
POSITIONS = pd.DataFrame({"layer": [1, 2], "head": [1, 1], "target": "sep", "attention": [0.2, 0.6], "n": 9})
ALIGNMENT = pd.DataFrame({"model": ["opus", "mbart"], "method": "norm", "value": [0.5, 0.6]})
TABLES = {"clark_positions": POSITIONS, "kobayashi_alignment_summary": ALIGNMENT}
STATED = {"clark_positions": without_noise(POSITIONS)}
QUERY = {"table": "clark_positions", "where": {"layer": 2}, "column": "attention"}
BROAD = QUERY | {"where": {"attention": {"above": 0.5}}, "take": "mean"}


def claim(number="C01", **changes):
    texts = {
        "work": "Clark et al. 2019",
        "label": "a | b",
        "place": "section 3",
        "statement": "It | is.",
        "provenance": "transcribed",
    }
    made = {"id": number, **texts, "value": 0.6, "margin": 0.05, "measured": QUERY} | changes
    return {key: value for key, value in made.items() if value is not None}


STATEMENT = claim(holds={"above": 0.5})


def board(*claims, edition=None, tables=TABLES):
    publications = {"clark": Publication(Path("clark.yaml"), HUB, 2, claims, {HUB: ["a" * 64]})}
    tables = {name: table if isinstance(table, Replicates) else Replicates(table) for name, table in tables.items()}
    return scoreboard(publications, lambda model, name: tables.get(name), EDITION | (edition or {}))


def judged(claim, **kwargs):
    (row,) = board(claim, **kwargs).to_dict("records")
    return row


def control(*attentions):
    """Tables with a control: the attention in each random encoder, or in a control without seeds."""
    seeds = [POSITIONS.assign(attention=attention, seed=seed) for seed, attention in enumerate(attentions, start=1)]
    return {"control/clark_positions": without_noise(pd.concat(seeds, ignore_index=True))}


TEXTS_ALONE = "the difference to random weights has an interval over texts alone"
SUCH_HEADS = "random encoders have such heads"


@pytest.mark.parametrize(
    ("query", "seeds", "expected"),
    [
        (QUERY, (0.2,), ("not met", "confirmed", TEXTS_ALONE)),
        (QUERY, (0.7,), ("met", "not specific to training", TEXTS_ALONE)),
        (QUERY, (), ("", "true, no control applies", "")),
        (QUERY, (0.2, 0.3, 0.55), ("inconclusive", "inconclusive", "")),  # the seeds differ too much
        # A single random encoder of several is no control.
        (BROAD, (0.1, 0.1), ("not applicable", "true, no control applies", f"0 of 2 {SUCH_HEADS}")),
        (BROAD, (0.55, 0.1, 0.1), ("not applicable", "true, no control applies", f"1 of 3 {SUCH_HEADS}")),
        (BROAD, (0.52, 0.53, 0.1), ("inconclusive", "confirmed", f"2 of 3 {SUCH_HEADS}")),
        (BROAD, (0.55,), ("met", "confirmed", TEXTS_ALONE)),
    ],
)
def test_a_statement_is_judged_on_each_random_encoder_too(query, seeds, expected):
    heads = [1] if query is QUERY else [*range(1, FEWEST_HEADS + 1)]
    ours = {"clark_positions": without_noise(pd.concat([POSITIONS.assign(head=head) for head in heads]))}
    row = judged(STATEMENT | {"measured": query}, tables=ours | (control(*seeds) if seeds else {}))
    assert (row["control"], row["finding"], row["reason"]) == expected
    if query is QUERY and seeds:
        mean = sum(seeds) / len(seeds)
        assert (row["control_value"], row["gain"]) == pytest.approx((mean, 0.6 - mean))


def test_the_control_can_be_other_rows_of_the_table_or_in_the_statement():
    weights = pd.DataFrame({"layer": 2, "weights": ["trained", "random"], "attention": [0.6, 0.2]})
    query = QUERY | {"where": {"layer": 2, "weights": "trained"}}
    statement = STATEMENT | {"measured": query, "control": {"weights": "random"}}
    row = judged(statement, tables={"clark_positions": without_noise(weights)})
    assert (row["control"], row["control_value"], row["finding"]) == ("not met", 0.2, "confirmed")
    row = judged(STATEMENT | {"control": "in the statement"}, tables=STATED)
    assert (row["control"], row["finding"]) == ("in the statement", "confirmed")


def test_a_control_with_another_number_of_layers_says_so():
    random = pd.concat([POSITIONS.assign(seed=1), POSITIONS[:1].assign(seed=2)], ignore_index=True)
    query = {"table": "clark_positions", "column": "attention", "by": ["layer"]}
    statement = claim(value=None, margin=None, measured=query, holds={"above": 0.1})
    row = judged(statement, tables=STATED | {"control/clark_positions": without_noise(random)}, edition=ON_MINI)
    assert (row["control"], row["finding"]) == ("inconclusive", "inconclusive")
    assert "random encoders differ in how many numbers they have" in row["reason"]


def test_nothing_is_judged_on_a_stand_in():
    on_stand_in = STATEMENT | {"id": "C02", "needs": {"corpora": ["coreference"]}}
    stand_in = ON_MINI | {"corpora": CORPORA | {"coreference": {"source": "stand-in:coreference.conllu"}}}
    found = board(STATEMENT, on_stand_in, edition=stand_in, tables=STATED)
    row = found.set_index("id").loc["C02"]
    assert (row["verdict"], row["reason"]) == ("not measured", "measured on a stand-in")
    assert (row["text"], row["finding"], row["condition"]) == ("stand-in", "", "")
    assert verdict_text(row) == "not judged: measured on a stand-in"
    assert found["counted"].tolist() == [True, False]
    assert summary(found)[-1] == "1 statement is only measured on stand-ins, and gets no verdict."
    quoted = claim(measured=None, absent="quoted", needs=on_stand_in["needs"])
    assert pd.isna(judged(quoted, edition=stand_in)["text"])


def test_labels_by_a_language_model_are_a_kind_of_their_own():
    on_labels = STATEMENT | {"id": "C02", "needs": {"corpora": ["labeled_maps"]}}
    edition = ON_MINI | {"pattern_annotation": {"labeled_by": "language_model"}}
    found = board(STATEMENT, on_labels, edition=edition, tables=STATED)
    assert found["text"].tolist() == ["real", "model-labeled"]
    expected = {("clark", "Clark et al. 2019", text): 1 for text in ("real", "model-labeled")}
    assert counts(found)["true, no control applies"].to_dict() == expected
    of_labels = "The one finding that can be tested on this encoder and labels by a language model holds but no control"
    assert summary(found)[-1].startswith(of_labels)
    people = board(STATEMENT, on_labels, edition=ON_MINI | {"pattern_annotation": {"labeled_by": "people"}})
    assert set(people["text"]) == {"real"}


def test_recalled_findings_are_marked_and_counted():
    recalled = STATEMENT | {"id": "C02", "provenance": "recalled", "confidence": "high"}
    again = recalled | {"id": "C03", "restates": "C02"}
    found = board(STATEMENT, recalled, again, tables=STATED | control(0.2), edition=ON_MINI)
    assert counts(found)["recalled"].to_dict() == {("clark", "Clark et al. 2019", "real"): 1}
    assert summary(found)[-1] == "1 finding is recalled, not read in the paper (\N{DAGGER}), 1 of them confirmed."
    page = as_page(found, "mine")
    assert page.count("It \\| is.\N{DAGGER} |") == 2
    assert not any("recalled" in line for line in summary(board(STATEMENT, tables=STATED)))


def test_findings_that_nobody_is_sure_of_are_not_judged():
    unsure = STATEMENT | {"id": "C02", "provenance": "recalled", "confidence": "low"}
    number = {key: value for key, value in unsure.items() if key != "holds"} | {"id": "C03"}
    found = board(STATEMENT, unsure, number, tables=STATED).set_index("id").loc["C02":]
    assert found["verdict"].tolist() == ["not measured"] * 2
    assert found["published"].tolist() == [0.6] * 2
    assert set(found["finding"]) == {""}
    assert [verdict_text(row) for _, row in found.iterrows()] == ["not judged: recalled, and not sure"] * 2


def test_each_kind_of_evidence_is_a_family_of_its_own():
    """Many doubtful facts on silver trees do not lower the limit for a fact on real text, and are counted apart."""
    doubtful = claim(holds={"above": 0.59}, needs={"corpora": ["treebank"]})
    on_trees = [doubtful | {"id": f"C{n:02}"} for n in range(2, 30)]
    tables = {"clark_positions": within(POSITIONS, attention=0.095)}
    found = board(STATEMENT, *on_trees, edition=ON_SILVER, tables=tables).set_index("id")
    counted = counts(found).loc[("clark", "Clark et al. 2019")]
    assert counted.loc["real", "true, no control applies"] == 1
    assert counted.loc["silver", "inconclusive"] == 28
    assert found.loc["C02", "level"] < found.loc["C01", "level"]


@pytest.mark.parametrize(
    ("relation", "trees", "measured"),
    [
        ({"in": [["obj", "dobj"], "det"]}, "spacy", True),
        ({"in": ["det", "conj"]}, "stanza", False),
        ("conj", "gold", True),
    ],
)
def test_relations_are_judged_on_silver_trees_if_the_schemes_agree(relation, trees, measured):
    edition = ON_MINI | {"corpora": CORPORA | {"treebank": {"trees": trees}}}
    named = "dobj" if "dobj" in str(relation) else "conj"
    query = QUERY | {"where": {"relation": relation}, "take": "largest"}
    statement = STATEMENT | {"needs": {"corpora": ["treebank"]}, "measured": query}
    tables = {"clark_positions": without_noise(POSITIONS.assign(relation=["punct", named]))}
    row = judged(statement, edition=edition, tables=tables)
    assert (row["verdict"] != "not measured") == measured
    assert measured or row["reason"] == "the parser may define these relations in another way than the paper"


def test_a_fact_that_two_claims_state_is_counted_once():
    again = STATEMENT | {"id": "C00", "restates": "C01", "holds": {"above": 0.55}}
    found = board(again, STATEMENT, tables=STATED).set_index("id")
    assert found["finding"].tolist() == ["true, no control applies"] * 2
    assert found["counted"].to_dict() == {"C00": False, "C01": True}
    # If the first claim cannot be tested, the claim that restates it is counted.
    elsewhere = STATEMENT | {"heads_of_model": True}
    assert board(again, elsewhere, tables=STATED, edition=ON_MINI)["counted"].tolist() == [True, False]


def test_a_statement_is_not_judged_without_its_premise():
    dependent = STATEMENT | {"id": "C02", "given": "C01"}
    lacking = STATEMENT | {"holds": {"above": 0.9}}
    again = STATEMENT | {"id": "C03", "restates": "C02"}
    assert board(STATEMENT, dependent, tables=STATED)["finding"].tolist() == ["true, no control applies"] * 2
    found = board(lacking, dependent, again, tables=STATED).set_index("id")
    assert found.loc["C02", ["finding", "verdict"]].tolist() == ["", "reproduced"]
    assert found.loc["C02":, "reason"].tolist() == ["needs C01, which does not hold here"] * 2
    assert found.loc["C02", ["lead", "p", "control_p", "gain", "gain_low", "gain_p", "control_value"]].isna().all()
    unclear = {"clark_positions": within(POSITIONS, attention=0.15)}
    found = board(STATEMENT, dependent | {"holds": {"above": 0.1}}, tables=unclear).set_index("id").loc["C02"]
    assert (found["finding"], found["reason"]) == ("", "needs C01, which is inconclusive here")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"restates": "C09"}, r"claim C01: restates: there is no claim C09\n.*did you mean C0"),
        ({"given": "C09"}, r"claim C01: given: there is no claim C09"),
        ({"restates": "C02"}, r"claim C01: restates: C02 itself restates C03\n.*name C03"),
        ({"restates": "C04"}, r"claim C01: restates: C04 has no statement"),
    ],
)
def test_a_claim_that_another_claim_names_has_to_exist(changes, message):
    others = [STATEMENT | {"id": "C02", "restates": "C03"}, STATEMENT | {"id": "C03"}, claim("C04")]
    with pytest.raises(InputError, match=message):
        board(STATEMENT | changes, *others, tables=STATED)
    board(STATEMENT | {"restates": "K09"}, tables=STATED)  # a claim of a paper that is not in this edition


@pytest.mark.parametrize(("others", "end"), [((), " real text is also true"), (("C02",), ", 2 are also true")])
def test_a_finding_that_random_weights_share_is_not_said_to_be_just_as_true(others, end):
    """Random weights meet the threshold, by less or by more than the encoder: the verdict does not say which."""
    found = board(STATEMENT, *(STATEMENT | {"id": number} for number in others), tables=STATED | control(0.7))
    assert summary(found)[-1].endswith(f"{end} of random weights.")
    assert "just as" not in " ".join([*summary(found), as_page(found, "mine")])


def test_each_work_of_a_paper_has_its_own_heading_and_counts():
    """The same holds if the second work restates nothing of the first."""
    later = STATEMENT | {"id": "C02", "work": "Clark et al. 2021"}
    found = board(STATEMENT, later, claim("C03"), tables=STATED)
    assert [(work, row.sum()) for (_, work, _), row in counts(found).iterrows()] == [
        ("Clark et al. 2019", 1),
        ("Clark et al. 2021", 1),
    ]
    assert re.findall(r"^## (.*)", as_page(found, "mine"), flags=re.M) == ["Clark et al. 2019", "Clark et al. 2021"]


def test_verdicts_are_corrected_for_the_number_of_judged_facts():
    """A p-value of .03 among forty facts can well be luck."""
    table = pd.DataFrame({"layer": range(1, 41), "head": 1, "attention": [0.9, 0.9, *[0.5112] * 38], "n": 9})
    claims = [
        STATEMENT | {"id": f"C{layer}", "measured": QUERY | {"where": {"layer": layer}}, "control": "in the statement"}
        for layer in range(1, 41)
    ]
    few = board(*claims[:4], tables={"clark_positions": within(table, attention=0.01)})
    assert few["finding"].tolist() == ["confirmed"] * 4
    noise = table.assign(attention=table["attention"] - 0.011 * (table["layer"] > 4))
    found = board(*claims, tables={"clark_positions": within(noise, attention=0.01)})
    assert found["finding"].tolist()[:4] == ["confirmed", "confirmed", "inconclusive", "inconclusive"]
    assert found["reason"][2] == "p = 0.03 is above 0.0025, the limit for so many facts"
    assert found["condition"][2] == "met"


def test_every_model_has_a_row():
    rows = board(STATEMENT, edition={"models": [BERT, MINI]}, tables=STATED)
    assert rows[["model", "verdict"]].to_numpy().tolist() == [["bert", "reproduced"], ["mini", "not comparable"]]
    of_two = "Of 2 findings that can be tested on these 2 models and real text, 2 hold but no control applies."
    assert summary(rows)[-1] == of_two
    query = {"table": "kobayashi_alignment_summary", "where": {"method": "norm"}, "column": "value"}
    rows = board(claim("K18", measured=query, needs={"translation_model": "fairseq"}))
    assert rows[["model", "replicated"]].to_numpy().tolist() == [["opus", 0.5], ["mbart", 0.6]]
    assert set(rows["verdict"]) == {"not comparable"}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"measured": {"table": "kovaleva_change", "where": {"task": "qqp"}, "column": "cosine"}}, "has no qqp"),
        ({"heads_of_model": True}, "the statement names heads of google-bert/bert-base-uncased"),
        ({"measured": None, "absent": "There is no code."}, "There is no code."),
        ({"measured": BROAD | {"where": {"attention": {"above": 0.9}}}}, "no rows with attention above 0.9"),
    ],
)
def test_the_reason_says_why_a_claim_is_not_measured(changes, reason):
    row = judged(claim(**changes), edition=ON_MINI)
    assert row["verdict"] == "not measured"
    assert reason in row["reason"]


@pytest.mark.parametrize(
    ("query", "message", "is_input_error"),
    [
        (QUERY | {"table": "clark_position"}, r"there is no table clark_position\n.*clark_positions", True),
        (QUERY | {"column": "atention"}, r"clark_positions has no column atention", True),
        ({"table": "clark_positions", "column": "n"}, r"2 rows of clark_positions match", True),
        (QUERY | {"where": {"layer": 9}}, r"clark_positions has no rows with layer: 9", False),
        ({"table": "clark_entropy", "column": "entropy"}, r"the edition does not make clark_entropy", False),
        (QUERY | {"where": {"layer": 1}}, r"a cell of clark_positions.attention is empty", False),
    ],
)
def test_a_claim_without_a_single_cell_is_an_error_if_numbers_can_be_compared(query, message, is_input_error):
    tables = {"clark_positions": POSITIONS.assign(attention=[float("nan"), 0.6])}
    with pytest.raises(InputError, match=f"claim C01: {message}"):
        board(claim(measured=query), tables=tables)
    if is_input_error:
        with pytest.raises(InputError, match=f"claim C01: {message}"):
            board(claim(measured=query), tables=tables, edition=ON_MINI)
    else:
        row = judged(claim(measured=query), tables=tables, edition=ON_MINI)
        assert (row["verdict"], message in row["reason"]) == ("not measured", True)


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


def test_page_and_summary_are_the_same_before_and_after_writing(tmp_path):
    other = claim("C03", holds={"above": 0.5}, needs={"corpora": ["treebank"]})
    assert number_text(0.030150000001) == number_text(0.03015)  # as written in the CSV file
    assert number_text(-1.1e-16) == "0"  # rounding noise
    made = board(claim(), claim("C02", value=0.1, margin=0), other, tables=STATED)
    assert summary(made) == [
        "Of 2 published numbers that can be compared, 1 is reproduced, 1 is not reproduced.",
        "The one finding that can be tested on this encoder and real text holds but no control applies.",
    ]
    write_table(made, tmp_path / "scoreboard.csv")
    read = read_table(tmp_path / "scoreboard.csv")
    page = as_page(made, "mine")
    assert as_page(read, "mine") == page
    assert all(line in page for line in summary(read))
    assert "| C03 | section 3 | It \\| is. | 0.6 | 0.6 (0.6–0.6) | — | — | true, no control applies; not" in page
