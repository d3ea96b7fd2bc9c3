"""Refusal of corpora that are shipped without their text: their tables would look plausible."""

import pytest

from bert_attention.corpora.conll2012 import read_conll2012
from bert_attention.corpora.conllu import read_conllu
from bert_attention.corpora.corefud import read_corefud
from bert_attention.corpora.frames import read_framed
from bert_attention.corpora.glue import read_labeled_lines
from bert_attention.corpora.rated_texts import read_rated_texts
from bert_attention.corpora.running_text import read_running_text
from bert_attention.errors import InputError


def tree(*words):
    rows = [f"{n}\t{word}\t_\tNOUN\tNN\t_\t{n - 1}\tdep\t_\t_" for n, word in enumerate(words, start=1)]
    return "\n".join(rows) + "\n\n"


@pytest.mark.parametrize("words", [("_", "_", "_"), ("___", "__", "_"), ("_",)])
@pytest.mark.parametrize("read", [read_conllu, read_corefud])
def test_blanked_trees(tmp_path, read, words):
    path = tmp_path / "trees.conllu"
    path.write_text(tree("Birds", "sing") + tree(*words))
    with pytest.raises(InputError, match=r"line 4: the words \(second column\) are blanked out.*\n.*get the text"):
        read(path)
    path.write_text("# newdoc id = a\n" + tree("Birds", "sing") + "# newdoc id = b\n" + tree(*words))
    kept, left_out = read(path, "skip")
    assert (len(kept), left_out.total()) == (1, 1)
    path.write_text(tree("_____________") + tree("_", "sing"))  # people write lines between posts
    assert read_conllu(path)[1] == {}


def test_blanked_paragraphs_are_counted(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("\n\n".join(["Birds sing in the morning, and cats listen to them.", "____ __ ___ " * 9]))
    articles, left_out = read_running_text(path)
    assert [len(article.paragraphs) for article in articles] == [1]
    assert left_out["paragraphs whose words are blanked out"] == 1
    path.write_text("____ __ ___ " * 9)
    with pytest.raises(InputError, match=r"holds no article with running text .*blanked out"):
        list(read_running_text(path)[0])


CONLL2012 = "#begin document (a); part 000\na 0 0 _ NN (S* - - - - * -\na 0 1 _ NN *) - - - - * -\n\n#end document\n"


@pytest.mark.parametrize(
    ("text", "read", "problem"),
    [
        (CONLL2012, read_conll2012, r"line 2: the words \(fourth column\) "),
        ("__label__pos _ _ _ _", lambda path: read_labeled_lines(path, "sst2", 0), "line 1: the words of a"),
        ("1\t2.5\t____ __ _", lambda path: read_rated_texts(path, "sst2", 0), "line 1: the words of a"),
        ('{"text": "_ __ _", "frame": "F", "target": [0, 1], "elements": []}', read_framed, "line 1: the words of the"),
    ],
)
def test_blanked_lines(tmp_path, text, read, problem):
    (tmp_path / "lines_conll").write_text(text)
    with pytest.raises(InputError, match=f"{problem}.* blanked out"):
        read(tmp_path / "lines_conll")
