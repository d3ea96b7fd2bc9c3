"""Names of models and corpora in the paper."""

import re

import pytest

from bert_attention.paper.sources import (
    _DESCRIBED_IN,
    CORPORA,
    STAND_INS,
    corpora_of,
    described_corpus,
    origins,
    short_origin,
    silver,
    stand_ins,
)
from tests.conftest import ROOT
from tests.paper.kinds_of_corpora import VADER, of_every_kind, source


@pytest.fixture
def of_kinds(edition):
    return of_every_kind(edition)


@pytest.mark.parametrize(
    ("source", "short"),
    [
        ("package:gensim/gensim/test/test_data/pang_lee_polarity.cor", "gensim"),
        (f"{VADER}!tweets_GroundTruth.txt", "vaderSentiment"),
        ("built:wikipedia", "built from running text"),
        ("trained:wikipedia", "trained here"),
        ("hub:datasets/nyu-mll/glue@abc/mrpc", "nyu-mll/glue"),
        ("https://raw.githubusercontent.com/a-treebank/English/r2.15/dev.conllu", "a-treebank/English"),
        ("https://example.org/texts/a.txt", "example.org"),
        ("path:/data/enwiki.xml.bz2", "enwiki.xml.bz2"),
        ("gensim:glove-wiki-gigaword-100", "glove-wiki-gigaword-100"),
    ],
)
def test_the_short_name_of_a_source(source, short):
    assert short_origin(source) == short


@pytest.mark.parametrize(
    ("name", "described"),
    [
        ("wikipedia", r"running text \(gensim\)"),
        ("treebank", r"treebank \(running text parsed by spaCy, silver\)"),
        ("coreference", r"stand-in: coreference \(repeated names in running text\)"),
        ("tasks", r"tasks \(SST-2, .*: vaderSentiment; .*: built from running text\)"),
    ],
)
def test_a_corpus_in_a_few_words(of_kinds, name, described):
    assert re.fullmatch(described, described_corpus(of_kinds, name))


def test_gold_trees_are_neither_silver_nor_a_stand_in(of_kinds):
    gold = {"trees": "gold", "train": source("path:a.conllu"), "dev": source("path:b.conllu")}
    edition = of_kinds | {"corpora": of_kinds["corpora"] | {"treebank": of_kinds["corpora"]["treebank"] | gold}}
    assert described_corpus(edition, "treebank") == "treebank (train: a.conllu; dev: b.conllu)"
    assert "treebank" not in silver(edition) + stand_ins(edition)
    assert "treebank, parser of running text" not in [origin.serves for origin in origins(edition)]


def test_all_sources_of_an_edition_with_their_references(of_kinds):
    found = {origin.serves: origin for origin in origins(of_kinds)}
    assert found["encoder all-MiniLM-L6-v2"].cited == ("reimers2019sentence", "wang2020minilm")
    assert found["encoder all-MiniLM-L6-v2"].sha256.startswith("53aa5117")
    assert found["treebank, parser of running text"].cited == ("honnibal2020spacy",)
    assert found["word alignment, links (stand-in)"].cited == ("gulordava2018colorless",)
    assert found["word alignment, links (stand-in)"].sha256 is None
    assert found["tasks, SST-2"].cited == ("hutto2014vader", "pang2005seeing")
    assert len([serves for serves in found if serves.startswith("tasks")]) == 3  # the task without a source is left out
    assert found["parser"].source == "trained:treebank"
    assert any(serves.startswith("translation model invented-en") and "(stand-in)" in serves for serves in found)


def test_silver_and_stand_ins_among_the_corpora_of_the_papers(of_kinds):
    assert silver(of_kinds) == ["treebank", "tags and relations of words in tasks"]
    assert stand_ins(of_kinds) == ["coreference", "frames", "word alignment"] == [CORPORA[name] for name in STAND_INS]
    assert list(corpora_of(of_kinds)) == list(CORPORA)
    some = {**of_kinds, "papers": ["coenen"]}
    assert list(corpora_of(some)) == ["treebank"]
    assert (silver(some), stand_ins(some)) == (["treebank"], [])
    assert [origin.serves for origin in origins(some)][1:] == ["treebank, parser of running text"]


def test_the_references_have_every_cited_key_and_no_other():
    report = ROOT / "workflow" / "report"
    entries = set(re.findall(r"^@\w+\{(\w+),", (report / "references.bib").read_text(encoding="utf-8"), flags=re.M))
    in_text = set(re.findall(r"(?:@|cite\(<)([a-z]+\d{4}\w+)", (report / "paper.typ").read_text(encoding="utf-8")))
    by_sources = {key for _, keys in _DESCRIBED_IN for key in keys}
    assert in_text | by_sources == entries
