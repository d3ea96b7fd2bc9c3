"""Parsing texts with a trained pipeline, and loading its models."""

import logging
import shutil

import pytest
import stanza
import torch

from bert_attention.corpora.texts import character_spans
from bert_attention.errors import InputError
from bert_attention.parsing.pipeline import load_pipeline, parse_texts
from tests.parsing.small_parser import LANGUAGE, small_parser  # noqa: F401 (a fixture)

TEXTS = ["Le chat du roi dort.  Paul mange, et le train arrive.", " \n ", "Le chien du voisin parle.\nLe roi dort."]


@pytest.fixture(scope="module")
def pipeline(small_parser):  # noqa: F811
    return load_pipeline(small_parser, LANGUAGE, device="cpu")


@pytest.fixture
def copied(small_parser, tmp_path):  # noqa: F811
    """A copy of the models that a test can damage."""
    return shutil.copytree(small_parser, tmp_path / "models")


def column(sentence, name):
    return [getattr(word, name) for word in sentence.words]


def test_raw_text_is_split_tagged_and_parsed_with_offsets(pipeline):
    first, blank, last = parsed = parse_texts(pipeline, TEXTS)
    assert parse_texts(pipeline, TEXTS, batch_size=1) == parsed
    assert [sentence.comment("text") for sentence in first] == TEXTS[0].split("  ")
    assert first[0].forms == ("Le", "chat", "de", "le", "roi", "dort", ".")
    assert column(first[0], "upos") == ["DET", "NOUN", "ADP", "DET", "NOUN", "VERB", "PUNCT"]
    assert column(first[0], "lemma") == ["le", "chat", "de", "le", "roi", "dort", "."]
    assert column(first[0], "head") == [2, 6, 5, 5, 2, 0, 6]
    assert column(first[0], "relation") == ["det", "nsubj", "case", "det", "nmod", "root", "punct"]
    assert blank == []
    assert [len(sentence.words) for sentence in last] == [7, 4]
    for text, sentences in zip(TEXTS, parsed, strict=True):
        for sentence in sentences:
            forms = ["du" if sentence.other_lines and n in (2, 3) else w for n, w in enumerate(sentence.forms)]
            assert [text[start:end] for start, end in character_spans(sentence)] == forms


def test_pretokenized_words_stay_as_they_are(pipeline):
    words = [["Le", "chat", "du-roi.", "dort"], [], ["Paul", "mange", "."]]
    first, empty, last = parse_texts(pipeline, words, pretokenized=True)
    assert [sentence.forms for sentence in (*first, *last)] == [tuple(words[0]), tuple(words[2])]
    assert empty == []
    assert column(last[0], "upos") == ["PROPN", "VERB", "PUNCT"]
    assert [" ".join(words[0])[start:end] for start, end in character_spans(first[0])] == words[0]
    for word in (" ", "a\tb"):  # CoNLL-U cannot represent these words
        with pytest.raises(InputError, match="text 2, word 1"):
            parse_texts(pipeline, [["Paul"], [word]], pretokenized=True)


def test_long_tokens_keep_their_characters_and_offsets(pipeline):
    """Stanza writes ``<UNK>`` for tokens of more than 400 characters."""
    text = f"Paul mange {'x' * 401} ."
    ((sentence, *_),) = parse_texts(pipeline, [text])
    assert sentence.forms[2] == "x" * 401
    start, end = character_spans(sentence)[2]
    assert text[start:end] == "x" * (end - start)
    assert end - start >= 400


def test_only_the_root_has_the_relation_root(pipeline):
    odd = ["dort dort Le du , , et", "roi", "?? du Paul", "mange . . et le le le parle dort"]
    for sentences in parse_texts(pipeline, odd) + parse_texts(pipeline, [x.split() for x in odd], pretokenized=True):
        assert sentences
        for sentence in sentences:
            assert all((word.relation == "root") == (word.head == 0) for word in sentence.words)


@pytest.mark.parametrize(
    ("content", "language", "problem"),
    [
        (None, LANGUAGE, "there is no resources.json"),
        ("{", LANGUAGE, "is not JSON"),
        ("[]", LANGUAGE, "is not a JSON object"),
        ("as trained", "de", "no default package for language 'de' with tokenize, pos, lemma, depparse"),
    ],
)
def test_the_error_names_resources_that_lack_the_language(copied, content, language, problem):
    if content is None:
        (copied / "resources.json").unlink()
    elif content != "as trained":
        (copied / "resources.json").write_text(content)
    with pytest.raises(InputError, match=problem):
        load_pipeline(copied, language)


class Trap:
    """Writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


@pytest.mark.parametrize("processor", ["tokenize", "mwt", "pos", "lemma", "depparse"])
def test_code_in_a_model_is_not_run(copied, tmp_path, processor):
    torch.save({"model": Trap(tmp_path / "trapped")}, copied / LANGUAGE / processor / "small.pt")
    with pytest.raises(InputError, match=rf"cannot be loaded(.|\n)*published for Stanza {stanza.__version__}"):
        load_pipeline(copied, LANGUAGE, device="cpu")
    assert not (tmp_path / "trapped").exists()


def test_the_error_names_a_missing_model_and_stanza_logs_only_warnings(copied):
    (copied / LANGUAGE / "mwt" / "small.pt").unlink()
    with pytest.raises(InputError, match=r"cannot be loaded \(.*fr/mwt/small.pt"):
        load_pipeline(copied, LANGUAGE, device="cpu")
    logger = logging.getLogger("stanza")
    assert stanza.log_handler not in logger.handlers
    assert logger.level == logging.WARNING
