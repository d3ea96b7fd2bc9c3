"""Names of models and corpora in the paper."""

import re

import pytest

from bert_attention.paper import sources
from bert_attention.results import PAPERS
from tests.conftest import ROOT
from tests.paper.kinds_of_corpora import VADER, source, with_every_kind


@pytest.fixture
def mixed(edition):
    return with_every_kind(edition)


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
    assert sources.short_origin(source) == short


@pytest.mark.parametrize(
    ("name", "described"),
    [
        ("wikipedia", r"running text \(gensim\)"),
        ("treebank", r"treebank \(running text parsed by spaCy, silver\)"),
        ("coreference", r"stand-in: coreference \(repeated names in running text\)"),
        ("tasks", r"tasks \(SST-2, .*: vaderSentiment; .*: built from running text\)"),
    ],
)
def test_a_corpus_in_a_few_words(mixed, name, described):
    assert re.fullmatch(described, sources.described_corpus(mixed, name))


@pytest.mark.parametrize(
    ("corpora", "note"),
    [
        (["treebank", "coreference"], "stand-in: coreference (repeated names in running text)"),
        (["frames"], "stand-in: frames (verbs and their core arguments in parses of running text)"),
        (["wikipedia", "tasks"], ""),
        ([], ""),
    ],
)
def test_the_foot_of_a_figure_names_its_stand_ins(mixed, corpora, note):
    assert sources.note_on_stand_ins(mixed, corpora) == note


def test_gold_trees_are_neither_silver_nor_a_stand_in(mixed):
    gold = {"trees": "gold", "train": source("path:a.conllu"), "dev": source("path:b.conllu")}
    edition = mixed | {"corpora": mixed["corpora"] | {"treebank": mixed["corpora"]["treebank"] | gold}}
    assert sources.described_corpus(edition, "treebank") == "treebank (train: a.conllu; dev: b.conllu)"
    assert "treebank" not in sources.silver(edition) + sources.stand_ins(edition)
    assert "treebank, parser of running text" not in [origin.serves for origin in sources.origins(edition)]


def test_all_sources_of_an_edition_with_their_references(mixed):
    found = {origin.serves: origin for origin in sources.origins(mixed)}
    assert found["encoder all-MiniLM-L6-v2"].cited == ("reimers2019sentence", "wang2020minilm")
    assert found["encoder all-MiniLM-L6-v2"].sha256.startswith("53aa5117")
    assert found["treebank, parser of running text"].cited == ("honnibal2020spacy",)
    assert found["word alignment, links (stand-in)"].cited == ("gulordava2018colorless",)
    assert found["word alignment, links (stand-in)"].sha256 is None
    assert found["tasks, SST-2"].cited == ("hutto2014vader", "pang2005seeing")
    assert len([serves for serves in found if serves.startswith("tasks")]) == 3  # the task without a source is left out
    assert found["parser"].source == "trained:treebank"
    assert any(serves.startswith("translation model invented-en") and "(stand-in)" in serves for serves in found)


def test_silver_and_stand_ins_among_the_corpora_of_the_papers(mixed):
    assert sources.silver(mixed) == ["treebank", "tags and relations of words in tasks"]
    assert sources.stand_ins(mixed) == [sources.CORPORA[name] for name in sources.STAND_INS]
    assert list(sources.corpora_of(mixed)) == list(sources.CORPORA)
    some = {**mixed, "papers": ["coenen"]}
    assert list(sources.corpora_of(some)) == ["treebank"]
    assert (sources.silver(some), sources.stand_ins(some)) == (["treebank"], [])
    assert [origin.serves for origin in sources.origins(some)][1:] == ["treebank, parser of running text"]


ALIKE = "The running text is no random sample of an encyclopedia: 95 of its 102 articles have titles that begin with A."


def test_limits_say_what_verdicts_leave_out(edition, mixed):
    """The default edition makes trees and pairs from its running text."""
    alike, shared, rate = sources.limits(edition)
    assert alike == ALIKE
    assert shared.startswith(
        "Running text, trees and the sentence pairs of next-sentence prediction come from the same"
    )
    assert rate.endswith("leaves out the errors of the parser, the choice of thresholds and the choice of articles.")
    corpora = mixed["corpora"] | {"treebank": mixed["corpora"]["treebank"] | {"trees": "gold"}, "tasks": {}}
    corpora |= {"wikipedia": corpora["wikipedia"] | {"source": "path:/my/texts"}}
    assert sources.limits(mixed | {"corpora": corpora, "papers": ["vig"]}) == [
        "The rate of false verdicts leaves out the choice of thresholds and the choice of articles."
    ]


def test_the_references_have_every_cited_key_and_no_other():
    folders = [ROOT / "workflow" / "report", *PAPERS.iterdir()]
    bibliography, text = (
        "".join(file.read_text(encoding="utf-8") for folder in folders for file in folder.glob(pattern))
        for pattern in ("*.bib", "*.typ")
    )
    entries = set(re.findall(r"^@\w+\{(\w+),", bibliography, flags=re.M))
    in_text = set(re.findall(r"(?:@|cite\(<)([a-z]+\d{4}\w+)", text))
    by_sources = {key for _, keys in sources._REFERENCES for key in keys}
    assert in_text | by_sources == entries
