"""Names of models and corpora in the paper."""

import re

import pytest

from bert_attention.paper import sources
from bert_attention.paper.sources import (
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
        ("https://github.com/amir-zeldes/gum/archive/a.zip!gum-a/coref", "amir-zeldes/gum"),
        ("https://example.org/texts/a.txt", "example.org"),
        ("path:/data/enwiki.xml.bz2", "enwiki.xml.bz2"),
        ("gensim:glove-wiki-gigaword-100", "glove-wiki-gigaword-100"),
    ],
)
def test_a_source_in_a_word(source, short):
    assert short_origin(source) == short


@pytest.mark.parametrize(
    ("name", "described"),
    [
        ("wikipedia", "running text (gensim)"),
        ("treebank", "treebank (running text parsed by spaCy, silver)"),
        ("coreference", "stand-in: coreference (repeated names in running text)"),
        ("alignment", "stand-in: word alignment (English sentences in an invented language)"),
    ],
)
def test_a_corpus_in_few_words(of_kinds, name, described):
    assert described_corpus(of_kinds, name) == described


def test_tasks_go_by_their_sources(of_kinds):
    described = described_corpus(of_kinds, "tasks")
    assert described.startswith("tasks (SST-2, ")
    assert ": vaderSentiment; " in described
    assert described.endswith(": built from running text)")


def test_gold_trees_are_neither_silver_nor_a_stand_in(of_kinds):
    gold = {"trees": "gold", "train": source("path:a.conllu"), "dev": source("path:b.conllu")}
    corpora = of_kinds["corpora"] | {"treebank": of_kinds["corpora"]["treebank"] | gold}
    edition = of_kinds | {"corpora": corpora}
    assert described_corpus(edition, "treebank") == "treebank (train: a.conllu; dev: b.conllu)"
    assert "treebank" not in silver(edition) + stand_ins(edition)
    assert "treebank, parser of running text" not in [origin.serves for origin in origins(edition)]


def test_a_task_that_is_left_out_has_no_source(of_kinds):
    tasks = [origin.serves for origin in origins(of_kinds) if origin.serves.startswith("tasks")]
    assert tasks[0] == "tasks, SST-2"
    assert len(tasks) == 3


def test_all_sources_of_an_edition_with_what_describes_them(of_kinds):
    found = {origin.serves: origin for origin in origins(of_kinds)}
    assert found["encoder all-MiniLM-L6-v2"].cited == ("reimers2019sentence", "wang2020minilm")
    assert found["encoder all-MiniLM-L6-v2"].sha256.startswith("53aa5117")
    assert found["treebank, parser of running text"].cited == ("honnibal2020spacy",)
    assert found["coreference (stand-in)"].cited == ("kocijan2019wikicrem",)
    assert found["word alignment, links (stand-in)"].cited == ("gulordava2018colorless",)
    assert found["word alignment, links (stand-in)"].sha256 is None
    assert found["tasks, SST-2"].cited == ("hutto2014vader", "pang2005seeing")
    assert found["parser"].source == "trained:treebank"
    assert any(serves.startswith("translation model invented-en") and "(stand-in)" in serves for serves in found)


def test_silver_and_stand_ins_are_told_apart(of_kinds):
    assert silver(of_kinds) == ["treebank", "tags and relations of words in tasks"]
    assert stand_ins(of_kinds) == ["coreference", "frames", "word alignment"]
    assert [CORPORA[name] for name in STAND_INS] == stand_ins(of_kinds)


def test_corpora_are_those_of_the_papers_that_are_replicated(of_kinds):
    assert list(corpora_of(of_kinds)) == list(CORPORA)
    some = {**of_kinds, "papers": ["coenen"]}
    assert list(corpora_of(some)) == ["treebank"]
    assert (silver(some), stand_ins(some)) == (["treebank"], [])
    assert [origin.serves for origin in origins(some)][1:] == ["treebank, parser of running text"]


def test_what_is_cited_is_in_the_references():
    report = ROOT / "workflow" / "report"
    entries = set(re.findall(r"^@\w+\{(\w+),", (report / "references.bib").read_text(encoding="utf-8"), flags=re.M))
    in_text = set(re.findall(r"(?:@|cite\(<)([a-z]+\d{4}\w+)", (report / "paper.typ").read_text(encoding="utf-8")))
    by_sources = {key for _, keys in sources._DESCRIBED_IN for key in keys}
    assert in_text | by_sources == entries
