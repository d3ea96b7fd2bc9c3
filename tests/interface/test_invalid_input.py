"""Texts, corpora, files and options that cannot be used are errors that name the input."""

import gzip
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from bert_attention import AttentionModel, InputError, Study, draw, interval, show
from bert_attention.corpora.alignments import read_alignments
from bert_attention.corpora.conllu import read_conllu, write_conllu
from bert_attention.corpora.corefud import write_corefud
from bert_attention.corpora.running_text import read_running_text
from bert_attention.corpora.segments import build_segments
from bert_attention.corpora.types import Document, Mention, Sentence, Word
from bert_attention.models.devices import choose_device
from bert_attention.statistics.jackknife import Replicates
from bert_attention.tables import columns_of
from tests.written import written_documents

DOCUMENTS = written_documents(4)
TREES = [sentence for document in DOCUMENTS for sentence in document.sentences]
LONG = "The cat sat on the mat, and then it saw a bird: " * 30
UNKNOWN = "\u2603\u2603"  # snowmen, which the vocabulary lacks
HALVES = ["a \ud83d cat", "caf\udce9"]  # half of an emoji, and a byte of Latin-1


def with_head(word, head):
    """Return the first sentence with another head of a word, from 1."""
    words = list(TREES[0].words)
    words[word - 1] = replace(words[word - 1], head=head)
    return replace(TREES[0], words=tuple(words))


def with_mention(words, head):
    """Return the first document with a single mention."""
    return replace(DOCUMENTS[0], mentions=(Mention("e", words, head, "pronoun"),))


def sentence(*words):
    rows = (Word(word, "_", "NOUN", "NN", "_", n, "dep" if n else "root") for n, word in enumerate(words))
    return Sentence(tuple(rows))


MENTIONS = tuple(Mention("e", (word,), word, "nominal") for word in (0, 1))
DEGENERATE = {
    "a paragraph of unknown characters": {"texts": [UNKNOWN, (UNKNOWN, UNKNOWN)]},
    "punctuation alone": {"texts": [". . ."]},
    "sentences of one word": {"trees": [sentence("cat")], "train_trees": [sentence("cat")]},
    "trees of unknown words": {"trees": [sentence(UNKNOWN, UNKNOWN)] * 3},
    "a document of unknown words": {"documents": [Document("d", (sentence(UNKNOWN, UNKNOWN),), MENTIONS)]},
}


@pytest.mark.filterwarnings("ignore:.*too few for intervals")
@pytest.mark.parametrize("corpora", DEGENERATE.values(), ids=DEGENERATE)
def test_a_corpus_with_nothing_to_measure_gives_empty_cells_or_an_error(small_model, corpora):
    try:
        study = Study(small_model, control_seeds=1, **corpora)
    except InputError as error:
        assert "of the wordpieces are [UNK]" in error.problem
        return
    for name in study.available:
        try:
            study.figure(name) if "_figure_" in name else study.table(name)
        except InputError as error:
            assert error.remedy


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "text 1: '' has no token"),
        (["fine", 3], "text 2: 3 is not a text"),
        (("one", "two", "three"), "is not a text"),
        ("long " * 200, "has 202 tokens, but the model takes at most 128"),
    ],
)
def test_unusable_texts_are_errors(small_model, text, message):
    with pytest.raises(InputError, match=f"(?s){message}.*Remedy"):
        small_model.run(text)


@pytest.mark.parametrize(
    ("corpora", "message"),
    [
        ({"texts": []}, "texts: hold no text"),
        ({"texts": ["fine", ""]}, "text 2: '' has no token"),
        ({"texts": "Note: the cat sat."}, "there is no such file"),
        ({"texts": LONG}, r"texts=.*: is a text, not the path of a file\n.*texts=\[\.\.\.\]"),
        ({"trees": "One line.\nAnother line."}, r"trees=.*: is a text, not the path of a file\n.*trees=\[\.\.\.\]"),
        ({"documents": ""}, r"documents=.*: is a text, not the path of a file\n.*documents=\[\.\.\.\]"),
        ({"trees": "dev.conllu"}, "trees='dev.conllu': there is no such file"),
        ({"trees": ["The cat sat."]}, "trees: has a str, not a Sentence"),
        ({"documents": TREES}, "documents: has a Sentence, not a Document"),
        ({"trees": []}, "trees: is empty"),
        ({"texts": ["a.txt", "b.txt"]}, r"texts: looks like the path of a file.*\n.*texts='a.txt'; .*tuples"),
        ({"texts": ("my/text",)}, r"texts: looks like the path of a file"),
        ({"texts": 5}, "texts: is a int, not a list of texts"),
        ({"texts": {"a": "b"}}, "texts: is a dict, not a list of texts"),
        ({"trees": 5}, "trees: is a int, not a list of Sentence"),
        ({"trees": [None]}, "trees: has a NoneType, not a Sentence"),
        ({"trees": [TREES[0], None]}, "trees: has a NoneType, not a Sentence"),
        ({"trees": [Sentence(())]}, "trees, sentence 1: has no words"),
        ({"trees": [TREES[0], with_head(2, 99)]}, "trees, sentence 2, word 2: the head is 99, but the sentence has"),
        ({"train_trees": [with_head(1, -1)]}, "trees, sentence 1, word 1: the head is -1, but the sentence has"),
        ({"trees": [with_head(1, 1)]}, "trees, sentence 1, word 1: word 1 is its own ancestor"),
        ({"trees": [replace(TREES[0], document=n) for n in (1, 2, 1)]}, "trees: the sentences of document 1 do not"),
        ({"documents": [Document("a", (with_head(2, 99),), ())]}, "documents, document 1, word 2: the head is 99"),
        ({"documents": [with_mention((), 0)]}, r"documents, document 1: has a mention of 'e' with the words \[\]"),
        ({"documents": [with_mention((0, 999), 0)]}, r"documents, document 1: .*\n.*count words from 0 to"),
        ({"documents": [with_mention((1, 0), 0)]}, r"documents, document 1: has a mention"),
        ({"documents": [DOCUMENTS[0], with_mention((0, 1), 2)]}, "documents, document 2: .* and the head 2"),
        ({"trees": [replace(TREES[0], words=(Word("\u200b", "_", "_", "_", "_", 0, "root"),))]}, "trees, sentence 1"),
    ],
)
def test_unusable_corpora_are_errors(small_model, corpora, message):
    with pytest.raises(InputError, match=f"^{message}" if "no such file" not in message else message):
        Study(small_model, **corpora)


def test_files_are_read_also_if_compressed_and_damaged_files_are_errors(small_model, tmp_path):
    write_conllu(TREES, tmp_path / "trees.conllu")
    write_corefud(DOCUMENTS, tmp_path / "documents.conllu")
    in_folder = Study(small_model, trees=tmp_path)._sentences["treebank_dev"]
    assert len(in_folder) == len(TREES) + sum(len(document.sentences) for document in DOCUMENTS)
    for corpus in ("trees", "documents"):
        plain = tmp_path / f"{corpus}.conllu"
        compressed = tmp_path / f"{corpus}.conllu.gz"
        compressed.write_bytes(gzip.compress(plain.read_bytes()))
        found, expected = (Study(small_model, **{corpus: file}) for file in (compressed, plain))
        assert found._sentences == expected._sentences
        assert found._documents == expected._documents
        compressed.write_bytes(compressed.read_bytes()[:-40])
        with pytest.raises(InputError, match=rf"{corpus}.conllu.gz: cannot be read"):
            Study(small_model, **{corpus: compressed})
        compressed.write_text("1\tcat")
        with pytest.raises(InputError, match=r"is not compressed, although its name ends in"):
            Study(small_model, **{corpus: compressed})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"words": "median"}, r"words='median': is not one of mean, first, max"),
        ({"max_wordpieces": 0}, r"max_wordpieces=0: is not a whole number, or too small"),
        ({"max_wordpieces": 64.0}, r"max_wordpieces=64.0: "),
        ({"control_seeds": 0}, r"control_seeds=0: "),
        ({"control_seeds": 10**30}, r"control_seeds=10{30}: .*\n.* from 1 to 1000"),
        ({"seed": 99999999999999999999}, r"seed=9{20}: .*\n.* from 0 to 4000000000"),
        ({"seed": 4_000_000_001}, "seed=4000000001: "),
        ({"most_segments": -1}, r"most_segments=-1: "),
        ({"seed": "one"}, r"seed='one': "),
    ],
)
def test_invalid_options_of_a_study_are_errors(small_model, options, message):
    with pytest.raises(InputError, match=message):
        Study(small_model, texts=["The cat sat."], **options)
    assert Study(small_model, texts=["The cat sat."], most_segments=np.int64(3)).corpora == ["texts"]


def test_invalid_options_of_a_model_are_errors(small_model):
    for device in ("gpu", None):
        for call in (choose_device, lambda device: AttentionModel.from_pretrained(small_model.name, device)):
            with pytest.raises(InputError, match="is not one of auto, cpu, cuda"):
                call(device)
    with pytest.raises(InputError, match="rule='sum': is not one of mean, first, max"):
        small_model.run("cat").between_words("sum")


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda path: read_conllu(path, "ignore"), "on_bad_input='ignore': is not one of error, skip"),
        (lambda path: read_running_text(path, "txt"), "form='txt': is not one of auto, plain"),
        (lambda path: read_alignments(path, path, path, "giza"), "notation='giza': is not one of auto, pharaoh, rwth"),
        (lambda path: read_alignments(path, path, path, base=2), "base=2: is not a valid number for the first word"),
        (lambda path: build_segments([], list, "words", 9, 0), "spans='words': is not one of sentences, paragraphs"),
    ],
)
def test_invalid_options_of_readers_are_errors(tmp_path, read, message):
    path = tmp_path / "f"
    path.write_text("1\tcat\t_\t_\t_\t_\t0\troot\t_\t_\n")
    with pytest.raises(InputError, match=message):
        read(path)


@pytest.mark.parametrize("text", HALVES)
def test_halves_of_surrogate_pairs_are_errors(small_model, text):
    """The causes are a cut text, or bytes that are not UTF-8."""
    ones = np.ones((1, 1, 1, 1))
    for call in (
        lambda: small_model.run([("fine", text)]),
        lambda: Study(small_model, texts=["fine", text]),
        lambda: Study(small_model, trees=[sentence(text.replace(" ", ""))]),
        lambda: show(ones, [text]),
        lambda: show(ones, ["a"], model=text),
        lambda: show(ones, ["a"], about=text),
    ):
        with pytest.raises(InputError, match=r"has U\+D[8C]\w\w at character \d, which is half of a surro") as caught:
            call()
        str(caught.value).encode("utf-8")  # the message can be printed


@pytest.mark.parametrize("model", ["my-bert", None])
def test_a_study_needs_a_model(model):
    with pytest.raises(InputError, match=r"model: is a \w+, not an AttentionModel\n.*from_pretrained"):
        Study(model, texts=["The cat sat."])


@pytest.mark.parametrize("name", [None, 7])
def test_names_of_another_type_are_errors(small_model, name):
    study = Study(small_model, texts=["The cat sat."])
    for call, kind in ((study.table, "table"), (study.replicates, "table"), (study.figure, "figure")):
        with pytest.raises(InputError, match=rf"{kind} {name}: is a \w+, not a name"):
            call(name)
    with pytest.raises(InputError, match=rf"figure {name}: is a \w+, not a name"):
        draw(name, {})


POSITIONS = pd.DataFrame(columns=columns_of("clark_positions"), data=[[1] * len(columns_of("clark_positions"))])


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        (None, "figure clark_figure_2_positions: gets a NoneType, not tables by name"),
        ([POSITIONS], "gets a list, not tables by name"),
        ({"clark_positions": Replicates(POSITIONS)}, "clark_positions is a Replicates, not a DataFrame\n.*study.table"),
        ({"clark_positions": POSITIONS[:0]}, "clark_positions has no rows"),
        (
            {"clark_positions": POSITIONS.drop(columns=["layer", "high"])},
            "lacks the columns layer, high",
        ),
    ],
)
def test_tables_that_a_figure_cannot_show_are_errors(tables, message):
    with pytest.raises(InputError, match=message):
        draw("clark_figure_2", tables)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.mean, POSITIONS), "interval: gets a DataFrame, not a table with its replicates\n.*study.replicates"),
        ((np.mean, Replicates(POSITIONS), None), "interval: gets a NoneType"),
        ((Replicates(POSITIONS), np.mean), "interval: the first argument is a Replicates, not a function"),
    ],
)
def test_an_interval_of_anything_but_replicates_is_an_error(arguments, message):
    with pytest.raises(InputError, match=message):
        interval(*arguments)
