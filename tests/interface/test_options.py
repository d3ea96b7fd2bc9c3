"""Arguments that have a few values are checked: another one is named, and none is taken for the default."""

import numpy as np
import pytest

from bert_attention import AttentionModel, InputError, Study
from bert_attention.corpora.alignments import read_alignments
from bert_attention.corpora.conllu import read_conllu
from bert_attention.corpora.running_text import read_running_text
from bert_attention.corpora.segments import build_segments
from bert_attention.models.devices import choose_device


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"words": "median"}, r"words='median': is not one of mean, first, max"),
        ({"words": None}, r"words=None: is not one of"),
        ({"max_wordpieces": 0}, r"max_wordpieces=0: is not a whole number, or too small"),
        ({"max_wordpieces": 64.0}, r"max_wordpieces=64.0: "),
        ({"control_seeds": 0}, r"control_seeds=0: "),
        ({"most_segments": -1}, r"most_segments=-1: "),
        ({"seed": "one"}, r"seed='one': "),
    ],
)
def test_a_study(small_model, options, message):
    with pytest.raises(InputError, match=message):
        Study(small_model, texts=["The cat sat."], **options)


def test_a_study_takes_whole_numbers_of_numpy(small_model):
    assert Study(small_model, texts=["The cat sat."], most_segments=np.int64(3)).corpora == ["texts"]


@pytest.mark.parametrize("device", ["mps", "gpu", "cuda:0", None])
def test_a_device(embedded_model, device):
    with pytest.raises(InputError, match="is not one of auto, cpu, cuda"):
        choose_device(device)
    with pytest.raises(InputError, match="is not one of auto, cpu, cuda"):
        AttentionModel.from_pretrained(embedded_model, device)


@pytest.mark.parametrize("rule", ["sum", "Mean"])
def test_a_rule_for_words(small_model, rule):
    for text in ("unaffability", "cat"):
        with pytest.raises(InputError, match=f"rule='{rule}': is not one of mean, first, max"):
            small_model.run(text).between_words(rule)


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda path: read_conllu(path, "ignore"), "on_bad_input='ignore': is not one of error, skip"),
        (lambda path: read_running_text(path, "txt"), "form='txt': is not one of auto, plain"),
        (lambda path: read_alignments(path, path, path, "giza"), "notation='giza': is not one of auto, pharaoh, rwth"),
        (lambda path: read_alignments(path, path, path, base=2), "base=2: is not a valid number for the first word"),
        (lambda path: build_segments([], list, "words", 9, 0), "spans='words': is not one of sentences, paragraphs"),
    ],
)
def test_readers(tmp_path, read, message):
    path = tmp_path / "f"
    path.write_text("1\tcat\t_\t_\t_\t_\t0\troot\t_\t_\n")
    with pytest.raises(InputError, match=message):
        read(path)
