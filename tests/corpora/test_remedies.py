"""Remedies for bad corpora, in the library and in a run of the workflow."""

from types import SimpleNamespace

import pytest

from bert_attention import AttentionModel, InputError, Study
from bert_attention.corpora.conllu import read_conllu
from bert_attention.corpora.corefud import read_corefud
from bert_attention.corpora.frames import read_framed
from bert_attention.corpora.types import Segment
from bert_attention.downloads.sources import locate
from bert_attention.running.scripts import run_script
from tests.models.random_models import save_bert


@pytest.fixture
def model(embedded_model, tmp_path):
    return AttentionModel.from_pretrained(save_bert(tmp_path / "model", embedded_model), "cpu")


ROOT = "1\tcat\t_\tNOUN\tNN\t_\t0\troot\t_\t_\n"


def test_documents_of_an_older_format(model, tmp_path):
    path = tmp_path / "documents.conllu"
    path.write_text("# newdoc id = a\n" + ROOT.replace("_\n", "ClusterId=e1\n"))
    with pytest.raises(InputError, match=r"no document has mentions that corefer\n.*ClusterId="):
        Study(model, documents=path)


def test_wordpieces_of_another_model(model):
    study = Study(model, texts=[Segment("a", ("qqqq",), (), (True,), ())])
    with pytest.raises(InputError, match="'qqqq' is not in the tokenizer's vocabulary"):
        study.table("clark_entropy")


@pytest.mark.parametrize(
    ("content", "read", "option"),
    [
        (ROOT + ROOT, read_conllu, "set on_bad_input: skip to leave such sentences out"),
        (ROOT + ROOT, read_corefud, "set on_bad_input: skip to leave such documents out"),
        ('{"text": "a"}', read_framed, "set on_bad_input: skip to leave such lines out"),
        ("", lambda path: locate("hub:a/b@1", path), "run snakemake downloads"),
    ],
)
def test_options_of_the_workflow_are_named_only_in_a_run(tmp_path, content, read, option):
    path = tmp_path / "x"
    path.write_text(content)
    with pytest.raises(InputError) as caught:
        read(path)
    assert option not in str(caught.value)
    job = SimpleNamespace(log=[str(tmp_path / "log")], resources={})
    with pytest.raises(InputError) as caught:
        run_script(lambda _: read(path), job)
    assert option in str(caught.value)
    if read in (read_conllu, read_corefud):
        kind = "sentence" if read is read_conllu else "document"
        with pytest.raises(InputError, match=f"holds no {kind}; left out: 1 wrong ids\n.*correct these {kind}s"):
            read(path, "skip")
