"""What models and corpora are called in the paper."""

import re

import pytest

from bert_attention.paper import sources
from bert_attention.paper.sources import CORPORA, corpora_of, described_corpus, generated, origins, short_origin
from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("source", "short"),
    [
        ("package:gensim/gensim/test/test_data/pang_lee_polarity.cor", "gensim"),
        ("miniature:tasks/rte", "generated miniature"),
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


def test_a_corpus_in_few_words(edition):
    assert described_corpus(edition, "treebank") == "treebank (generated miniature)"
    assert described_corpus(edition, "tasks") == "tasks (MNLI, QNLI, STS-B: generated miniature; SST-2: gensim)"


def test_a_task_that_is_left_out_has_no_source(edition):
    tasks = edition["corpora"]["tasks"] | {"qnli": None, "mnli": None, "stsb": None}
    smaller = edition | {"corpora": edition["corpora"] | {"tasks": tasks}}
    assert described_corpus(smaller, "tasks") == "tasks (SST-2: gensim)"
    assert [origin.serves for origin in origins(smaller) if origin.serves.startswith("tasks")] == ["tasks, SST-2"]


def test_all_sources_of_an_edition_with_what_describes_them(edition):
    found = {origin.serves: origin for origin in origins(edition)}
    assert found["encoder all-MiniLM-L6-v2"].cited == ("reimers2019sentence", "wang2020minilm")
    assert found["encoder all-MiniLM-L6-v2"].sha256.startswith("53aa5117")
    assert found["treebank, dev"].source == "miniature:dev.conllu"
    assert found["word alignment, links"].sha256 is None
    assert found["tasks, SST-2"].cited == ("pang2005seeing",)


def test_generated_corpora_are_those_of_the_miniature(edition):
    assert generated(edition) == ["treebank", "coreference", "tasks", "frames", "word alignment"]


def test_corpora_are_those_of_the_papers_that_are_replicated(edition):
    assert list(corpora_of(edition)) == list(CORPORA)
    some = {**edition, "papers": ["coenen"]}
    assert list(corpora_of(some)) == ["treebank"]
    assert generated(some) == ["treebank"]
    assert [origin.serves for origin in origins(some)][1:] == ["treebank, train", "treebank, dev"]


def test_what_is_cited_is_in_the_references():
    report = ROOT / "workflow" / "report"
    entries = set(re.findall(r"^@\w+\{(\w+),", (report / "references.bib").read_text(encoding="utf-8"), flags=re.M))
    in_text = set(re.findall(r"(?:@|cite\(<)([a-z]+\d{4}\w+)", (report / "paper.typ").read_text(encoding="utf-8")))
    by_sources = {key for _, keys in sources._DESCRIBED_IN for key in keys}
    assert in_text | by_sources == entries
