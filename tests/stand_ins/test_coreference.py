"""Documents with masked names."""

from dataclasses import replace

import pytest

from bert_attention.corpora.corefud import read_corefud, write_corefud
from bert_attention.corpora.types import MASKED_WORD
from bert_attention.papers.clark.coreference import find_anaphora
from bert_attention.stand_ins.coreference import LONGEST, mask_names, masked_documents, names_of
from tests.corpora.trees import read_back
from tests.stand_ins.parsed import parsed

MET = parsed("Abraham/NNP/2/nn", "Lincoln/NNP/3/nsubj", "met/VBD/0/root", "Grant/NNP/3/dobj", "././3/punct")
TOLD = parsed(
    *("In/IN/5/prep", "May/NNP/1/pobj", "General/NNP/4/nn", "Grant/NNP/5/nsubj", "told/VBD/0/root"),
    *("Lincoln/NNP/5/dobj", "the/DT/8/det", "truth/NN/5/dobj", "././5/punct"),
)
LEFT = parsed("Lincoln/NNP/2/nsubj", "left/VBD/0/root", "Ohio/NNP/2/dobj", "././2/punct")
REPUBLIC = parsed("the/DT/2/det", "Republic/NNP/5/nsubj", "of/IN/2/prep", "Angola/NNP/3/pobj", "won/VBD/0/root")


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        (MET, [("Abraham", "Lincoln"), ("Grant",)]),
        (TOLD, [("General", "Grant"), ("Lincoln",)]),  # May is a month
        (REPUBLIC, [("Angola",)]),  # Republic is a part of a name
    ],
)
def test_names_are_found_with_their_modifiers(sentence, names):
    assert [name.words for name in names_of(sentence)] == names


def test_all_mentions_but_the_first_are_masked(tmp_path):
    (document,) = masked_documents([MET, TOLD, LEFT])
    text = "Abraham Lincoln met Grant . In May [MASK] told [MASK] the truth . [MASK] left Ohio ."
    assert " ".join(document.forms) == text
    assert [(mention.chain, mention.words, mention.head) for mention in document.mentions] == [
        ("name1", (0, 1), 1),
        ("name2", (3,), 3),
        ("name2", (7,), 7),
        ("name1", (9,), 9),
        ("name1", (13,), 13),
    ]
    assert (document.id, document.text_id) == ("article-1 001", "article-1")
    anaphora = find_anaphora(document)
    assert {document.forms[head] for head in anaphora.heads} == {MASKED_WORD}
    assert anaphora.antecedents.any(1).all()
    assert (anaphora.candidates["mentions"] & ~anaphora.antecedents).any(1).all()  # there is a rival
    assert anaphora.baselines["head_match"].tolist() == [-1, 7, 9]  # a mask matches only masks
    write_corefud([document], tmp_path / "coreference.conllu")
    assert read_corefud(tmp_path / "coreference.conllu")[0] == [document]
    assert all(read_back(sentence) == sentence for sentence in document.sentences)


SO = [parsed("so/RB/0/root")] * LONGEST


@pytest.mark.parametrize(
    ("sentences", "ids"),
    [
        ([MET, TOLD], ["article-1 001"]),
        ([parsed("Lincoln/NNP/2/nsubj", "came/VBD/0/root")] * 2, []),  # a single name
        ([MET, *(replace(sentence, document=2) for sentence in SO)], []),  # two articles
        ([MET, *SO, TOLD], []),  # too far apart
        ([MET, TOLD, *SO] * 3, ["article-1 001", "article-1 002", "article-1 003"]),
    ],
)
def test_documents_are_short_and_of_one_article_and_do_not_overlap(sentences, ids):
    assert [document.id for document in masked_documents(sentences)] == ids


def test_dependents_of_a_masked_word_depend_on_the_mask():
    sentence = parsed("old/JJ/2/amod", "Abraham/NNP/3/nn", "Lincoln/NNP/4/nsubj", "left/VBD/0/root")
    masked, indexes = mask_names(sentence, [(1, 3)])
    assert (masked.forms, [word.head for word in masked.words]) == (("old", MASKED_WORD, "left"), [2, 3, 0])
    assert indexes == [0, 1, 1, 2]
