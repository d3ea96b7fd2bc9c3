import dataclasses

import pytest
from hypothesis import given

from bert_attention.corpora.conllu import (
    clusters_of,
    documents_of,
    fold_relations,
    format_sentence,
    parse_sentence,
    read_conllu,
    undo_ptb_escapes,
    write_conllu,
)
from bert_attention.corpora.relations import CLARK_TABLE_1, clark_counterparts, clark_name
from bert_attention.corpora.texts import character_spans
from bert_attention.corpora.types import Sentence, Word
from bert_attention.errors import InputError
from tests.corpora.trees import drawn_heads, read_back

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
    (sentence,), left_out = read_conllu(path)
    assert sentence.forms == ("Do", "n't", "cook", "and", "I", "wo", "n't", ".")
    assert [word.head for word in sentence.words] == [3, 3, 0, 6, 6, 3, 6, 3]
    assert [place for place, _ in sentence.other_lines] == [0, 5, 6]
    assert (sentence.id, sentence.comment("newdoc id"), sentence.comment("none")) == ("d-1", "d", None)
    assert not left_out
    write_conllu([sentence], tmp_path / "again.conllu")
    assert (tmp_path / "again.conllu").read_text() == ALL_PARTS
    path.write_bytes(ALL_PARTS.rstrip("\n").replace("\n", "\r\n").encode())  # Windows, without the last empty line
    assert format_sentence(read_conllu(path)[0][0]) == ALL_PARTS


@given(drawn_heads(9))
def test_any_tree_is_read_back(heads):
    words = tuple(Word(f"w{place}", "_", "_", "_", "_", head, "dep") for place, head in enumerate(heads))
    sentence = Sentence(words, ("# text = x",))
    assert read_back(sentence) == sentence


def rows(*words):
    """Return the lines of a sentence from words ``form head``."""
    columns = [word.split() for word in words]
    return "".join(f"{n}\t{form}\t_\t_\t_\t_\t{head}\tdep\t_\t_\n" for n, (form, head) in enumerate(columns, start=1))


ROW = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_"


@pytest.mark.parametrize(
    ("text", "line", "problem", "remedy"),
    [
        (rows("a 2", "b 1"), 1, "word 1 is its own ancestor", ""),
        (rows("a 1"), 1, "word 1 is its own ancestor", ""),
        (rows("a 0", "b 4", "c 2", "d 3"), 2, "word 2 is its own ancestor", ""),
        (rows("a 0", "b 1", "c 0"), 3, "is a second root: word 1 is", "give the sentence exactly one root"),
        (rows("a 0", "b 3"), 2, "the head is 3, but the sentence has 2 words", ""),
        (rows("a 0", "b -1"), 2, r"the head \(seventh column\) is '-1', expected the number", ""),
        (rows("a 0", "b _"), 2, r"the head \(seventh column\) is '_', expected the number", "parse the text first"),
        (rows("a 0", "b ²"), 2, r"the head \(seventh column\) is '²', expected the number", ""),
        (ROW.removesuffix("\t_"), 1, "has 9 columns separated by tabs, not 10", ""),
        (ROW.replace("\t", "  "), 1, "has 1 columns separated by tabs, not 10", "by tabs, not by spaces"),
        (f"{ROW}\t_\t_\t_\t_", 1, "has 14 columns separated by tabs, not 10", "it looks like CoNLL-2009"),
        (ROW.replace("1", "2"), 1, "has the id '2', expected 1", "number the words"),
        (f"{ROW}\n{ROW}", 2, "has the id '1', expected 2", "put an empty line between sentences"),
        (ROW.replace("a", ""), 1, r"the word \(second column\) is empty", ""),
        (ROW.replace("root", ""), 1, r"the relation \(eighth column\) is '', expected a name", ""),
        (ROW.replace("root", ":poss"), 1, r"the relation \(eighth column\) is ':poss', expected a name", ""),
        ("# only = a comment", 1, "the sentence has no words", ""),
    ],
)
def test_a_bad_sentence_is_named_by_file_and_line(tmp_path, text, line, problem, remedy):
    path = tmp_path / "bad.conllu"
    path.write_text(f"{ALL_PARTS}{text}\n\n")
    with pytest.raises(InputError, match=rf"bad.conllu, line {15 + line}: {problem}.*\n  Remedy: .*{remedy}"):
        read_conllu(path)


def test_bad_sentences_can_be_skipped_and_are_counted(tmp_path):
    bad = "1\ta\t_\t_\t_\t_\t{}\tdep\t_\t_\n\n"
    path = tmp_path / "mixed.conllu"
    path.write_text(bad.format(1) + ALL_PARTS + bad.format(5) + "# nothing\n\n" + bad.format(1))
    sentences, left_out = read_conllu(path, on_bad_input="skip")
    assert len(sentences) == 1
    assert left_out == {"cycles": 2, "heads out of range": 1, "empty sentences": 1}


def test_words_are_folded_unescaped_and_read_from_conll_x():
    (word,) = parse_sentence([(1, "1\tSales\t_\tNNS\tNNS\t_\t0\tnmod:poss\t_\t_")]).words
    assert (word.form, word.xpos, word.head, word.relation) == ("Sales", "NNS", 0, "nmod:poss")
    forms = ["-LRB-", "``", "and\\/or", "''", "plain", "-RRB-", "2\\*"]
    sentence = Sentence(tuple(dataclasses.replace(word, form=form) for form in forms))
    assert {word.relation for word in fold_relations(sentence).words} == {"nmod"}
    assert undo_ptb_escapes(sentence).forms == ("(", '"', "and/or", '"', "plain", ")", "2*")
    with pytest.raises(ValueError, match="word 1 has no start_char"):
        character_spans(sentence)


def test_relations_have_the_names_of_clark_table_1_where_there_is_one():
    names = ("obj", "nmod:poss", "aux:pass", "prep", "dobj")
    assert list(map(clark_name, names)) == ["dobj", "poss", "auxpass", "prep", "dobj"]
    assert clark_name("case") is clark_name("obl") is None
    assert len(CLARK_TABLE_1) == 14


@pytest.mark.parametrize(
    ("relations", "counterparts"),
    [
        (["case", "mark", "aux", "obj"], {"dobj": "obj"}),
        (["mark", "mark_without_to", "aux", "aux_with_to"], {"mark": "mark_without_to", "aux": "aux_with_to"}),
        (["mark", "aux", "dobj", "tmod"], {"mark": "mark", "aux": "aux", "dobj": "dobj"}),
    ],
)
def test_mark_and_aux_are_others_in_ud_than_in_the_table(relations, counterparts):
    assert clark_counterparts(relations) == counterparts


@pytest.mark.parametrize(("name", "sentences"), [("train", 12_544), ("dev", 2_001), ("test", 2_077)])
def test_ewt_is_read_whole_and_written_back_as_it_was(real_data, tmp_path, name, sentences):
    path = real_data(f"ud_english_ewt/en_ewt-ud-{name}.conllu")
    read, left_out = read_conllu(path)
    assert (len(read), left_out) == (sentences, {})
    write_conllu(read, tmp_path / "again.conllu")
    assert (tmp_path / "again.conllu").read_bytes() == path.read_bytes()


def numbered(*documents):
    """Return a sentence of one word for each number of a document."""
    word = Word("a", "_", "_", "_", "_", 0, "root")
    return [Sentence((word,), document=document) for document in documents]


def test_a_document_keeps_its_beginning_when_its_first_sentence_is_left_out(tmp_path):
    path = tmp_path / "dev.conllu"
    write_conllu(numbered(1, 1, 2, 2, 3), path)
    sentences = read_conllu(path)[0]
    assert [sentence.document for sentence in sentences] == [1, 1, 2, 2, 3]
    write_conllu([sentences[place] for place in (1, 3, 4)], path)
    assert [sentence.document for sentence in read_conllu(path)[0]] == [1, 2, 3]
    assert documents_of(path) == [1, 2, 3]
    assert path.read_text().count("# newdoc") == 3


def test_sentences_are_clusters_of_their_own_where_no_document_begins(tmp_path):
    path = tmp_path / "dev.conllu"
    write_conllu(numbered(0, 0, 0), path)
    assert "newdoc" not in path.read_text()
    assert documents_of(path) == clusters_of(read_conllu(path)[0]) == [0, 1, 2]
    path.write_text(path.read_text() + "# newdoc id = x\n" + path.read_text())
    assert documents_of(path) == clusters_of(read_conllu(path)[0]) == [0, 0, 0, 1, 1, 1]
