import dataclasses
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_attention.corpora.conllu import documents_of, read_trees, words_of_corpus, write_conllu
from bert_attention.corpora.corefud import read_documents, write_corefud
from bert_attention.corpora.input_limits import cut_sentence, cut_to_window, documents_within, sentences_within
from bert_attention.corpora.types import Sentence, Word
from bert_attention.errors import InputError
from tests.corpora.trees import drawn_documents, read_back
from tests.written import written_documents

WHERE = Path("corpus.conllu")
DOCUMENTS = written_documents(12)
SENTENCES = [sentence for document in DOCUMENTS for sentence in document.sentences]


def wordpieces(forms):
    return [("x",) * (1 + (len(form) > 6)) for form in forms]


def test_longer_sentences_are_skipped_and_counted():
    words = [wordpieces(sentence.forms) for sentence in SENTENCES]
    lengths = [sum(map(len, each)) for each in words]
    kept, left_out = sentences_within(SENTENCES, words, 9, "error", WHERE)
    assert kept == [sentence for sentence, length in zip(SENTENCES, lengths, strict=True) if length <= 9]
    assert left_out == {"sentences of more than 9 wordpieces": len(lengths) - len(kept)}
    with pytest.raises(InputError, match="no sentence is left; left out: 41 sentences of more than 1 wordpieces"):
        sentences_within(SENTENCES, words, 1, "error", WHERE)


def test_documents_are_cut_and_documents_without_coreference_skipped():
    words = [wordpieces(document.forms) for document in DOCUMENTS]
    kept, left_out = documents_within(DOCUMENTS, words, 12, "error", WHERE)
    expected = (
        cut_to_window(document, list(map(len, each)), 12) for document, each in zip(DOCUMENTS, words, strict=True)
    )
    assert kept == list(filter(None, expected))
    assert 0 < left_out.total() == len(DOCUMENTS) - len(kept) < len(DOCUMENTS)
    with pytest.raises(InputError, match="no document is left; left out: 12 documents without coreference in their"):
        documents_within(DOCUMENTS, words, 1, "error", WHERE)
    older = dataclasses.replace(DOCUMENTS[0], mentions=())
    with pytest.raises(InputError, match=r"no document has mentions that corefer\n.*ClusterId="):
        documents_within([older], words[:1], 12, "error", WHERE)


@pytest.mark.parametrize("function", [sentences_within, documents_within])
def test_a_word_without_wordpieces_is_an_error_that_names_it_or_is_skipped(function):
    items = SENTENCES[:3] if function is sentences_within else DOCUMENTS[:3]
    words = [wordpieces(item.forms) for item in items]
    words[1][0] = ()
    with pytest.raises(InputError, match=rf"corpus.conllu, .*word 1, '{items[1].forms[0]}', has no wordpiece"):
        function(items, words, 500, "error", WHERE)
    kept, left_out = function(items, words, 500, "skip", WHERE)
    assert (len(kept), left_out.total()) == (2, 1)


def test_parts_of_sentences_and_documents(tmp_path):
    treebank, coreference = tmp_path / "treebank_dev.conllu", tmp_path / "coreference.conllu"
    write_conllu(SENTENCES[:5], treebank)
    write_corefud(DOCUMENTS[:3], coreference)
    for path, items in ((treebank, SENTENCES[:5]), (coreference, DOCUMENTS[:3])):
        words = [item.forms for item in items]
        assert words_of_corpus(path) == words
        assert words_of_corpus(path, range(1, 2)) == words[1:2]
        assert words_of_corpus(path, range(0)) == []
        assert len(documents_of(path)) == len(words)
    assert read_trees(treebank, range(2, 4)) == SENTENCES[2:4]
    assert read_documents(coreference, range(1, 3)) == list(DOCUMENTS[1:3])
    parts = [dataclasses.replace(DOCUMENTS[0], id=name, text=name[0]) for name in ("a 000", "a 001", "b 000")]
    write_corefud(parts, coreference)
    assert documents_of(coreference) == [part.text_id for part in parts] == ["a", "a", "b"]
    assert read_documents(coreference) == parts
    treebank.write_text(treebank.read_text() + "bad\n")
    assert words_of_corpus(treebank, range(5)) == [sentence.forms for sentence in SENTENCES[:5]]
    with pytest.raises(InputError, match=r"treebank_dev.conllu, line \d+: has 1 column"):
        words_of_corpus(treebank, range(5, 6))
    treebank.write_text("\n")
    for read in (documents_of, words_of_corpus):
        with pytest.raises(InputError, match="holds no sentence"):
            read(treebank)


def tree(text, *comments, other_lines=()):
    """Sentence of words written ``form:head``."""
    words = [word.rsplit(":", 1) for word in text.split()]
    relations = {"0": "root"}
    words = (Word(form, "_", "_", "NN", "_", int(head), relations.get(head, "nsubj"), deps="x") for form, head in words)
    return Sentence(tuple(words), comments, other_lines)


@pytest.mark.parametrize(
    ("text", "stop", "expected"),
    [
        ("a:2 b:0 c:2", 2, [("a", 2, "nsubj"), ("b", 0, "root")]),
        # the nearest remaining ancestor: c, whose head d is cut off, depends on b
        ("a:2 b:0 c:4 d:2", 3, [("a", 2, "nsubj"), ("b", 0, "root"), ("c", 2, "dep")]),
        # no ancestor remains: the first is the root, the others depend on it
        ("a:3 b:4 c:4 d:0", 2, [("a", 0, "root"), ("b", 1, "dep")]),
    ],
)
def test_cut_trees_equal_those_worked_out_by_hand(text, stop, expected):
    assert [(word.form, word.head, word.relation) for word in cut_sentence(tree(text), stop).words] == expected


def test_a_cut_sentence_loses_annotations_of_the_whole_sentence():
    rest = "\t_" * 9
    others = ((0, f"1-2\tab{rest}"), (2, f"2.1\t_{rest}"), (2, f"3-4\tcd{rest}"), (4, f"5-6\tef{rest}"))
    whole = tree("a:0 b:1 c:1 d:1 e:1 f:1", "# sent_id = s", "# text = abcdef", other_lines=others)
    start = cut_sentence(whole, 5)
    assert start.comments == ("# sent_id = s",)
    assert start.other_lines == ((0, f"1-2\tab{rest}"), (2, f"3-4\tcd{rest}"))
    assert {word.deps for word in start.words} == {"_"}
    assert cut_sentence(whole, 6) == whole


@given(drawn_documents(), st.data())
def test_a_cut_sentence_is_a_tree(document, data):
    for sentence in document.sentences:
        part = cut_sentence(sentence, data.draw(st.integers(1, len(sentence.words))))
        assert read_back(part) == part


@given(drawn_documents(), st.data())
def test_a_window_is_the_longest_beginning_that_fits(document, data):
    forms = document.forms
    wordpieces = data.draw(st.lists(st.integers(0, 3), min_size=len(forms), max_size=len(forms)))
    budget = data.draw(st.integers(0, 12))
    window = cut_to_window(document, wordpieces, budget)
    longest = max(size for size in range(len(forms) + 1) if sum(wordpieces[:size]) <= budget)
    fitting = [item for item in document.mentions if item.words[-1] < longest]
    chains = Counter(item.chain for item in fitting)
    kept = tuple(item for item in fitting if chains[item.chain] > 1)
    assert (window.mentions if window else ()) == kept
    assert window is None or window.forms == forms[:longest]
