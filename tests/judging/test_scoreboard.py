"""The scoreboard: a row for each claim and model, a page, and a summary."""

import re
from dataclasses import replace
from functools import partial

import pandas as pd
import pytest

from bert_attention.errors import InputError
from bert_attention.judging.claims import Claim, Margin, Paper
from bert_attention.judging.scoreboard import FEWEST_HEADS, find_tables, scoreboard
from bert_attention.judging.words import as_page, counts, number_text, published_outside, summary, verdict_text
from bert_attention.statistics.jackknife import Replicates
from bert_attention.statistics.tables import write_table
from bert_attention.tables import read_table
from tests.judging.claim_tables import without_noise
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
PAPER = Paper("clark/claims.py", "Clark et al. 2019", HUB, 2, {HUB: ["a" * 64]})


def cell(t, layer=2):
    return t.clark_positions(layer=layer).attention.mean()


def broad(t, limit=0.5):
    rows = t.clark_positions()
    return t.only(rows, rows.attention > limit).attention.mean()


def claim(name="C01", **changes):
    about = {
        "published": 0.6,
        "margin": Margin(0.05, "a reason"),
        "work": PAPER.work,
        "model": HUB,
        "depth": 2,
        **changes,
    }
    return Claim(name, "a | b", "It | is.", "section 3", about.pop("measure", cell), PAPER, **about)


STATEMENT = claim(true_if={"above": 0.5})


def board(*claims, edition=None, tables=TABLES):
    paper = replace(PAPER, claims=list(claims))
    tables = {name: table if isinstance(table, Replicates) else Replicates(table) for name, table in tables.items()}
    return scoreboard({"clark": paper}, lambda model, name: tables.get(name), EDITION | (edition or {}))


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
    ("measure", "seeds", "expected"),
    [
        (cell, (0.2,), ("not met", "confirmed", TEXTS_ALONE)),
        (cell, (0.7,), ("met", "not specific to training", TEXTS_ALONE)),
        (cell, (), ("", "true, no control applies", "")),
        (cell, (0.2, 0.3, 0.55), ("inconclusive", "inconclusive", "")),  # the seeds differ too much
        # A single random encoder of several is no control.
        (broad, (0.1, 0.1), ("not applicable", "true, no control applies", f"0 of 2 {SUCH_HEADS}")),
        (broad, (0.55, 0.1, 0.1), ("not applicable", "true, no control applies", f"1 of 3 {SUCH_HEADS}")),
        (broad, (0.52, 0.53, 0.1), ("inconclusive", "confirmed", f"2 of 3 {SUCH_HEADS}")),
        (broad, (0.55,), ("met", "confirmed", TEXTS_ALONE)),
    ],
)
def test_a_statement_is_judged_on_each_random_encoder_too(measure, seeds, expected):
    heads = [1] if measure is cell else [*range(1, FEWEST_HEADS + 1)]
    ours = {"clark_positions": without_noise(pd.concat([POSITIONS.assign(head=head) for head in heads]))}
    row = judged(replace(STATEMENT, measure=measure), tables=ours | (control(*seeds) if seeds else {}))
    assert (row["control"], row["finding"], row["reason"]) == expected
    if measure is cell and seeds:
        mean = sum(seeds) / len(seeds)
        assert (row["control_value"], row["gain"]) == pytest.approx((mean, 0.6 - mean))


@pytest.mark.parametrize(
    ("seeds", "verdict", "statement"),
    [
        ((0.6, 0.61, 0.59), "also reproduced by random weights", {}),
        ((0.6, 0.61, 0.59), "also reproduced by random weights", {"true_if": {"above": 0.5}}),
        ((0.2, 0.21, 0.19), "reproduced", {}),
        ((0.2, 0.6, 0.9), "reproduced", {}),  # the seeds differ too much
        ((), "reproduced", {}),
    ],
)
def test_a_number_of_random_weights_is_said_to_be_theirs_too(seeds, verdict, statement):
    tables = STATED | (control(*seeds) if seeds else {})
    assert judged(claim(**statement), tables=tables)["verdict"] == verdict
    assert judged(claim(model=None, **statement), tables=tables)["verdict"] == "reproduced"  # any encoder has it


@pytest.mark.parametrize(
    ("seeds", "expected"), [((0.7, 0.71, 0.69), "true, no control applies"), ((0.2, 0.21, 0.19), "confirmed")]
)
def test_a_statement_that_something_hardly_happens_is_never_unspecific(seeds, expected):
    tables = STATED | control(*seeds)
    assert judged(STATEMENT, tables=tables)["finding"] in ("not specific to training", "confirmed")
    row = judged(replace(STATEMENT, says_absence=True), tables=tables)
    assert row["finding"] == expected
    assert row["reason"] == ("" if expected == "confirmed" else "something hardly happens, as in random weights")


@pytest.mark.parametrize(
    ("published", "text"),
    [
        (0.9, "the interval excludes the published 0.9"),
        ((0.7, 0.8), "the interval excludes the published 0.7–0.8"),
        (0.61, ""),
        ((0.5, 1.0), ""),
    ],
)
def test_a_published_number_outside_the_interval_stands_beside_the_verdict(published, text):
    tables = {"clark_positions": within(POSITIONS, attention=0.02)}
    row = judged(replace(STATEMENT, published=published), tables=tables, edition=ON_MINI)
    assert published_outside(row) == text
    assert (text in verdict_text(row)) and ("excludes" in verdict_text(row)) == bool(text)


def test_the_control_can_be_other_rows_of_the_table_or_in_the_statement():
    weights = pd.DataFrame({"layer": 2, "weights": ["trained", "random"], "attention": [0.6, 0.2]})

    def of(t, kind="trained"):
        return t.clark_positions(weights=kind).attention.item()

    statement = replace(STATEMENT, measure=of, control=lambda t: of(t, "random"))
    row = judged(statement, tables={"clark_positions": without_noise(weights)})
    assert (row["control"], row["control_value"], row["finding"]) == ("not met", 0.2, "confirmed")
    row = judged(replace(STATEMENT, control="in the statement"), tables=STATED)
    assert (row["control"], row["finding"]) == ("in the statement", "confirmed")


def test_a_control_with_another_number_of_layers_says_so():
    random = pd.concat([POSITIONS.assign(seed=1), POSITIONS[:1].assign(seed=2)], ignore_index=True)

    def by_layer(t):
        return t.clark_positions().set_index("layer").attention

    statement = claim(published=None, margin=None, measure=by_layer, true_if={"above": 0.1})
    row = judged(statement, tables=STATED | {"control/clark_positions": without_noise(random)}, edition=ON_MINI)
    assert (row["control"], row["finding"]) == ("inconclusive", "inconclusive")
    assert "random encoders differ in how many numbers they have" in row["reason"]


def test_nothing_is_judged_on_a_stand_in():
    on_stand_in = replace(STATEMENT, name="C02", needs=["coreference"])
    stand_in = ON_MINI | {"corpora": CORPORA | {"coreference": {"source": "stand-in:coreference.conllu"}}}
    found = board(STATEMENT, on_stand_in, edition=stand_in, tables=STATED)
    row = found.set_index("id").loc["C02"]
    assert (row["verdict"], row["reason"]) == ("not measured", "measured on a stand-in")
    assert (row["text"], row["finding"], row["condition"]) == ("stand-in", "", "")
    assert verdict_text(row) == "not judged: measured on a stand-in"
    assert found["counted"].tolist() == [True, False]
    assert summary(found)[-1] == "1 statement is only measured on stand-ins, and gets no verdict."
    quoted = claim(measure=None, absent="quoted", needs=["coreference"])
    assert pd.isna(judged(quoted, edition=stand_in)["text"])


def test_labels_by_a_language_model_are_a_kind_of_their_own():
    on_labels = replace(STATEMENT, name="C02", needs=["labeled_maps"])
    edition = ON_MINI | {"pattern_annotation": {"labeled_by": "language_model"}}
    found = board(STATEMENT, on_labels, edition=edition, tables=STATED)
    assert found["text"].tolist() == ["real", "model-labeled"]
    expected = {("clark", "Clark et al. 2019", text): 1 for text in ("real", "model-labeled")}
    assert counts(found)["true, no control applies"].to_dict() == expected
    of_labels = (
        "The one finding that can be tested on this encoder and labels by a language model is true without a control"
    )
    assert summary(found)[-1].startswith(of_labels)
    people = board(STATEMENT, on_labels, edition=ON_MINI | {"pattern_annotation": {"labeled_by": "people"}})
    assert set(people["text"]) == {"real"}


def test_recalled_findings_are_marked_and_counted():
    recalled = replace(STATEMENT, name="C02", provenance="recalled")
    again = replace(recalled, name="C03", restates="C02")
    found = board(STATEMENT, recalled, again, tables=STATED | control(0.2), edition=ON_MINI)
    assert counts(found)["recalled"].to_dict() == {("clark", "Clark et al. 2019", "real"): 1}
    assert (
        summary(found)[-1]
        == "1 finding is cited from memory, not checked in the paper (\N{DAGGER}), 1 of them confirmed."
    )
    page = as_page(found, "mine")
    assert page.count("It \\| is (section 3).\N{DAGGER} |") == 2
    assert not any("recalled" in line for line in summary(board(STATEMENT, tables=STATED)))


def test_findings_that_nobody_is_sure_of_are_not_judged():
    unsure = replace(STATEMENT, name="C02", provenance="recalled", is_unsure=True)
    number = replace(unsure, name="C03", true_if={})
    found = board(STATEMENT, unsure, number, tables=STATED).set_index("id").loc["C02":]
    assert found["verdict"].tolist() == ["not measured"] * 2
    assert found["published"].tolist() == [0.6] * 2
    assert set(found["finding"]) == {""}
    assert [verdict_text(row) for _, row in found.iterrows()] == ["not judged: recalled, and not sure"] * 2


def test_each_kind_of_evidence_is_a_family_of_its_own():
    """Many doubtful facts on silver trees do not lower the limit for a fact on real text, and are counted apart."""
    doubtful = claim(true_if={"above": 0.59}, needs=["treebank"])
    on_trees = [replace(doubtful, name=f"C{n:02}") for n in range(2, 30)]
    tables = {"clark_positions": within(POSITIONS, attention=0.095)}
    found = board(STATEMENT, *on_trees, edition=ON_SILVER, tables=tables).set_index("id")
    counted = counts(found).loc[("clark", "Clark et al. 2019")]
    assert counted.loc["real", "true, no control applies"] == 1
    assert counted.loc["silver", "inconclusive"] == 28
    assert found.loc["C02", "level"] < found.loc["C01", "level"]


@pytest.mark.parametrize(
    ("relations", "trees", "measured"),
    [(["det", "conj"], "stanza", False), (["dobj", "det"], "spacy", True), (["conj"], "gold", True)],
)
def test_relations_are_judged_on_silver_trees_if_the_schemes_agree(relations, trees, measured):
    edition = ON_MINI | {"corpora": CORPORA | {"treebank": {"trees": trees}}}
    statement = replace(STATEMENT, needs=["treebank"], relations=relations)
    row = judged(statement, edition=edition, tables=STATED)
    assert (row["verdict"] != "not measured") == measured
    assert measured or row["reason"] == "the parser may define these relations in another way than the paper"


def test_a_fact_that_two_claims_state_is_counted_once():
    again = replace(STATEMENT, name="C00", restates="C01", true_if={"above": 0.55})
    found = board(again, STATEMENT, tables=STATED).set_index("id")
    assert found["finding"].tolist() == ["true, no control applies"] * 2
    assert found["counted"].to_dict() == {"C00": False, "C01": True}
    # If the first claim cannot be tested, the claim that restates it is counted.
    elsewhere = replace(STATEMENT, names_heads=True)
    assert board(again, elsewhere, tables=STATED, edition=ON_MINI)["counted"].tolist() == [True, False]


def test_a_statement_is_not_judged_without_its_premise():
    dependent = replace(STATEMENT, name="C02", premise="C01")
    lacking = replace(STATEMENT, true_if={"above": 0.9})
    again = replace(STATEMENT, name="C03", restates="C02")
    assert board(STATEMENT, dependent, tables=STATED)["finding"].tolist() == ["true, no control applies"] * 2
    found = board(lacking, dependent, again, tables=STATED).set_index("id")
    assert found.loc["C02", ["finding", "verdict"]].tolist() == ["", "reproduced"]
    assert found.loc["C02":, "reason"].tolist() == ["needs C01, which does not hold here"] * 2
    assert found.loc["C02", ["distance", "p", "control_p", "gain", "gain_low", "gain_p", "control_value"]].isna().all()
    unclear = {"clark_positions": within(POSITIONS, attention=0.15)}
    found = board(STATEMENT, replace(dependent, true_if={"above": 0.1}), tables=unclear).set_index("id").loc["C02"]
    assert (found["finding"], found["reason"]) == ("", "needs C01, which is inconclusive here")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"restates": "C09"}, r"C01: restates: there is no claim C09\n.*did you mean C0"),
        ({"premise": "C09"}, r"C01: premise: there is no claim C09"),
        ({"restates": "C02"}, r"C01: restates: C02 itself restates C03\n.*name that claim"),
        ({"restates": "C04"}, r"C01: restates: C04 has no statement"),
        ({"name": "C02"}, r"several claims are called C02"),
    ],
)
def test_a_claim_that_another_claim_names_has_to_exist(changes, message):
    others = [replace(STATEMENT, name="C02", restates="C03"), replace(STATEMENT, name="C03"), claim("C04")]
    with pytest.raises(InputError, match=message):
        board(replace(STATEMENT, **changes), *others, tables=STATED)
    board(replace(STATEMENT, restates="kovaleva.K09"), tables=STATED)  # of a paper that is not in this edition


@pytest.mark.parametrize(("others", "end"), [((), " real text is also true"), (("C02",), ", 2 are also true")])
def test_a_finding_that_random_weights_share_is_not_said_to_be_just_as_true(others, end):
    """Random weights meet the threshold, by less or by more than the encoder: the verdict does not say which."""
    found = board(STATEMENT, *(replace(STATEMENT, name=number) for number in others), tables=STATED | control(0.7))
    assert summary(found)[-1].endswith(f"{end} of random weights.")
    assert "just as" not in " ".join([*summary(found), as_page(found, "mine")])


def test_each_work_of_a_paper_has_its_own_heading_and_counts():
    """The same holds if the second work restates nothing of the first."""
    later = replace(STATEMENT, name="C02", work="Clark et al. 2021")
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
        replace(STATEMENT, name=f"C{layer}", measure=partial(cell, layer=layer), control="in the statement")
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
    of_two = "Of 2 findings that can be tested on these 2 models and real text, 2 are true without a control."
    of_both = "Of 1 finding that can be tested on both encoders, 1 is true of both"
    assert summary(rows)[-2] == of_two
    assert summary(rows)[-1].startswith(of_both)

    def error_rate(t):
        return t.kobayashi_alignment_summary(method="norm").value.item()

    rows = board(claim("K18", measure=error_rate, model="fairseq", per="translation_model"))
    assert rows[["model", "replicated"]].to_numpy().tolist() == [["opus", 0.5], ["mbart", 0.6]]
    assert set(rows["verdict"]) == {"not comparable"}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"tasks": ["qqp"]}, "has no qqp"),
        ({"names_heads": True}, "the statement names heads of google-bert/bert-base-uncased"),
        ({"measure": None, "absent": "There is no code."}, "There is no code."),
        ({"measure": partial(broad, limit=0.9)}, "no row is within the limit"),
        ({"measure": lambda t: t.clark_entropy().entropy.mean()}, "the edition does not make clark_entropy"),
        ({"measure": lambda t: t.clark_positions(layer=9).n.item()}, "clark_positions has no rows with layer: 9"),
    ],
)
def test_the_reason_says_why_a_claim_is_not_measured(changes, reason):
    row = judged(claim(**changes), edition=ON_MINI)
    assert row["verdict"] == "not measured"
    assert reason in row["reason"]


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (lambda t: t.clark_position().n.mean(), r"claims: there is no table clark_position\n.*clark_positions"),
        (lambda t: t.clark_positions(laeyr=2).n.mean(), r"clark_positions: has no column laeyr"),
    ],
)
def test_a_claim_that_names_what_no_table_has_is_an_error(measure, message):
    with pytest.raises(InputError, match=message):
        board(claim(measure=measure), tables={"clark_positions": POSITIONS})


@pytest.mark.parametrize(
    ("measure", "problem"),
    [
        (lambda t: t.clark_positions(layer=9).n.mean(), "clark_positions has no rows with layer: 9"),
        (lambda t: t.clark_entropy().entropy.mean(), "the edition does not make clark_entropy"),
        (partial(cell, layer=1), "a cell is empty or not a number"),
    ],
)
def test_no_claim_ends_a_run_because_it_finds_no_number(measure, problem):
    """An encoder can lack the rows that a claim asks for. The last lines of the run have the warning."""
    tables = {"clark_positions": POSITIONS.assign(attention=[float("nan"), 0.6])}
    with pytest.warns(UserWarning, match=f"claim C01 is not measured, although its numbers are comparable: {problem}"):
        found = board(claim(measure=measure), claim("C02"), tables=tables)
    assert found["verdict"].tolist()[0] == "not measured"
    assert problem in found["reason"][0]
    assert found["verdict"][1] != "not measured"


def test_a_reason_can_be_given_for_an_empty_cell():
    tables = {"clark_positions": POSITIONS.assign(attention=float("nan"))}
    row = judged(claim(if_empty="there are too few words"), tables=tables)
    assert (row["verdict"], row["reason"]) == ("not measured", "there are too few words")


def test_tables_are_found_by_model(tmp_path):
    for folder in ("bert/tables", "edition/tables"):
        (tmp_path / folder).mkdir(parents=True)
    write_table(within(POSITIONS.assign(rests=False), attention=0.01), tmp_path / "bert/tables/clark_positions.csv")
    counts = pd.DataFrame({"source": ["x"], "tokens": [5], "different_tokens": [3]})
    write_table(counts, tmp_path / "edition/tables/kobayashi_token_counts.csv")
    table = find_tables(tmp_path.rglob("*.csv"), tmp_path)
    assert (len(table("bert", "clark_positions").whole), len(table("bert", "clark_positions").left_out)) == (2, 20)
    assert table("mini", "clark_positions") is None
    assert table("mini", "kobayashi_token_counts").whole["tokens"].item() == 5


def test_page_and_summary_are_the_same_before_and_after_writing(tmp_path):
    other = claim("C03", true_if={"above": 0.5}, needs=["treebank"])
    assert number_text(0.030150000001) == number_text(0.03015)  # as written in the CSV file
    assert number_text(-1.1e-16) == "0"  # rounding noise
    made = board(claim(), claim("C02", published=0.1, margin=Margin(0, "a reason")), other, tables=STATED)
    assert summary(made) == [
        "Of 2 published numbers that can be compared, 1 is reproduced, 1 is not reproduced.",
        "The one finding that can be tested on this encoder and real text is true without a control.",
    ]
    write_table(made, tmp_path / "scoreboard.csv")
    read = read_table(tmp_path / "scoreboard.csv")
    page = as_page(made, "mine")
    assert as_page(read, "mine") == page
    assert all(line in page for line in summary(read))
    assert (
        "| C03 | It \\| is (section 3). | 0.6 | > 0.5 | 0.6 (0.6–0.6) | — | — | true, no control applies; not" in page
    )
