"""`make real-data` from a server on this machine with small versions of the sources of `editions/open.yaml`."""

import gzip
import io
import re
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from bert_attention.corpora.frame_selection import select_framed
from bert_attention.corpora.framenet import read_framenet
from bert_attention.corpora.frames import read_framed
from bert_attention.corpora.vectors import load_vectors
from bert_attention.downloads.sources import entries_with_sources, parse_source
from tests import real_data as module
from tests.conftest import ROOT
from tests.corpora.test_framenet import framenet  # noqa: F401 (a fixture)
from tests.downloads.loopback import COMMIT, loopback, zipped
from tests.real_data import (
    INPUTS,
    MOST_FREQUENT,
    PARTS,
    VARIABLE,
    Sources,
    folder_of_real_data,
    format_table,
    how_to_get,
)

LINES = ["", " = Title = \n", " Text . \n"]
TREE = "1\tYes\tyes\tINTJ\t_\t_\t0\troot\t_\t_\n\n"
VECTORS = "".join(f"word{number} 0.5 1.0\n" for number in range(MOST_FREQUENT + 10))


def parquet(**columns):
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return buffer.getvalue()


@pytest.fixture
def served(framenet, embedded_model, tmp_path, monkeypatch):  # noqa: F811
    """Server, and the sources of `open.yaml` with the server's hosts and commits and without digests."""
    with loopback() as server:
        text = (ROOT / "editions" / "open.yaml").read_text(encoding="utf-8")
        text = re.sub(r"https://(raw\.githubusercontent|github)\.com", server.url, text)
        edition = yaml.safe_load(re.sub(r"(hub:[^@\s]+)@[0-9a-f]{40}", rf"\1@{COMMIT}", text))
        for _, entry in entries_with_sources(edition):
            entry["source"] = parse_source(entry["source"]).text
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        model = {file.name: file.read_bytes() for file in embedded_model.iterdir() if not file.name.startswith(".")}
        server.add_repository("google-bert/bert-base-uncased", model)
        wikitext = {"wikitext-2-raw-v1/validation-00000-of-00001.parquet": parquet(text=LINES)}
        server.add_repository("datasets/Salesforce/wikitext", wikitext)
        tasks = {f"{task}/train-00000-of-00001.parquet": parquet(idx=[1]) for task in edition["corpora"]["tasks"]}
        server.add_repository("datasets/nyu-mll/glue", tasks)
        vectors = gzip.compress(f"{MOST_FREQUENT + 10} 2\n{VECTORS}".encode())
        server.add_gensim({"glove-wiki-gigaword-100": vectors}, monkeypatch)
        frames = {f"framenet_v17/{file.relative_to(framenet)}": file.read_text() for file in framenet.rglob("*.xml")}
        server.add_nltk({"framenet_v17": zipped(frames)}, monkeypatch)
        for _, entry in entries_with_sources(edition["corpora"]):
            address, _, member = entry["source"].removeprefix(server.url).partition("!")
            if address.endswith(".zip"):
                folder = member if "conllu" in member else member.rpartition("/")[0]
                names = ["a.conllu"] if "conllu" in member else ["test.de", "test.en", "de-en.wa"]
                server.files[address] = zipped({f"{folder}/{name}": name for name in names})
            elif entry["source"].startswith(server.url):
                server.files[address] = TREE.encode()
                server.files[address.replace("-dev.", "-test.")] = TREE.encode()
        yield server, Sources(edition, tmp_path / "downloads")


def test_everything_is_laid_out_as_the_tests_look_for_it(served, framenet, tmp_path):  # noqa: F811
    server, sources = served
    folder = tmp_path / "real"
    assert format_table(folder, sources) == []
    files = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
    assert files >= {
        *(f"ud_english_ewt/en_ewt-ud-{part}.conllu" for part in ("train", "dev", "test")),
        *(f"glue/{task}/train-00000-of-00001.parquet" for task in ("mrpc", "rte", "stsb", "sst2", "qnli", "mnli")),
        *(f"word_alignment/{name}" for name in ("test.de", "test.en", "de-en.wa")),
        "ontogum/a.conllu",
        "token_frequency/rank_count_ids.txt",
        "bert_base_uncased/model.safetensors",
    }
    assert (folder / "wikitext2" / "valid.txt").read_text() == "\n = Title = \n Text . \n"
    assert load_vectors(next((folder / "glove").glob("*.txt"))).vectors.shape == (MOST_FREQUENT, 2)
    as_strings, _ = read_framed(folder / "framenet" / "kovaleva_473.jsonl")
    selected, _ = select_framed(read_framenet(framenet)[0], "released", "FrameNet")
    assert [(s.text, [(e.start, e.end) for e in s.elements]) for s in as_strings] == [
        (s.text, [(e.start, e.end) for e in s.elements]) for s in selected
    ]
    requests = server.requests.total()
    assert format_table(folder, sources) == []
    assert server.requests.total() == requests  # what is there is not asked for again


def test_attention_is_that_of_the_model_on_the_inputs(served, tmp_path):
    _, sources = served
    format_table(tmp_path / "real", sources, ("bert_base_attention",))
    files = sorted((tmp_path / "real" / "bert_base_attention").glob("*.npz"))
    assert len(files) == len(INPUTS)
    contents = [np.load(file) for file in files]
    assert " ".join(contents[0]["tokens"]) == (
        "[CLS] i went to the store . [SEP] at the store , i bought fresh straw ##berries . [SEP]"
    )
    for content in contents:
        n = len(content["tokens"])
        assert content["attention"].shape == (6, 12, n, n)
        np.testing.assert_allclose(content["attention"].sum(-1), 1, atol=1e-5)
    assert contents[3]["tokens"].tolist() == contents[1]["tokens"][: len(contents[3]["tokens"])].tolist()


def test_what_cannot_be_fetched_is_named_and_the_rest_arrives(served, tmp_path, capsys):
    server, sources = served
    del server.files["/index.xml"]
    (failure,) = format_table(tmp_path / "real", sources, ("framenet", "wikitext2"))
    assert "nltk:framenet_v17" in str(failure)
    assert "framenet: " in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "real").iterdir()] == ["wikitext2"]


def test_the_program_ends_with_an_error_unless_all_is_there(monkeypatch, tmp_path):
    taken = []
    monkeypatch.setattr(module, "format_table", lambda folder, sources, parts: taken.append((folder, parts)) or ["x"])
    monkeypatch.setattr(sys, "argv", ["real_data", str(tmp_path), "glue"])
    with pytest.raises(SystemExit, match="Not all"):
        module.main()
    assert taken == [(tmp_path, ("glue",))]
    monkeypatch.setattr(sys, "argv", ["real_data", str(tmp_path), "glu"])
    with pytest.raises(SystemExit, match="2"):
        module.main()


def test_every_path_that_a_test_asks_for_has_a_source():
    asked = set()
    for file in (ROOT / "tests").rglob("*.py"):
        asked.update(re.findall(r'\breal_data\(f?"(\w+)', file.read_text(encoding="utf-8")))
    assert asked == PARTS.keys()


def test_a_variable_names_the_folder_and_a_skip_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert folder_of_real_data() == tmp_path
    reason = how_to_get("glove/none.txt", tmp_path)
    assert reason.startswith(f"needs {tmp_path / 'glove/none.txt'} (the first GloVe vectors, glove-wiki-gigaword-100")
    assert "`make real-data` fetches it" in reason
    assert VARIABLE in reason
