"""Trees and documents cut to a model's maximum length."""

import dataclasses
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_attention.corpora.conllu import documents_of, read_trees, words_of_corpus, write_conllu
from bert_attention.corpora.corefud import read_documents, write_corefud
from bert_attention.corpora.input_limits import cut_sentence, cut_to_window, documents_within, sentences_within
from bert_attention.corpora.types import Document, Mention, Sentence, Word
from bert_attention.errors import InputError
from tests.corpora.trees import drawn_heads, read_back
from tests.written import written_documents

WHERE = Path("corpus.conllu")
DOCUMENTS = written_documents(12)
SENTENCES = [sentence for document in DOCUMENTS for sentence in document.sentences]


def wordpieces(forms):
    return [("x",) * (1 + (len(form) > 6)) for form in forms]


def test_longer_sentences_are_left_out_and_counted():
    lengths = [sum(map(len, wordpieces(sentence.forms))) for sentence in SENTENCES]
    budget = sorted(lengths)[len(lengths) // 2]
    kept, left_out = sentences_within(SENTENCES, [wordpieces(s.forms) for s in SENTENCES], budget, "error", WHERE)
    assert kept == [s for s, length in zip(SENTENCES, lengths, strict=True) if length <= budget]
    assert left_out == {f"sentences of more than {budget} wordpieces": len(lengths) - len(kept)}
    with pytest.raises(InputError, match="no sentence is left; left out: 41 sentences of more than 1 wordpieces"):
        sentences_within(SENTENCES, [wordpieces(s.forms) for s in SENTENCES], 1, "error", WHERE)


def test_documents_are_cut_and_those_without_coreference_left_out():
    words = [wordpieces(document.forms) for document in DOCUMENTS]
    kept, left_out = documents_within(DOCUMENTS, words, 12, "error", WHERE)
    assert kept
    assert left_out
    assert len(kept) + sum(left_out.values()) == len(DOCUMENTS)
    for document in kept:
        assert sum(map(len, wordpieces(document.forms))) <= 12
        assert document.mentions


@pytest.mark.parametrize("function", [sentences_within, documents_within])
def test_a_word_without_wordpieces_is_named_or_skipped(function):
    items = SENTENCES[:3] if function is sentences_within else DOCUMENTS[:3]
    words = [wordpieces(item.forms) for item in items]
    words[1][0] = ()
    with pytest.raises(InputError, match=rf"corpus.conllu, .*word 1, '{items[1].forms[0]}', has no wordpiece"):
        function(items, words, 500, "error", WHERE)
    kept, left_out = function(items, words, 500, "skip", WHERE)
    assert len(kept) == 2
    assert sum(left_out.values()) == 1


def test_units_are_sentences_or_documents_all_or_a_part_of_them(tmp_path):
    write_conllu(SENTENCES[:5], tmp_path / "treebank_dev.conllu")
    write_corefud(DOCUMENTS[:3], tmp_path / "coreference.conllu")
    of_sentences = [sentence.forms for sentence in SENTENCES[:5]]
    of_documents = [document.forms for document in DOCUMENTS[:3]]
    for name, words in (("treebank_dev.conllu", of_sentences), ("coreference.conllu", of_documents)):
        assert words_of_corpus(tmp_path / name) == words
        assert words_of_corpus(tmp_path / name, range(1, 2)) == words[1:2]
        assert words_of_corpus(tmp_path / name, range(1, len(words))) == words[1:]
        assert words_of_corpus(tmp_path / name, range(0)) == []
        assert len(documents_of(tmp_path / name)) == len(words)
    (tmp_path / "none.conllu").write_text("\n")
    for read in (documents_of, words_of_corpus):
        with pytest.raises(InputError, match="holds no sentence"):
            read(tmp_path / "none.conllu")
    assert read_trees(tmp_path / "treebank_dev.conllu", range(2, 4)) == SENTENCES[2:4]
    assert read_documents(tmp_path / "coreference.conllu", range(1, 3)) == list(DOCUMENTS[1:3])
    parts = [dataclasses.replace(DOCUMENTS[0], id=name) for name in ("a 000", "a 001", "b 000")]
    write_corefud(parts, tmp_path / "coreference.conllu")
    assert documents_of(tmp_path / "coreference.conllu") == [part.text_id for part in parts] == ["a", "a", "b"]


def test_a_bad_line_is_named_by_its_part_alone(tmp_path):
    path = tmp_path / "treebank_dev.conllu"
    write_conllu(SENTENCES[:3], path)
    lines = path.read_text().splitlines()
    lines[-2] = "bad"
    path.write_text("\n".join(lines) + "\n")
    assert words_of_corpus(path, range(2)) == [sentence.forms for sentence in SENTENCES[:2]]
    with pytest.raises(InputError, match=rf"treebank_dev.conllu, line {len(lines) - 1}: "):
        words_of_corpus(path, range(2, 3))


def tree(text, *comments, other_lines=()):
    """Sentence of words written ``form:head``."""
    words = [word.rsplit(":", 1) for word in text.split()]
    relations = ("root", "nsubj")  # of the root and of all others
    return Sentence(
        tuple(Word(form, "_", "_", "NN", "_", int(head), relations[head != "0"], deps="x") for form, head in words),
        comments,
        other_lines,
    )


def heads(sentence):
    return [(word.form, word.head, word.relation) for word in sentence.words]


@pytest.mark.parametrize(
    ("text", "stop", "expected"),
    [
        ("a:2 b:0 c:2", 2, [("a", 2, "nsubj"), ("b", 0, "root")]),
        # the nearest remaining ancestor: c, whose head d is cut off, depends on b
        ("a:2 b:0 c:4 d:2", 3, [("a", 2, "nsubj"), ("b", 0, "root"), ("c", 2, "dep")]),
        ("a:2 b:4 c:5 d:0 e:2", 3, [("a", 2, "nsubj"), ("b", 0, "root"), ("c", 2, "dep")]),
        # no ancestor remains: the first is the root, the others depend on it
        ("a:3 b:3 c:0", 2, [("a", 0, "root"), ("b", 1, "dep")]),
        ("a:3 b:4 c:4 d:0", 2, [("a", 0, "root"), ("b", 1, "dep")]),
    ],
)
def test_cut_trees_worked_out_by_hand(text, stop, expected):
    assert heads(cut_sentence(tree(text), stop)) == expected


def test_a_cut_sentence_loses_what_tells_of_the_whole():
    rest = "\t_" * 9
    others = ((0, f"1-2\tab{rest}"), (2, f"2.1\t_{rest}"), (2, f"3-4\tcd{rest}"), (4, f"5-6\tef{rest}"))
    whole = tree("a:0 b:1 c:1 d:1 e:1 f:1", "# sent_id = s", "# text = abcdef", other_lines=others)
    start = cut_sentence(whole, 5)
    assert start.comments == ("# sent_id = s",)
    assert start.other_lines == ((0, f"1-2\tab{rest}"), (2, f"3-4\tcd{rest}"))
    assert {word.deps for word in start.words} == {"_"}
    assert cut_sentence(whole, 6) == whole


@st.composite
def documents(draw):
    sentences, words = [], 0
    for _ in range(draw(st.integers(1, 4))):
        heads = draw(drawn_heads(8))
        sentences.append(tree(" ".join(f"w{place}:{head}" for place, head in enumerate(heads, start=words))))
        words += len(heads)
    drawn = draw(st.lists(st.tuples(st.sampled_from("ab"), st.sets(st.integers(0, words - 1), min_size=1)), max_size=9))
    mentions = {Mention(chain, tuple(sorted(chosen)), max(chosen), "proper") for chain, chosen in drawn}
    return Document("d", tuple(sentences), tuple(sorted(mentions, key=lambda item: (item.words, item.chain))))


@given(documents(), st.data())
def test_whatever_is_cut_stays_a_tree(document, data):
    for sentence in document.sentences:
        part = cut_sentence(sentence, data.draw(st.integers(1, len(sentence.words))))
        assert read_back(part) == part


@given(documents(), st.data())
def test_a_window_is_the_longest_beginning(document, data):
    forms = document.forms
    wordpieces = data.draw(st.lists(st.integers(0, 3), min_size=len(forms), max_size=len(forms)))
    budget = data.draw(st.integers(0, 12))
    window = cut_to_window(document, wordpieces, budget)
    longest = max(size for size in range(len(forms) + 1) if sum(wordpieces[:size]) <= budget)
    fitting = [item for item in document.mentions if item.words[-1] < longest]
    chains = Counter(item.chain for item in fitting)
    kept = tuple(item for item in fitting if chains[item.chain] > 1)
    if window is None:
        assert not kept
    else:
        assert window.mentions == kept
        assert window.forms == forms[:longest]
