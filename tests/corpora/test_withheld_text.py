"""Corpora that are shipped without their text are refused in every format: their tables would look plausible."""

import json

import pytest

from bert_attention.corpora.alignments import read_alignments
from bert_attention.corpora.conll2012 import read_conll2012
from bert_attention.corpora.conllu import read_conllu
from bert_attention.corpora.corefud import read_corefud
from bert_attention.corpora.frames import read_framed
from bert_attention.corpora.glue import read_labelled_lines
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


def test_a_line_that_people_write_between_posts_is_a_word(tmp_path):
    path = tmp_path / "trees.conllu"
    path.write_text(tree("_____________") + tree("_", "sing"))
    assert len(read_conllu(path)[0]) == 2


def test_blanked_conll2012(tmp_path):
    path = tmp_path / "a_gold_conll"
    rows = [f"a 0 {n} _ NN {'(S*' if not n else '*)'} - - - - * -" for n in range(2)]
    path.write_text("\n".join(["#begin document (a); part 000", *rows, "", "#end document"]) + "\n")
    with pytest.raises(InputError, match=r"line 2: the words \(fourth column\) are blanked out"):
        read_conll2012(path)


def test_blanked_parallel_text(tmp_path):
    for name, text in (("s", "das Haus\n_ _\n"), ("t", "the house\n_ _\n"), ("l", "0-0\n0-0\n")):
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=r"s, line 2: the words are blanked out"):
        read_alignments(tmp_path / "s", tmp_path / "t", tmp_path / "l")


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("__label__pos _ _ _ _", lambda path: read_labelled_lines(path, "sst2", 0)),
        ("1\t2.5\t____ __ _", lambda path: read_rated_texts(path, "sst2", 0)),
        (json.dumps({"text": "_ __ _", "frame": "F", "target": [0, 1], "elements": []}), read_framed),
    ],
)
def test_blanked_sentences(tmp_path, line, read):
    path = tmp_path / "lines.txt"
    path.write_text(line + "\n")
    with pytest.raises(InputError, match=r"line 1: the words of .* blanked out"):
        read(path)


def test_blanked_paragraphs_are_counted(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("\n\n".join(["Birds sing in the morning, and cats listen to them.", "____ __ ___ " * 9]))
    articles, left_out = read_running_text(path)
    assert [len(article.paragraphs) for article in articles] == [1]
    assert left_out["paragraphs whose words are blanked out"] == 1
    path.write_text("____ __ ___ " * 9)
    with pytest.raises(InputError, match=r"holds no article with running text .*blanked out"):
        list(read_running_text(path)[0])
