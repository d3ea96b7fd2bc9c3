"""Trees and documents cut to what fits into a model."""

from pathlib import Path

import pytest

from bert_attention.corpora.conllu import words_of_corpus, write_conllu
from bert_attention.corpora.corefud import write_corefud
from bert_attention.corpora.input_limits import documents_within, sentences_within
from bert_attention.errors import InputError
from miniature import generate_documents

WHERE = Path("corpus.conllu")
DOCUMENTS = generate_documents(40, seed=3)
SENTENCES = [sentence for document in DOCUMENTS for sentence in document.sentences]


def wordpieces(forms):
    return [("x",) * (1 + (len(form) > 6)) for form in forms]


def test_longer_sentences_are_left_out_and_counted():
    lengths = [sum(map(len, wordpieces(sentence.forms))) for sentence in SENTENCES]
    room = sorted(lengths)[len(lengths) // 2]
    kept, left_out = sentences_within(SENTENCES, [wordpieces(s.forms) for s in SENTENCES], room, "error", WHERE)
    assert kept == [s for s, length in zip(SENTENCES, lengths, strict=True) if length <= room]
    assert left_out == {f"sentences of more than {room} wordpieces": len(lengths) - len(kept)}


def test_documents_are_cut_and_those_without_coreference_left_out():
    words = [wordpieces([form for s in document.sentences for form in s.forms]) for document in DOCUMENTS]
    kept, left_out = documents_within(DOCUMENTS, words, 30, "error", WHERE)
    assert len(kept) + sum(left_out.values()) == len(DOCUMENTS)
    for document in kept:
        forms = [form for sentence in document.sentences for form in sentence.forms]
        assert sum(map(len, wordpieces(forms))) <= 30
        assert document.mentions


@pytest.mark.parametrize("function", [sentences_within, documents_within])
def test_a_word_without_wordpieces_is_named_or_skipped(function):
    items = SENTENCES[:3] if function is sentences_within else DOCUMENTS[:3]
    forms = [[form for s in getattr(item, "sentences", (item,)) for form in s.forms] for item in items]
    words = [wordpieces(item) for item in forms]
    words[1][0] = ()
    with pytest.raises(InputError, match=rf"corpus.conllu, .*word 1, '{forms[1][0]}', has no wordpiece"):
        function(items, words, 500, "error", WHERE)
    kept, left_out = function(items, words, 500, "skip", WHERE)
    assert len(kept) == 2
    assert sum(left_out.values()) == 1


def test_nothing_left_is_an_error():
    words = [wordpieces(sentence.forms) for sentence in SENTENCES]
    with pytest.raises(InputError, match="no sentence has at most 1 wordpieces"):
        sentences_within(SENTENCES, words, 1, "error", WHERE)


def test_units_are_sentences_or_documents(tmp_path):
    write_conllu(SENTENCES[:5], tmp_path / "treebank_dev.conllu")
    write_corefud(DOCUMENTS[:2], tmp_path / "coreference.conllu")
    assert words_of_corpus(tmp_path / "treebank_dev.conllu") == [sentence.forms for sentence in SENTENCES[:5]]
    whole = [tuple(form for s in document.sentences for form in s.forms) for document in DOCUMENTS[:2]]
    assert words_of_corpus(tmp_path / "coreference.conllu") == whole
