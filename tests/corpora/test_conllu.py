import dataclasses
from types import SimpleNamespace

import pytest

from bert_attention.corpora import conllu
from bert_attention.corpora.bad_lines import is_withheld
from bert_attention.corpora.conllu import read_conllu
from bert_attention.corpora.corefud import read_corefud
from bert_attention.corpora.relations import clark_counterparts
from bert_attention.corpora.texts import character_spans
from bert_attention.corpora.types import Sentence, Word
from bert_attention.errors import InputError
from bert_attention.running.scripts import run_script

ALL_PARTS = """\
# newdoc id = d
# sent_id = d-1
# text = Don't cook and I won't.
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tDo\tdo\tAUX\tVB\tMood=Imp\t3\taux\t3:aux\t_
2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t3:advmod\t_
3\tcook\tcook\tVERB\tVB\t_\t0\troot\t0:root\t_
4\tand\tand\tCCONJ\tCC\t_\t6\tcc\t6.1:cc\t_
5\tI\tI\tPRON\tPRP\t_\t6\tnsubj\t6.1:nsubj\t_
6-7\twon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
6\two\twill\tAUX\tMD\t_\t3\tconj\t6.1:aux\t_
6.1\tcook\tcook\tVERB\tVB\t_\t_\t_\t3:conj\tCopyOf=3
7\tn't\tnot\tPART\tRB\t_\t6\tadvmod\t6.1:advmod\t_
8\t.\t.\tPUNCT\t.\t_\t3\tpunct\t3:punct\t_

"""


def test_all_parts_of_the_format_are_kept(tmp_path):
    path = tmp_path / "all.conllu"
    path.write_text(ALL_PARTS)
    (sentence,), left_out = conllu.read_conllu(path)
    assert sentence.forms == ("Do", "n't", "cook", "and", "I", "wo", "n't", ".")
    assert [word.head for word in sentence.words] == [3, 3, 0, 6, 6, 3, 6, 3]
    assert [index for index, _ in sentence.other_lines] == [0, 5, 6]
    assert (sentence.id, sentence.comment("newdoc id"), sentence.comment("none"), left_out) == ("d-1", "d", None, {})
    conllu.write_conllu([sentence], tmp_path / "again.conllu")
    assert (tmp_path / "again.conllu").read_text() == ALL_PARTS
    path.write_bytes(ALL_PARTS.rstrip("\n").replace("\n", "\r\n").encode())  # Windows, without the last empty line
    assert conllu.format_sentence(conllu.read_conllu(path)[0][0]) == ALL_PARTS


def rows(*words):
    """Return the lines of a sentence from words ``form head``."""
    columns = [word.split() for word in words]
    return "".join(f"{n}\t{form}\t_\t_\t_\t_\t{head}\tdep\t_\t_\n" for n, (form, head) in enumerate(columns, start=1))


ROW = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_"


@pytest.mark.parametrize(
    ("text", "line", "problem", "remedy"),
    [
        (rows("a 0", "b 4", "c 2", "d 3"), 2, "word 2 is its own ancestor", ""),
        (rows("a 0", "b 1", "c 0"), 3, "is a second root: word 1 is", "give the sentence exactly one root"),
        (rows("a 0", "b 3"), 2, "the head is 3, but the sentence has 2 words", ""),
        (rows("a 0", "b _"), 2, r"the head \(seventh column\) is '_', expected the number", "parse the text first"),
        (ROW.removesuffix("\t_"), 1, "has 9 columns separated by tabs, not 10", ""),
        (ROW.replace("\t", "  "), 1, "has 1 column separated by tabs, not 10", "by tabs, not by spaces"),
        ("a/b 0 0 He PRP (TOP(S(NP*) - - - - * (0)", 1, "has 1 column separated by tabs", "it looks like CoNLL-2012"),
        ("a/b  0  0  -  -  *  -  -  -  -  *  (VP*)  -", 1, "has 1 column separated by tabs", "is for coreference"),
        (f"{ROW}\t_\t_\t_\t_", 1, "has 14 columns separated by tabs, not 10", "it looks like CoNLL-2009"),
        (ROW.replace("1", "2"), 1, "has the id '2', expected 1", "number the words"),
        (ROW.replace("a", ""), 1, r"the word \(second column\) is empty", ""),
        (ROW.replace("root", ""), 1, r"the relation \(eighth column\) is '', expected a name", ""),
        ("# only = a comment", 1, "the sentence has no words", ""),
        (rows("___ 0", "_ 1"), 1, r"the words \(second column\) are blanked out", "get the text from its owner"),
    ],
)
def test_a_bad_sentence_is_an_error_that_names_its_line(tmp_path, text, line, problem, remedy):
    path = tmp_path / "bad.conllu"
    path.write_text(f"{ALL_PARTS}{text}\n\n")
    with pytest.raises(InputError, match=rf"bad.conllu, line {15 + line}: {problem}.*\n  Remedy: .*{remedy}"):
        conllu.read_conllu(path)


def test_only_a_run_names_options_of_the_workflow(tmp_path):
    (tmp_path / "x").write_text("bad")
    with pytest.raises(InputError) as caught:
        conllu.read_conllu(tmp_path / "x")
    assert "set on_bad_input" not in str(caught.value)
    with pytest.raises(InputError, match="set on_bad_input: skip to leave such sentences out"):
        job = SimpleNamespace(log=[tmp_path / "log"], resources={}, rule="treebank")
        run_script(lambda _: conllu.read_conllu(tmp_path / "x"), job)


def test_a_path_that_is_not_a_file_is_an_error(tmp_path):
    for path, problem in ((tmp_path, "holds no file"), (tmp_path / "none", "does not exist")):
        with pytest.raises(InputError, match=problem):
            conllu.read_conllu(path)


def test_sentences_whose_words_are_all_placeholders_are_withheld():
    assert is_withheld(["_"]) and is_withheld(["___", "__"]) and is_withheld(["[WORD]", "_"])
    assert not is_withheld(["_________"]) and not is_withheld(["_", "sing"])  # a line between posts is an actual word


def test_bad_sentences_are_skipped_and_counted(tmp_path):
    path = tmp_path / "mixed.conllu"
    path.write_text("\n".join([rows("a 1"), ALL_PARTS, rows("a 5"), "# nothing\n", rows("a 1")]))
    sentences, left_out = conllu.read_conllu(path, on_bad_input="skip")
    assert len(sentences) == 1
    assert left_out == {"cycles": 2, "heads out of range": 1, "empty sentences": 1}


def test_words_are_folded_unescaped_and_read_from_conll_x():
    (word,) = conllu.parse_sentence([(1, "1\tSales\t_\tNNS\tNNS\t_\t0\tnmod:poss\t_\t_")]).words
    assert (word.form, word.xpos, word.head, word.relation) == ("Sales", "NNS", 0, "nmod:poss")
    forms = ["-LRB-", "``", "and\\/or", "''", "plain", "-RRB-", "2\\*"]
    sentence = Sentence(tuple(dataclasses.replace(word, form=form) for form in forms))
    assert {word.relation for word in conllu.fold_relations(sentence).words} == {"nmod"}
    assert conllu.undo_ptb_escapes(sentence).forms == ("(", '"', "and/or", '"', "plain", ")", "2*")
    with pytest.raises(ValueError, match="word 1 has no start_char"):
        character_spans(sentence)


@pytest.mark.parametrize(("name", "sentences"), [("train", 12_544), ("dev", 2_001), ("test", 2_077)])
def test_ewt_is_read_completely_and_written_back_unchanged(real_data, tmp_path, name, sentences):
    path = real_data(f"ud_english_ewt/en_ewt-ud-{name}.conllu")
    read, left_out = conllu.read_conllu(path)
    assert (len(read), left_out) == (sentences, {})
    conllu.write_conllu(read, tmp_path / "again.conllu")
    assert (tmp_path / "again.conllu").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("relations", "counterparts"),
    [
        (["case", "mark", "aux", "obj"], {"dobj": "obj"}),
        (["mark", "mark_without_to", "aux", "aux_with_to"], {"mark": "mark_without_to", "aux": "aux_with_to"}),
        (["mark", "aux", "dobj", "tmod"], {"mark": "mark", "aux": "aux", "dobj": "dobj"}),
    ],
)
def test_counterparts_of_the_relations_of_clark_table_1(relations, counterparts):
    assert clark_counterparts(relations) == counterparts


def test_sentences_of_a_document_are_one_cluster(tmp_path):
    path, word = tmp_path / "dev.conllu", Word("a", "_", "_", "_", "_", 0, "root")

    def clusters(sentences):
        conllu.write_conllu(sentences, path)
        assert conllu.documents_of(path) == conllu.clusters_of_sentences(conllu.read_conllu(path)[0])
        return conllu.documents_of(path)

    sentences = [Sentence((word,), document=document) for document in (1, 1, 2, 2, 3)]
    assert clusters(sentences) == [1, 1, 2, 2, 3]
    assert clusters([sentences[index] for index in (1, 3, 4)]) == [1, 2, 3]  # first sentences are skipped
    assert clusters([Sentence((word,))] * 3) == [0, 1, 2]  # no documents: each sentence is a cluster
    path.write_text(path.read_text() + "# newdoc id = x\n" + path.read_text())
    assert clusters(conllu.read_conllu(path)[0]) == [0, 0, 0, 1, 1, 1]


def with_heads(*heads, newdoc=""):
    """Return a sentence with these heads, as CoNLL-U."""
    opening = f"# newdoc id = {newdoc}\n" if newdoc else ""
    return opening + "".join(f"{n}\tw{n}\t_\tX\tX\t_\t{head}\tdep\t_\t_\n" for n, head in enumerate(heads, 1)) + "\n"


@pytest.mark.parametrize(
    ("files", "documents"),
    [
        ([with_heads(0, 1) * 2, with_heads(2, 0)], [0, 0, 0]),  # as one file without documents
        (
            [
                with_heads(0, newdoc="a") + with_heads(0, newdoc="b"),
                with_heads(0),
                with_heads(0) + with_heads(0, newdoc="c"),
            ],
            [1, 2, 3, 4, 5],
        ),
        ([with_heads(0) * 2] * 20, [number for number in range(1, 21) for _ in range(2)]),  # so many files are texts
    ],
)
def test_a_treebank_in_several_files_is_read_as_one(tmp_path, files, documents):
    paths = [tmp_path / f"t-{number:02d}.conllu" for number in range(len(files))]
    for path, content in zip(paths, files, strict=True):
        path.write_text(content)
    (tmp_path / "t-00.conllu~").write_text(files[0])
    read = [read_conllu(path)[0] for path in (tmp_path, tmp_path / "t-*.conllu", paths)]
    assert [sentence.document for sentence in read[0]] == documents
    assert read[0] == read[1] == read[2]
    assert [tree.forms for tree in read[0]] == [tree.forms for path in paths for tree in read_conllu(path)[0]]


def test_parts_of_a_treebank_and_documents_are_not_mixed(tmp_path):
    for name in ("x-ud-train-a.conllu", "x-ud-train-b.conllu", "x-ud-dev.conllu"):
        (tmp_path / name).write_text(with_heads(0, newdoc=name))
    assert len(read_conllu(tmp_path / "*-train-*.conllu")[0]) == 2
    for path in (tmp_path, tmp_path / "*.conllu"):
        with pytest.raises(InputError, match=r"holds the parts dev and train .*\n  Remedy: give one part: .*-ud-train"):
            read_conllu(path)
    (tmp_path / "x-ud-train-b.conllu").write_text(with_heads(0, newdoc="x-ud-train-a.conllu"))
    with pytest.raises(
        InputError, match=r"train-b.conllu: holds the document x-ud-train-a.conllu, as .*train-a.conllu"
    ):
        read_conllu(tmp_path / "*-train-*.conllu")


@pytest.mark.parametrize("length", [11, 41])
def test_heads_without_a_parse_are_refused(tmp_path, length):
    chains, path = with_heads(*range(length)) * 2, tmp_path / "stanza.conllu"
    path.write_text(chains)
    for read in (read_conllu, read_corefud):
        with pytest.raises(InputError, match=r"has no parses: the head of every word is the word before"):
            read(path)
    path.write_text(chains + with_heads(2, 0))
    assert len(read_conllu(path)[0]) == 3


@pytest.mark.parametrize("misc", ["Gloss=a=b|Note=c", "Note=two  spaces|SpaceAfter=No", "Gloss=b,a,b"])
def test_the_last_column_is_kept_to_the_letter(tmp_path, misc):
    """The package conllu cuts values at a second "=" and at two spaces, and pyconll sorts what commas separate."""
    path = tmp_path / "misc.conllu"
    path.write_text(f"1\ta\t_\t_\t_\t_\t0\troot\t_\t{misc}\n\n")
    (sentence,), _ = conllu.read_conllu(path)
    assert conllu.format_sentence(sentence) == path.read_text()
