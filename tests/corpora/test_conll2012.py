import re

import pytest

from bert_attention.corpora.conll2012 import read_conll2012
from bert_attention.corpora.corefud import read_corefud, write_corefud
from bert_attention.corpora.types import Mention
from bert_attention.errors import InputError
from tests.corpora.trees import read_back


def sentence(text):
    """Sentence in columns, from lines ``word tag parse-bit coreference``; coreference is optional."""
    rows = []
    for number, line in enumerate(text.strip().split("\n")):
        word, tag, bit, coreference = [*line.split(), "-"][:4]
        lemma = word.lower() if tag.startswith("N") else "-"
        rows.append(f"nw/own/00  0  {number}  {word}  {tag}  {bit}  {lemma} - - - *  (V*)  {coreference}\n")
    return "".join(rows) + "\n"


def document(*sentences, name="nw/own/00", part="; part 000"):
    return f"#begin document ({name}){part}\n" + "".join(sentences) + "#end document\n"


ROSA = sentence("""
    Rosa   NNP  (TOP(S(NP*  (0
    Lind   NNP  *)          0)
    threw  VBD  (VP*
    a      DT   (NP*        (4
    red    JJ   *
    ball   NN   *))         4)
    .      .    *))
""")
POSSESSIVE = sentence("""
    My      PRP$  (TOP(S(NP(NP(NP*  (0|(5)
    sister  NN    *
    's      POS   *)                0)
    dog     NN    *)
    and     CC    *
    the     DT    (NP*
    cat     NN    *))
    chased  VBD   (VP*
    it      PRP   (NP*))            (4)
    .       .     *))
""")
NESTED = sentence("""
    The      DT    (TOP(S(NP(NP(NP*
    owner    NN    *)
    of       IN    (PP*
    the      DT    (NP(NP*          (4
    ball     NN    *)
    that     WDT   (SBAR(WHNP*)
    we       PRP   (S(NP*)          (5)
    lost     VBD   (VP*))))))       4)
    ,        ,     *
    a        DT    (NP(NP*
    teacher  NN    *)
    in       IN    (PP*
    Bonn     NNP   (NP*)))          (2)
    ,        ,     *)
    smiled   VBD   (VP*)
    .        .     *))
""")
STORY = document(ROSA, POSSESSIVE, NESTED)


def read(tmp_path, text, **options):
    path = tmp_path / "own.v4_gold_conll"
    path.write_text(text, encoding="utf-8")
    return read_conll2012(path, **options)


def test_mentions_with_heads_and_types(tmp_path):
    (story,), left_out = read(tmp_path, STORY)
    assert story.id == "nw/own/00 000"
    assert story.mentions == (
        Mention("0", (0, 1), 1, "proper"),
        Mention("4", (3, 4, 5), 5, "nominal"),
        Mention("5", (7,), 7, "pronoun"),
        Mention("0", (7, 8, 9), 8, "nominal"),  # "my sister's": the noun, not the marker
        Mention("4", (15,), 15, "pronoun"),
        Mention("4", (20, 21, 22, 23, 24), 21, "nominal"),
        Mention("5", (23,), 23, "pronoun"),
    )
    my, sister = story.sentences[1].words[:2]
    assert (my.lemma, sister.form, sister.lemma, sister.upos, sister.xpos) == ("_", "sister", "sister", "_", "NN")
    assert not left_out


@pytest.mark.parametrize(
    ("text", "heads"),
    [
        (ROSA, "2 3 0 6 6 3 3"),
        (POSSESSIVE, "2 4 2 8 4 7 4 0 8 8"),
        (NESTED, "2 15 2 5 3 5 8 6 2 11 2 11 12 2 0 15"),
        # coordination in one flat phrase, and auxiliaries above the verb
        (
            sentence("""
                Tom   NNP  (TOP(S(NP*
                ,     ,    *
                Ann   NNP  *
                and   CC   *
                Max   NNP  *)
                have  VBP  (VP*
                been  VBN  (VP*
                told  VBN  (VP*)))
                .     .    *))
            """),
            "3 3 6 3 3 0 6 7 6",
        ),
        # two trees, joined at the first
        (sentence("Yes UH (INTJ*)\n - : (X*)\nno UH (INTJ*)"), "0 1 1"),
        (sentence("Yes UH (TOP(INTJ*))"), "0"),
    ],
)
def test_heads_worked_out_by_hand(tmp_path, text, heads):
    ((found,), _) = read(tmp_path, document(text))
    (tree,) = found.sentences
    assert [word.head for word in tree.words] == [int(head) for head in heads.split()]
    assert [word.relation for word in tree.words] == ["dep" if word.head else "root" for word in tree.words]
    assert read_back(tree) == tree  # a valid tree


def test_documents_are_read_back_as_corefud(tmp_path):
    documents, _ = read(tmp_path, STORY + document(ROSA, name="second", part=""))
    write_corefud(documents, tmp_path / "own.conllu")
    assert [document.id for document in documents] == ["nw/own/00 000", "second"]
    assert read_corefud(tmp_path / "own.conllu") == (documents, {})


def test_folders_are_read_in_order_and_gold_files_alone(tmp_path):
    gold = ("b/two.v4_gold_conll", "a/one.v4_gold_conll", ".a/hidden_gold_conll")
    for name in (*gold, "a/one.v4_auto_conll", "a/README"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(document(ROSA, name=name))
    names = [document.id for document in read_conll2012(tmp_path)[0]]
    assert names == ["a/one.v4_gold_conll 000", "b/two.v4_gold_conll 000"]
    for path in tmp_path.rglob("*gold_conll"):
        path.unlink()
    assert [document.id for document in read_conll2012(tmp_path)[0]] == ["a/one.v4_auto_conll 000"]


@pytest.mark.parametrize(
    ("old", "new", "line", "problem", "kind"),
    [
        ("rosa - - - *  (V*)  (0", "rosa", 2, "has 7 columns, not 12 or more", "wrong number of columns"),
        ("red  JJ", "red  wine  JJ", 6, "has 14 columns, not 13", "wrong number of columns"),
        ("4  red", "5  red", 6, "has the word number '5' (third column), expected 4", "wrong word numbers"),
        ("threw", "[WORD]", 4, "the word (fourth column) is blanked out", "words blanked out"),
        ("(VP*", "(VP", 4, "the parse bit '(VP' (sixth column) must look like '(S(NP*)'", "unbalanced parse bits"),
        ("*))  - - - - *  (V*)  -", "*)  - - - - *  (V*)  -", 8, "TOP is not closed", "unbalanced parse bits"),
        ("*)  lind", "*))))  lind", 3, "'*))))' closes a constituent that is not open", "unbalanced parse bits"),
        ("(TOP(S(NP*  rosa", "*  rosa", 2, "the word is in no constituent (sixth column)", "unbalanced parse bits"),
        ("  0)\n", "  -\n", 2, "the mention of chain 0 that opens here is not closed", "brackets not closed"),
        ("  (0\n", "  0\n", 2, "'0' in '0' belongs to no bracket", "text outside brackets"),
        ("#end document\n", "", 1, "the document nw/own/00 000 has no '#end document'", "documents without end"),
        (STORY, document(), 1, "the document nw/own/00 000 has no words", "empty documents"),
    ],
)  # fmt: skip
def test_bad_documents_are_named_by_line_or_left_out_and_counted(tmp_path, old, new, line, problem, kind):
    assert old in STORY
    text = STORY.replace(old, new, 1) + document(ROSA, name="good")
    with pytest.raises(InputError, match=rf"own.v4_gold_conll, line {line}: .*{re.escape(problem)}") as caught:
        read(tmp_path, text)
    assert "on_bad_input: skip" in str(caught.value.for_workflow())
    documents, left_out = read(tmp_path, text, on_bad_input="skip")
    assert [document.id for document in documents] == ["good 000"]
    assert left_out == {kind: 1}


@pytest.mark.parametrize(
    ("text", "on_bad_input", "problem"),
    [
        (STORY.removesuffix("#end document\n"), "error", "line 1: the document nw/own/00 000 has no '#end document'"),
        (STORY.removesuffix("#end document\n"), "skip", "holds no document; left out: 1 documents without end"),
        (ROSA, "skip", "line 1: is not between '#begin document"),
        (document(ROSA) + document(ROSA), "skip", "line 11: the document nw/own/00 000 occurs twice"),
        ("", "skip", "gold_conll: holds no document"),
    ],
)
def test_files_that_are_not_conll2012_are_an_error(tmp_path, text, on_bad_input, problem):
    with pytest.raises(InputError, match="holds no document"):
        read_conll2012(tmp_path)
    with pytest.raises(InputError, match=problem):
        read(tmp_path, text, on_bad_input=on_bad_input)
