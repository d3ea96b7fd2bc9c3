"""Corpora in which an analysis finds nothing to measure give empty cells or one clear error, never a traceback."""

import pytest

from bert_attention import InputError, Study
from bert_attention.corpora.co_occurrence import CoOccurrences
from bert_attention.corpora.types import Document, Mention, Sentence, Word

UNKNOWN = "\u2603\u2603"  # snowmen, which the vocabulary lacks


def sentence(*words, relation="dep"):
    rows = (Word(word, "_", "NOUN", "NN", "_", n, relation if n else "root") for n, word in enumerate(words))
    return Sentence(tuple(rows))


DOCUMENT = Document(
    "d", (sentence(UNKNOWN, UNKNOWN),), tuple(Mention("e", (place,), place, "nominal") for place in (0, 1))
)
STUDIES = {
    "a paragraph of unknown characters": {"texts": [UNKNOWN, (UNKNOWN, UNKNOWN)]},
    "punctuation alone": {"texts": [". . ."]},
    "sentences of one word": {"trees": [sentence("cat")], "train_trees": [sentence("cat")]},
    "trees of unknown words": {"trees": [sentence(UNKNOWN, UNKNOWN)] * 3},
    "a document of unknown words": {"documents": [DOCUMENT]},
}


@pytest.mark.filterwarnings("ignore:.*too few for intervals")
@pytest.mark.parametrize("corpora", STUDIES.values(), ids=STUDIES)
def test_every_table_is_made_or_refused(small_model, corpora):
    study = Study(small_model, control_seeds=1, **corpora)
    for name in study.available:
        try:
            study.figure(name) if "_figure_" in name else study.table(name)
        except InputError as error:
            assert error.remedy


def test_no_words_have_no_information():
    assert CoOccurrences({"x": [["a", "b"]]}).information([], "x").shape == (0, 0)
    assert CoOccurrences({}).information([], "x").shape == (0, 0)
