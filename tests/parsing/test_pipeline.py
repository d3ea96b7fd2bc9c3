import logging
import shutil

import pytest
import stanza
import torch

from bert_attention.corpora.texts import character_spans
from bert_attention.errors import InputError
from bert_attention.parsing.pipeline import load_pipeline, parse_texts
from tests.parsing.small_parser import LANGUAGE, small_parser  # noqa: F401 (a fixture)

TEXTS = ["Le chat du roi dort. Paul mange, et le train arrive.", " \n ", "Le chien du voisin parle.\nLe roi dort."]


@pytest.fixture(scope="module")
def pipeline(small_parser):  # noqa: F811
    return load_pipeline(small_parser, LANGUAGE, device="cpu")


@pytest.fixture
def copied(small_parser, tmp_path):  # noqa: F811
    """A copy of the models that a test may damage."""
    return shutil.copytree(small_parser, tmp_path / "models")


def column(sentence, name):
    return [getattr(word, name) for word in sentence.words]


def test_raw_text_is_split_tagged_and_parsed(pipeline):
    first, blank, last = parse_texts(pipeline, TEXTS)
    assert [sentence.comment("text") for sentence in first] == [
        "Le chat du roi dort.",
        "Paul mange, et le train arrive.",
    ]
    assert first[0].forms == ("Le", "chat", "de", "le", "roi", "dort", ".")
    assert column(first[0], "upos") == ["DET", "NOUN", "ADP", "DET", "NOUN", "VERB", "PUNCT"]
    assert column(first[0], "lemma") == ["le", "chat", "de", "le", "roi", "dort", "."]
    assert column(first[0], "head") == [2, 6, 5, 5, 2, 0, 6]
    assert column(first[0], "relation") == ["det", "nsubj", "case", "det", "nmod", "root", "punct"]
    assert blank == []
    assert [len(sentence.words) for sentence in last] == [7, 4]


def test_words_stand_where_their_offsets_say(pipeline):
    for text, sentences in zip(TEXTS, parse_texts(pipeline, TEXTS), strict=True):
        for sentence in sentences:
            written = [text[start:end] for start, end in character_spans(sentence)]
            assert written == [
                "du" if sentence.other_lines and n in (2, 3) else w for n, w in enumerate(sentence.forms)
            ]


def test_the_size_of_batches_changes_nothing_but_their_number(pipeline):
    numbers = []

    def counting(batches):
        numbers.append(len(batches))
        return batches

    one, all_at_once = (parse_texts(pipeline, TEXTS, batch_size=size, progress=counting) for size in (1, 9))
    assert one == all_at_once
    assert numbers == [2, 1]  # the blank text is in none


def test_words_given_are_kept_as_they_are(pipeline):
    words = [["Le", "chat", "du-roi.", "dort"], [], ["Paul", "mange", "."]]
    first, empty, last = parse_texts(pipeline, words, pretokenized=True)
    assert [sentence.forms for sentence in (*first, *last)] == [tuple(words[0]), tuple(words[2])]
    assert empty == []
    assert column(last[0], "upos") == ["PROPN", "VERB", "PUNCT"]
    assert [" ".join(words[0])[start:end] for start, end in character_spans(first[0])] == words[0]


def test_long_tokens_keep_their_characters_and_their_offsets(pipeline):
    """Stanza has ``<UNK>`` for those of more than 400."""
    words = [["Paul", "mange", "x" * size, "."] for size in (400, 401)]
    texts = [" ".join(one) for one in words]
    for text, (sentence, *_), form in zip(texts, parse_texts(pipeline, texts), ("x" * 400, "x" * 401), strict=True):
        assert sentence.forms[2] == form
        start, end = character_spans(sentence)[2]
        assert text[start:end] == "x" * (end - start)
        assert end - start >= 400


@pytest.mark.parametrize("word", ["", " ", "a\tb", "a\nb"])
def test_words_that_conllu_cannot_hold_are_refused(pipeline, word):
    with pytest.raises(InputError, match="text 2, word 1"):
        parse_texts(pipeline, [["Paul"], [word]], pretokenized=True)


def test_exactly_the_root_has_the_relation_root(pipeline):
    odd = ["dort dort Le du , , et", "roi", "?? du Paul", "mange . . et le le le parle dort"]
    for sentences in parse_texts(pipeline, odd) + parse_texts(pipeline, [x.split() for x in odd], pretokenized=True):
        assert sentences
        for sentence in sentences:
            assert [relation == "root" for relation in column(sentence, "relation")] == [
                head == 0 for head in column(sentence, "head")
            ]


def test_a_model_that_is_missing_is_named(copied):
    (copied / LANGUAGE / "mwt" / "small.pt").unlink()
    with pytest.raises(InputError, match=r"cannot be loaded \(.*fr/mwt/small.pt"):
        load_pipeline(copied, LANGUAGE, device="cpu")


@pytest.mark.parametrize(
    ("content", "problem"),
    [(None, "there is no resources.json"), ("{", "is not JSON"), ("[]", "is not a JSON object"), ("{}", "no default")],
)
def test_resources_that_cannot_be_used_are_named(copied, content, problem):
    path = copied / "resources.json"
    path.unlink()
    if content is not None:
        path.write_text(content)
    with pytest.raises(InputError, match=problem):
        load_pipeline(copied, LANGUAGE)


def test_a_language_that_is_not_there_is_named(small_parser):  # noqa: F811
    with pytest.raises(InputError, match="no default package for language 'de' with tokenize, pos, lemma, depparse"):
        load_pipeline(small_parser, "de")


def replace_model(folder, processor, content):
    """Replace a model by ``content``."""
    torch.save(content, folder / LANGUAGE / processor / "small.pt")


class Trap:
    """Writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


@pytest.mark.parametrize("processor", ["tokenize", "mwt", "pos", "lemma", "depparse"])
def test_code_in_a_model_is_not_run(copied, tmp_path, processor):
    replace_model(copied, processor, {"model": Trap(tmp_path / "trapped")})
    with pytest.raises(InputError, match="cannot be loaded"):
        load_pipeline(copied, LANGUAGE, device="cpu")
    assert not (tmp_path / "trapped").exists()


def test_a_model_of_another_kind_is_refused(copied):
    replace_model(copied, "pos", {"weights": torch.zeros(3)})
    with pytest.raises(InputError, match=f"models trained with or published for Stanza {stanza.__version__}"):
        load_pipeline(copied, LANGUAGE, device="cpu")


def test_stanza_neither_prints_for_itself_nor_more_than_warnings():
    logger = logging.getLogger("stanza")
    assert stanza.log_handler not in logger.handlers
    assert logger.level == logging.WARNING
