"""A study takes a file however it is compressed; a folder, a missing file and a text in place of a path are named."""

import bz2
import gzip

import pytest

from bert_attention import AttentionModel, InputError, Study
from bert_attention.corpora.conllu import write_conllu
from bert_attention.corpora.corefud import write_corefud
from bert_attention.corpora.frames import read_framed
from tests.written import written_documents

DOCUMENTS = written_documents(6)
TREES = [sentence for document in DOCUMENTS for sentence in document.sentences]
LONG = "The cat sat on the mat, and then it saw a bird: " * 30


@pytest.fixture
def files(tmp_path):
    write_conllu(TREES, tmp_path / "trees.conllu")
    write_corefud(DOCUMENTS, tmp_path / "documents.conllu")
    return tmp_path


@pytest.mark.parametrize(("ending", "opened"), [(".gz", gzip.open), (".bz2", bz2.open)])
@pytest.mark.parametrize("corpus", ["trees", "documents"])
def test_a_compressed_file_is_read(small_model, files, corpus, ending, opened):
    plain = files / f"{corpus}.conllu"
    with opened(f"{plain}{ending}", "wb") as file:
        file.write(plain.read_bytes())
    found = Study(small_model, **{corpus: f"{plain}{ending}"})
    expected = Study(small_model, **{corpus: plain})
    assert found._sentences == expected._sentences
    assert found._documents == expected._documents


def test_a_folder_of_trees_names_its_files(small_model, files):
    with pytest.raises(InputError, match=r"is a folder, not a file\n.*documents.conllu, trees.conllu"):
        Study(small_model, trees=files)


def test_a_damaged_file_is_named(small_model, files):
    path = files / "trees.conllu.gz"
    path.write_bytes(gzip.compress((files / "trees.conllu").read_bytes())[:-40])
    with pytest.raises(InputError, match=r"trees.conllu.gz: cannot be read"):
        Study(small_model, trees=path)
    path.write_text("1\tcat")
    with pytest.raises(InputError, match=r"is not compressed, although its name ends in"):
        Study(small_model, documents=path)


@pytest.mark.parametrize("corpus", ["texts", "trees", "documents"])
@pytest.mark.parametrize("given", [LONG, "One line.\nAnother line.", ""])
def test_a_text_is_not_a_path(small_model, corpus, given):
    with pytest.raises(InputError, match=rf"{corpus}=.*: is a text, not the path of a file\n.*{corpus}=\[\.\.\.\]"):
        Study(small_model, **{corpus: given})


@pytest.mark.parametrize(
    ("corpora", "message"),
    [
        ({"texts": "Note: the cat sat."}, "there is no such file"),
        ({"trees": "dev.conllu"}, r"trees='dev.conllu': there is no such file"),
        ({"trees": ["The cat sat."]}, "trees: holds a str, not a Sentence"),
        ({"documents": TREES}, "documents: holds a Sentence, not a Document"),
        ({"trees": []}, "trees: holds nothing"),
    ],
)
def test_other_things_are_named(small_model, corpora, message):
    with pytest.raises(InputError, match=message):
        Study(small_model, **corpora)


@pytest.mark.parametrize("model", [LONG, ""])
def test_a_text_is_not_a_model(model):
    with pytest.raises(InputError, match="is neither a path nor a source"):
        AttentionModel.from_pretrained(model)


def test_other_readers_name_folders_too(tmp_path):
    with pytest.raises(InputError, match=r"is a folder, not a file\n.*give a file"):
        read_framed(tmp_path)
