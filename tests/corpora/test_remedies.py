"""Remedies for bad corpora, in the library and in a run of the workflow."""

import json
from types import SimpleNamespace

import pytest

from bert_attention import AttentionModel, InputError, Study
from bert_attention.corpora.conllu import read_conllu
from bert_attention.corpora.corefud import read_corefud
from bert_attention.corpora.frames import read_framed
from bert_attention.corpora.running_text import read_running_text
from bert_attention.corpora.types import Segment
from bert_attention.downloads.sources import locate
from bert_attention.running.scripts import run_script
from tests.models.random_models import save_bert


@pytest.fixture
def model(embedded_model, tmp_path):
    return AttentionModel.from_pretrained(save_bert(tmp_path / "model", embedded_model), "cpu")


LINE = "{}\tcat\t_\tNOUN\tNN\t_\t{}\t{}\t_\t_\n"
ROOT = LINE.format(1, 0, "root")


@pytest.mark.parametrize(("read", "kind"), [(read_conllu, "sentence"), (read_corefud, "document")])
def test_a_corpus_whose_texts_are_all_left_out_says_so(tmp_path, read, kind):
    path = tmp_path / "trees.conllu"
    path.write_text(ROOT + LINE.format(2, 9, "dep"))
    with pytest.raises(InputError, match=f"holds no {kind}; left out: 1 heads out of range\n.*correct these {kind}s"):
        read(path, "skip")


def test_documents_of_an_older_format(model, tmp_path):
    path = tmp_path / "documents.conllu"
    path.write_text("# newdoc id = a\n" + ROOT.replace("_\n", "ClusterId=e1\n"))
    with pytest.raises(InputError, match=r"no document has mentions that corefer\n.*ClusterId="):
        Study(model, documents=path)


def test_text_in_utf16(tmp_path):
    path = tmp_path / "text.txt"
    path.write_bytes("A cat sat on the mat.".encode("utf-16"))
    with pytest.raises(InputError, match=r"is text in UTF-16, not UTF-8\n.*iconv -f utf-16"):
        read_running_text(path)


def test_wordpieces_of_another_model(model):
    study = Study(model, texts=[Segment("a", ("qqqq",), (), (True,), ())])
    with pytest.raises(InputError, match="'qqqq' is not in the tokenizer's vocabulary"):
        study.table("clark_entropy")


def frames(path):
    path.write_text(json.dumps({"text": "a"}))
    read_framed(path)


def trees(path):
    path.write_text(ROOT + ROOT)
    read_conllu(path)


@pytest.mark.parametrize(
    ("fail", "option"),
    [
        (trees, "set on_bad_input: skip to leave such sentences out"),
        (frames, "set on_bad_input: skip to leave such lines out"),
        (lambda path: locate("hub:a/b@1", path), "run snakemake downloads"),
    ],
)
def test_options_of_the_workflow_are_named_in_a_run_alone(tmp_path, fail, option):
    with pytest.raises(InputError) as caught:
        fail(tmp_path / "x")
    assert option not in str(caught.value)
    job = SimpleNamespace(log=[str(tmp_path / "log")], resources={})
    with pytest.raises(InputError) as caught:
        run_script(lambda _: fail(tmp_path / "x"), job)
    assert option in str(caught.value)
