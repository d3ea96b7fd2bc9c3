import gzip
import re

import pytest

from bert_attention.corpora.conll2012 import read_conll2012
from bert_attention.corpora.types import Mention, Word
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
    my     PRP$ (NP*        (4|(5)
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
STORY = document(ROSA, POSSESSIVE)
TAGS = ["``", "PRP", "VBD", "-LRB-", "PRP", "CC", "-RRB-", "''", "."]


def read(tmp_path, text, **options):
    path = tmp_path / "own.v4_gold_conll"
    path.write_text(text, encoding="utf-8")
    return read_conll2012(path, **options)


def test_mentions_with_heads_and_types(tmp_path):
    joined = sentence("Yes UH (INTJ*)\n - : (X*)\nno UH (INTJ*)")  # two trees, joined at the first
    (story, other), left_out = read(tmp_path, STORY + document(joined, name="other", part=""))
    assert (story.id, other.id, left_out) == ("nw/own/00 000", "other", {})
    assert story.mentions == (
        Mention("0", (0, 1), 1, "proper"),
        Mention("5", (3,), 3, "pronoun"),
        Mention("4", (3, 4, 5), 5, "nominal"),
        Mention("5", (7,), 7, "pronoun"),
        Mention("0", (7, 8, 9), 8, "nominal"),  # "my sister's": the noun, not the marker
        Mention("4", (15,), 15, "pronoun"),
    )
    assert story.sentences[1].words[1] == Word("sister", "sister", "_", "NN", "_", 4, "dep")
    trees = [*story.sentences, *other.sentences]
    heads = ["2 3 0 6 6 3 3", "2 4 2 8 4 7 4 0 8 8", "0 1 1"]  # worked out by hand
    assert [" ".join(str(word.head) for word in tree.words) for tree in trees] == heads
    assert list(map(read_back, trees)) == trees


@pytest.mark.parametrize("word", ["1\u00a0200", "St.\u2009Ives", "a\x85b"])
def test_a_word_may_hold_a_space_that_separates_no_columns(tmp_path, word):
    ((found,), _) = read(tmp_path, STORY.replace("Rosa", word).replace("  Lind", " \tLind"))
    assert found.sentences[0].forms == (word, "Lind", "threw", "my", "red", "ball", ".")
    assert read_back(found.sentences[0]) == found.sentences[0]


def test_escapes_are_undone(tmp_path):
    words = ["``", "She", "left", "-LRB-", "she", "and/or", "-RRB-", "''", "/."]
    rows = [f"{word} {tag} {bit}" for word, tag, bit in zip(words, TAGS, ["(X*", *"*" * 7, "*)"], strict=True)]
    ((found,), _) = read(tmp_path, document(sentence("\n".join(rows))))
    assert found.sentences[0].forms == ('"', "She", "left", "(", "she", "and/or", ")", '"', ".")


def test_documents_in_other_languages_are_refused(tmp_path):
    chinese = sentence("他 PN (IP(NP*) (0)\n是 VC (VP*\n人 NN (NP*))\n。 PU *)")
    with pytest.raises(InputError, match=r"line 1: most tags \(fifth column\) of the document zh 000 are not .* as PN"):
        read(tmp_path, document(chinese, name="zh"))
    (story,), left_out = read(tmp_path, STORY + document(chinese, name="zh"), on_bad_input="skip")
    assert (story.id, left_out) == ("nw/own/00 000", {"documents whose tags are not English": 1})


def test_the_remedy_for_missing_trees_is_to_add_them(tmp_path):
    with pytest.raises(InputError, match=r"\n  Remedy: give files with the treebank's parses.* or parse the sentences"):
        read(tmp_path, document(sentence("She PRP *\n left VBD *")))


def test_only_the_gold_files_of_a_folder_are_read_in_order(tmp_path):
    gold = ("b/two.v4_gold_conll", "a/one.v4_gold_conll", ".a/hidden_gold_conll")
    for name in (*gold, "a/one.v4_auto_conll", "a/README"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(document(ROSA, name=name))
    names = [document.id for document in read_conll2012(tmp_path)[0]]
    assert names == ["a/one.v4_gold_conll 000", "b/two.v4_gold_conll 000"]
    for name in gold[:2]:
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress((tmp_path / name).read_bytes()))
        (tmp_path / name).unlink()
    assert [document.id for document in read_conll2012(tmp_path)[0]] == names
    (tmp_path / "a/one.v4_gold_conll.gz").unlink()
    assert [document.id for document in read_conll2012(tmp_path / "a")[0]] == ["a/one.v4_auto_conll 000"]


@pytest.mark.parametrize(
    ("old", "new", "line", "problem", "kind"),
    [
        ("rosa - - - *  (V*)  (0", "rosa", 2, "has 7 columns, not 12 or more", "wrong number of columns"),
        ("4  red", "5  red", 6, "has the word number '5' (third column), expected 4", "wrong word numbers"),
        ("threw", "[WORD]", 4, "the word (fourth column) is blanked out", "words blanked out"),
        ("(VP*", "(VP", 4, "the parse bit '(VP' (sixth column) must look like '(S(NP*)'", "unbalanced parse bits"),
        ("*))  - - - - *  (V*)  -", "*)  - - - - *  (V*)  -", 8, "TOP is not closed", "unbalanced parse bits"),
        ("*)  lind", "*))))  lind", 3, "'*))))' closes a constituent that is not open", "unbalanced parse bits"),
        ("(TOP(S(NP*  rosa", "*  rosa", 2, "the word is in no constituent (sixth column)", "unbalanced parse bits"),
        ("  0)\n", "  -\n", 2, "the mention of chain 0 that opens here is not closed", "brackets not closed"),
        ("#end document\n", "", 1, "the document nw/own/00 000 has no '#end document'", "documents without end"),
        (STORY, document(ROSA, sentence("Yes UH *")), 10, "the sentence has no tree", "documents without trees"),
        (STORY, document(sentence("She - *\n left - *")), 2, "the sentence has no tree", "documents without trees"),
        (STORY, document(sentence("She PRP - (0)\n left VBD - -")), 2, "has no tree", "documents without trees"),
        (STORY, document(sentence("_ NN (NP*)")), 2, "the words (fourth column) are blanked out", "words blanked out"),
        (STORY, document(), 1, "the document nw/own/00 000 has no words", "empty documents"),
    ],
)  # fmt: skip
def test_a_bad_document_is_an_error_that_names_its_line_or_is_skipped_and_counted(
    tmp_path, old, new, line, problem, kind
):
    assert old in STORY
    text = STORY.replace(old, new, 1) + document(ROSA, name="good")
    with pytest.raises(InputError, match=rf"own.v4_gold_conll, line {line}: .*{re.escape(problem)}"):
        read(tmp_path, text)
    documents, left_out = read(tmp_path, text, on_bad_input="skip")
    assert ([document.id for document in documents], left_out) == (["good 000"], {kind: 1})


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (ROSA, "line 1: is not between '#begin document"),
        (document(ROSA) + document(ROSA), "line 11: the document nw/own/00 000 occurs twice"),
        (document(), "gold_conll: holds no document; left out: 1 empty documents"),
    ],
)
def test_other_files_are_an_error(tmp_path, text, problem):
    with pytest.raises(InputError, match=problem):
        read(tmp_path, text, on_bad_input="skip")
