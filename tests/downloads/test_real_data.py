"""`make real-data` from a server on this machine with small versions of the sources of `editions/open.yaml`."""

import gzip
import json
import re

import numpy as np
import pyarrow as pa
import pytest
import yaml

from bert_attention.corpora.frame_selection import select_framed
from bert_attention.corpora.framenet import read_framenet
from bert_attention.corpora.frames import read_framed
from bert_attention.corpora.vectors import load_vectors
from bert_attention.downloads.sources import entries_with_sources, parse_source
from tests.conftest import ROOT
from tests.real_data import INPUTS, MOST_FREQUENT, PARTS, Sources, fetch_parts
from tests.rehearsal.corpora import framenet_archive, parquet, zipped
from tests.rehearsal.internet import RAW

LINES = ["", " = Title = \n", " Text . \n"]
TREE = b"1\tYes\tyes\tINTJ\t_\t_\t0\troot\t_\t_\n\n"
VECTORS = "".join(f"word{number} 0.5 1.0\n" for number in range(MOST_FREQUENT + 10))
FRAMED = {"text": "She would often mend things .", "target": "mend", "elements": ["She"]}


def rows(**columns):
    return parquet(pa.table(columns))


@pytest.fixture
def sources(internet, embedded_model, tmp_path):
    """The sources of `open.yaml` without digests, with small files at their addresses."""
    edition = yaml.safe_load((ROOT / "editions" / "open.yaml").read_text(encoding="utf-8"))
    repositories = {
        "google-bert/bert-base-uncased": {file.name: file.read_bytes() for file in embedded_model.glob("[!.]*")},
        "datasets/Salesforce/wikitext": {"wikitext-2-raw-v1/validation-00000-of-00001.parquet": rows(text=LINES)},
        "datasets/nyu-mll/glue": {
            f"{task}/train-00000-of-00001.parquet": rows(idx=[1]) for task in edition["corpora"]["tasks"]
        },
    }
    internet.add_gensim("glove-wiki-gigaword-100", gzip.compress(f"{MOST_FREQUENT + 10} 2\n{VECTORS}".encode()))
    (tmp_path / "frames.jsonl").write_text(json.dumps(FRAMED) + "\n")
    internet.add_nltk("framenet_v17", framenet_archive(tmp_path / "frames.jsonl"))
    for _, entry in entries_with_sources(edition):
        source = parse_source(entry["source"])
        entry["source"] = source.text
        address, _, member = source.text.partition("!")
        if source.scheme == "hub" and source.hub_parts[0] in repositories:
            internet.add_hub_repository(*source.hub_parts[:2], repositories[source.hub_parts[0]])
        elif address.endswith(".zip"):
            folder = member if "conllu" in member else member.rpartition("/")[0]
            names = ["a.conllu"] if "conllu" in member else ["test.de", "test.en", "de-en.wa"]
            internet.add(address, zipped({f"{folder}/{name}": name.encode() for name in names}))
        elif source.scheme == "https":
            internet.add(address, TREE)
            internet.add(address.replace("-dev.", "-test."), TREE)
    return Sources(edition, tmp_path / "downloads")


def test_every_part_is_where_the_tests_look_for_it(internet, sources, tmp_path):
    folder = tmp_path / "real"
    assert fetch_parts(folder, sources) == []
    files = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
    assert files >= {
        *(f"ud_english_ewt/en_ewt-ud-{part}.conllu" for part in ("train", "dev", "test")),
        *(f"glue/{task}/train-00000-of-00001.parquet" for task in ("mrpc", "rte", "stsb", "sst2", "qnli", "mnli")),
        *(f"word_alignment/{name}" for name in ("test.de", "test.en", "de-en.wa")),
        *("ontogum/a.conllu", "token_frequency/rank_count_ids.txt", "bert_base_uncased/model.safetensors"),
    }
    assert (folder / "wikitext2" / "valid.txt").read_text() == "\n = Title = \n Text . \n"
    assert load_vectors(next((folder / "glove").glob("*.txt"))).vectors.shape == (MOST_FREQUENT, 2)
    (framed,), _ = read_framed(folder / "framenet" / "kovaleva_473.jsonl")
    (selected,), _ = select_framed(read_framenet(sources.corpus("frames"))[0], "released", "FrameNet")
    assert framed.text == selected.text
    assert [(e.start, e.end) for e in framed.elements] == [(e.start, e.end) for e in selected.elements]
    contents = [np.load(file) for file in sorted((folder / "bert_base_attention").glob("*.npz"))]
    assert len(contents) == len(INPUTS)
    tokens = "[CLS] i went to the store . [SEP] at the store , i bought fresh straw ##berries . [SEP]"
    assert contents[0]["tokens"].tolist() == tokens.split()
    for content in contents:
        n = len(content["tokens"])
        assert content["attention"].shape == (6, 12, n, n)
        np.testing.assert_allclose(content["attention"].sum(-1), 1, atol=1e-5)
    requests = internet.requests.total()
    assert fetch_parts(folder, sources) == []
    assert internet.requests.total() == requests  # files that exist are not requested again


def test_a_failed_part_is_named_and_the_other_parts_arrive(internet, sources, tmp_path, capsys):
    del internet.answers[f"{RAW}/nltk/nltk_data/gh-pages/index.xml"]
    (failure,) = fetch_parts(tmp_path / "real", sources, ("framenet", "wikitext2"))
    assert "nltk:framenet_v17" in str(failure)
    assert "framenet: " in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "real").iterdir()] == ["wikitext2"]


def test_every_path_that_a_test_asks_for_has_a_source():
    asked = set()
    for file in (ROOT / "tests").rglob("*.py"):
        asked.update(re.findall(r'\breal_data\(f?"(\w+)', file.read_text(encoding="utf-8")))
    assert asked
    assert asked <= PARTS.keys()
