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


def lines(*rows):
    """Lines of words ``form head`` as numbered lines of CoNLL-U."""
    columns = [row.split() for row in rows]
    return [
        (number, f"{number}\t{form}\t_\t_\t_\t_\t{head}\tdep\t_\t_")
        for number, (form, head) in enumerate(columns, start=1)
    ]


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


def test_windows_line_ends_and_a_missing_last_empty_line_are_read(tmp_path):
    path = tmp_path / "crlf.conllu"
    path.write_bytes(ALL_PARTS.rstrip("\n").replace("\n", "\r\n").encode())
    (sentence,), _ = read_conllu(path)
    assert format_sentence(sentence) == ALL_PARTS


@given(drawn_heads(9))
def test_any_tree_is_read_back(heads):
    words = tuple(Word(f"w{place}", "_", "_", "_", "_", head, "dep") for place, head in enumerate(heads))
    sentence = Sentence(words, ("# text = x",))
    assert read_back(sentence) == sentence


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        (["a 2", "b 1"], "line 1: word 1 is its own ancestor"),
        (["a 1"], "line 1: word 1 is its own ancestor"),
        (["a 0", "b 4", "c 2", "d 3"], "line 2: word 2 is its own ancestor"),
        (["a 0", "b 1", "c 0"], "line 3: is a second root: word 1 is"),
        (["a 0", "b 3"], "line 2: the head is 3, but the sentence has 2 words"),
        (["a 0", "b -1"], r"line 2: the head \(seventh column\) is '-1', expected the number of a word"),
        (["a 0", "b _"], r"line 2: the head \(seventh column\) is '_', expected the number of a word"),
        (["a 0", "b ²"], r"line 2: the head \(seventh column\) is '²', expected the number of a word"),
    ],
)
def test_heads_that_form_no_tree_are_named(rows, problem):
    with pytest.raises(ValueError, match=problem):
        parse_sentence(lines(*rows))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("1\ta\t_\t_\t_\t_\t0\troot\t_", "has 9 columns separated by tabs, not 10"),
        ("1 a _ _ _ _ 0 root _ _", "has 1 columns separated by tabs, not 10"),
        ("2\ta\t_\t_\t_\t_\t0\troot\t_\t_", "has the id '2', expected 1"),
        ("1\t\t_\t_\t_\t_\t0\troot\t_\t_", r"the word \(second column\) is empty"),
        ("1\ta\t_\t_\t_\t_\t0\t\t_\t_", r"the relation \(eighth column\) is '', expected a name"),
        ("1\ta\t_\t_\t_\t_\t0\t:poss\t_\t_", r"the relation \(eighth column\) is ':poss', expected a name"),
        ("# only = a comment", "the sentence has no words"),
    ],
)
def test_bad_lines_are_named_by_file_and_line(tmp_path, line, problem):
    path = tmp_path / "bad.conllu"
    path.write_text(f"{ALL_PARTS}{line}\n\n")
    with pytest.raises(InputError, match=rf"bad.conllu, line 16: {problem}\n  Remedy: "):
        read_conllu(path)


def test_bad_sentences_can_be_skipped_and_are_counted(tmp_path):
    bad = "1\ta\t_\t_\t_\t_\t{}\tdep\t_\t_\n\n"
    path = tmp_path / "mixed.conllu"
    path.write_text(bad.format(1) + ALL_PARTS + bad.format(5) + "# nothing\n\n" + bad.format(1))
    sentences, left_out = read_conllu(path, on_bad_input="skip")
    assert len(sentences) == 1
    assert left_out == {"cycles": 2, "heads out of range": 1, "empty sentences": 1}


def test_a_file_without_sentences_is_named(tmp_path):
    path = tmp_path / "none.conllu"
    path.write_text("\n\n")
    with pytest.raises(InputError, match=r"none.conllu: holds no sentence"):
        read_conllu(path)


def test_conll_x_has_its_columns_in_the_same_places():
    row = "1\tSales\t_\tNNS\tNNS\t_\t0\troot\t_\t_"
    (word,) = parse_sentence([(1, row)]).words
    assert (word.form, word.xpos, word.head, word.relation) == ("Sales", "NNS", 0, "root")


def test_subtypes_of_relations_are_folded():
    word = Word("a", "_", "_", "_", "_", 0, "nmod:poss")
    plain = dataclasses.replace(word, relation="obj")
    assert [w.relation for w in fold_relations(Sentence((word, plain))).words] == ["nmod", "obj"]


def test_escapes_of_the_penn_treebank_are_undone():
    forms = ["-LRB-", "``", "and\\/or", "''", "plain", "-RRB-", "2\\*"]
    words = tuple(Word(form, "_", "_", "_", "_", 0, "dep") for form in forms)
    assert undo_ptb_escapes(Sentence(words)).forms == ("(", '"', "and/or", '"', "plain", ")", "2*")


def test_relations_have_the_names_of_clark_table_1_where_there_is_one():
    assert [clark_name(r) for r in ("obj", "nmod:poss", "aux:pass", "prep", "dobj")] == [
        "dobj",
        "poss",
        "auxpass",
        "prep",
        "dobj",
    ]
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


def test_a_word_without_offsets_has_no_span():
    with pytest.raises(ValueError, match="word 1 has no start_char"):
        character_spans(Sentence((Word("Oui", "oui", "INTJ", "_", "_", 0, "root"),)))


def numbered(*documents):
    """A sentence of one word for each number of a document."""
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
