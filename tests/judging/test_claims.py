"""The claims of all papers are complete, and mistakes in a claim are named."""

import numpy as np
import pandas as pd
import pytest
import yaml

from bert_attention.errors import InputError
from bert_attention.judging.claims import Margin, Paper, above, check_references
from bert_attention.judging.verdicts import differences
from bert_attention.papers import paper
from bert_attention.results import results
from tests.conftest import ROOT

PAPERS = [*results().papers]
CLAIMS = [claim for name in PAPERS for claim in paper(name).claims]
POINTS = Margin(0.1, "ten points")


@pytest.fixture
def written(tmp_path):
    """A paper with a published table and a published curve."""
    (tmp_path / "published").mkdir()
    (tmp_path / "published" / "table_1.csv").write_text("# Table 1\na,b\n1,2\n3,\n")
    (tmp_path / "published" / "figure_2_positions.csv").write_text("series,layer,value\na,1,.5\na,2,.25\nb,1,1\n")
    return Paper(str(tmp_path / "claims.py"), "Clark et al. 2019", "bert", 12, {"bert": ["a" * 64]})


def attention(t):
    """A head attends
    to itself.
    """
    return t.clark_positions(target="self", layer=1, head=1).attention.item()


@pytest.mark.parametrize("name", PAPERS)
def test_the_claims_of_a_paper_have_labels_of_their_own_and_models_with_known_names(name):
    labels = [claim.label for claim in paper(name).claims]  # figure and paper print the label alone
    assert len({*labels}) == len(labels)
    assert {claim.model for claim in paper(name).claims if claim.model} <= paper(name).weights.keys()


def test_claims_of_several_works_name_their_own():
    works = {name: list(dict.fromkeys(claim.work for claim in paper(name).claims)) for name in PAPERS}
    assert works["kobayashi"] == ["Kobayashi et al. 2020", "Kobayashi et al. 2021"]
    assert works["vig"] == ["Vig 2018", "Vig 2019b"]


def test_restated_claims_exist_and_names_are_unique():
    check_references(map(paper, PAPERS))
    assert len({claim.name for claim in CLAIMS}) == len(CLAIMS) == 451
    assert all(claim.true_if for claim in CLAIMS if claim.restates or claim.premise)


@pytest.mark.parametrize(("name", "numbers"), [("clark", 27), ("kobayashi", 38)])
def test_the_open_edition_can_compare_published_numbers_on_a_laptop_too(name, numbers):
    """Claims on running text alone: neither the Penn Treebank nor CoNLL-2012 is open."""
    opened, laptop = (yaml.safe_load((ROOT / "editions" / f"{name}.yaml").read_text()) for name in ("open", "laptop"))
    edition = opened | {name: laptop[name] for name in ("models", "papers_corpora") if name in laptop}
    (model,) = edition["models"]
    claims = [claim for claim in paper(name).claims if claim.published is not None and claim.measure]
    assert sum(not differences(claim, model, edition["papers_corpora"]) for claim in claims) == numbers


def test_a_function_becomes_a_claim_with_its_name_and_docstring(written):
    written.claim("a head", at="section 3", published=0.5, margin=POINTS, unit="%")(attention)
    (claim,) = written.claims
    assert (claim.name, claim.statement) == ("attention", "A head attends to itself.")
    assert (claim.work, claim.model, claim.depth) == ("Clark et al. 2019", "bert", 12)
    assert (claim.limits, claim.weights) == ((0, 1), ["a" * 64])
    assert claim.numbers.to_dict() == {"value": 0.5}


def test_prose_asks_a_claim_for_its_number(written):
    written.claim("a head", at="section 3", published=0.5, margin=POINTS)(attention)
    written.not_measured("other", "another head", "It is so.", at="section 4", absent="it has no number")
    assert written.number("attention") is attention
    with pytest.raises(KeyError, match="other"):
        written.number("other")


def test_published_tables_and_curves_are_read(written):
    rows = written.published("table_1")
    assert rows["a"].tolist() == [1, 3]
    assert rows["b"].isna().tolist() == [False, True]
    curve = written.curve("figure_2_positions", "a")
    assert curve.to_dict() == {1: 0.5, 2: 0.25}
    written.claim("a curve", at="figure 2", published=curve, margin=POINTS)(attention)
    written.claim("a cell", at="table 1", name="cell", published=rows["a"][0], margin=POINTS)(attention)
    assert written.claims[0].numbers.index.names == ["layer"]
    assert isinstance(written.claims[1].published, int)
    assert not isinstance(written.claims[1].published, np.generic)


def test_the_order_of_restated_claims_does_not_matter(written):
    written.claim("one", at="1", name="one", true_if=above(0), restates="two")(attention)
    written.claim("two", at="1", name="two", true_if=above(0), premise="kovaleva.three")(attention)
    check_references([written])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"label": ""}, "its label has 0 characters; expected: 1 to 90"),
        ({"label": "x" * 91}, "its label has 91 characters"),
        ({"provenance": "heard"}, "its provenance is 'heard'; expected: one of read in the paper"),
        ({"needs": ["running text"]}, "it needs running text; expected: some of wikipedia"),
        ({"margin": None}, "has published numbers without a margin"),
        ({"published": None}, "has neither a published number nor a condition"),
        ({"absent": "no code"}, "needs either a function or the reason why it is not measured"),
    ],
)
def test_a_mistake_in_a_claim_is_named(written, changes, message):
    about = {"label": "a head", "at": "section 3", "published": 0.5, "margin": POINTS, **changes}
    with pytest.raises(InputError, match=rf"claims.py, attention: {message}"):
        written.claim(about.pop("label"), **about)(attention)
    with pytest.raises(InputError, match="has no statement"):
        written.claim("a head", at="section 3", published=0.5, margin=POINTS, name="unsaid")(lambda t: pd.NA)
