"""Shortages of a short text are named at once, before the first job."""

import copy

import pytest

from bert_attention.errors import InputError
from bert_attention.running import short_texts
from bert_attention.running.edition import Edition
from bert_attention.running.preflight import check_sources, warnings
from tests.conftest import ROOT

MODEL = "all-MiniLM-L6-v2"
USES = {("segments", MODEL), ("trees", ""), ("nsp", "")}
SENTENCES = ("The old ferry crosses the river twice a day.", "In winter, the ice keeps it in the harbor for weeks.")


@pytest.fixture
def edition_of(edition, tmp_path):
    """A function that returns the embedded edition with a text of some paragraphs, each of two sentences."""

    def of_text(paragraphs, **wikipedia):
        text = tmp_path / "text.txt"
        text.write_text("\n\n".join(" ".join(SENTENCES) for _ in range(paragraphs)), encoding="utf-8")
        config = copy.deepcopy(edition) | {"edition": "mine"}
        config["corpora"]["wikipedia"] |= {"source": f"path:{text}", **wikipedia}
        return Edition(config, ROOT)

    return of_text


def problems(edition, uses):
    with pytest.raises(InputError) as caught:
        check_sources(edition, [], uses)
    return str(caught.value)


@pytest.mark.parametrize(
    ("paragraphs", "uses", "named"),
    [
        (8, USES, ["segments for all-MiniLM-L6-v2: the text yields 2 segments", "treebank: one", "task nsp: 1"]),
        (130, USES, ["task nsp: 4 articles yield too few sentence pairs"]),
        (8, {("trees", "")}, ["treebank: one article is held out, and no other"]),
    ],
)  # fmt: skip
def test_all_shortages_are_named(edition_of, paragraphs, uses, named):
    found = problems(edition_of(paragraphs), uses)
    assert found.startswith("edition mine: this machine lacks\n  - corpora.wikipedia (path:")
    assert found.count("\n  - ") == len(named)
    assert all(problem in found for problem in named)
    assert found.count("forty paragraphs count as an article") == sum("segments" not in problem for problem in named)


@pytest.mark.parametrize(
    ("paragraphs", "uses", "named"),
    [
        (8, {("segments", MODEL)}, ["the text has 1 articles, too few for intervals, which need 8"]),
        (130, {("trees", "")}, ["the text has 4 articles, too few for intervals, which need 8"]),
        (290, USES, ["segments will be analyzed", "too few for intervals of results on trees or on next-sentence"]),
        (1401, {("nsp", "")}, []),
    ],
)
def test_what_a_short_text_does_not_give_is_a_warning(edition_of, paragraphs, uses, named):
    found = list(warnings(edition_of(paragraphs), [], uses))
    assert len(found) == len(named)
    assert all(warning in line for warning, line in zip(named, found, strict=True))


def test_a_text_that_cannot_be_read_is_named(edition_of):
    mine = edition_of(8, format="mediawiki")
    assert "text.txt): looks like plain, not like mediawiki; give plain text" in problems(mine, USES)
    assert not list(warnings(mine, [], USES))


@pytest.mark.parametrize("limit", ["_LONGEST_READ", "no uses"])
def test_long_and_unused_texts_are_not_read(edition_of, monkeypatch, limit):
    mine, uses = edition_of(8), USES
    if limit == "no uses":
        uses = set()
    else:
        monkeypatch.setattr(short_texts, limit, 100)
    monkeypatch.setattr(short_texts, "read_running_text", lambda *_: pytest.fail("the text is read"))
    check_sources(mine, [], uses)
    assert not list(warnings(mine, [], uses))
