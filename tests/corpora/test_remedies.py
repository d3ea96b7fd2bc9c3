"""Options of the workflow that fix bad input: only messages of a run name them."""

from types import SimpleNamespace

import pytest

from bert_attention.corpora.conllu import read_conllu
from bert_attention.corpora.frames import read_framed
from bert_attention.downloads.sources import locate
from bert_attention.errors import InputError
from bert_attention.running.scripts import run_script


@pytest.mark.parametrize(
    ("content", "read", "option"),
    [
        ("bad", read_conllu, "set on_bad_input: skip to leave such sentences out"),
        ('{"text": "a"}', read_framed, "set on_bad_input: skip to leave such lines out"),
        ("", lambda path: locate("hub:a/b@1", path), "run snakemake downloads"),
    ],
)
def test_only_a_run_names_options_of_the_workflow(tmp_path, content, read, option):
    (tmp_path / "x").write_text(content)
    with pytest.raises(InputError) as caught:
        read(tmp_path / "x")
    assert option not in str(caught.value)
    with pytest.raises(InputError, match=option):
        run_script(lambda _: read(tmp_path / "x"), SimpleNamespace(log=[str(tmp_path / "log")], resources={}))
