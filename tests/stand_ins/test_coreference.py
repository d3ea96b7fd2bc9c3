"""Documents with masked names: what is masked, what the analysis finds there, and that trees stay trees."""

import pytest

from bert_attention.clark.coreference import find_anaphora, sums, table
from bert_attention.corpora.corefud import read_corefud, write_corefud
from bert_attention.corpora.types import MASKED_WORD
from bert_attention.stand_ins.coreference import LONGEST, mask_names, masked_documents, names_of, repeated_names
from bert_attention.statistics.sums import Sums
from tests.corpora.trees import read_back
from tests.stand_ins.parsed import parsed
from tests.treebanks import random_sequences

MET = parsed("Abraham/NNP/2/nn", "Lincoln/NNP/3/nsubj", "met/VBD/0/root", "Grant/NNP/3/dobj", "././3/punct")
TOLD = parsed(
    *("In/IN/5/prep", "May/NNP/1/pobj", "General/NNP/4/nn", "Grant/NNP/5/nsubj", "told/VBD/0/root"),
    *("Lincoln/NNP/5/dobj", "the/DT/8/det", "truth/NN/5/dobj", "././5/punct"),
)
LEFT = parsed("Lincoln/NNP/2/nsubj", "left/VBD/0/root", "Ohio/NNP/2/dobj", "././2/punct")


def test_names_are_found_with_what_belongs_to_them():
    assert [name.words for name in names_of(MET)] == [("Abraham", "Lincoln"), ("Grant",)]
    assert [name.words for name in names_of(TOLD)] == [("General", "Grant"), ("Lincoln",)]  # no month


def test_a_part_of_a_name_is_no_name():
    sentence = parsed("the/DT/2/det", "Republic/NNP/5/nsubj", "of/IN/2/prep", "Angola/NNP/3/pobj", "won/VBD/0/root")
    assert [name.words for name in names_of(sentence)] == [("Angola",)]


def test_names_that_come_again_are_the_same_with_more_or_fewer_words():
    chains = repeated_names([MET, TOLD, LEFT])
    assert [[name.words for name in chain] for chain in chains] == [
        [("Abraham", "Lincoln"), ("Lincoln",), ("Lincoln",)],
        [("Grant",), ("General", "Grant")],
    ]
    assert repeated_names([LEFT]) == []


def test_all_mentions_but_the_first_are_masked():
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


def test_masked_sentences_are_trees_and_written_documents_are_read_back(tmp_path):
    documents = list(masked_documents([MET, TOLD, LEFT]))
    write_corefud(documents, tmp_path / "coreference.conllu")
    assert read_corefud(tmp_path / "coreference.conllu")[0] == documents
    for sentence in documents[0].sentences:
        assert read_back(sentence) == sentence


def test_words_that_hung_on_a_masked_word_hang_on_the_mask():
    sentence = parsed("old/JJ/2/amod", "Abraham/NNP/3/nn", "Lincoln/NNP/4/nsubj", "left/VBD/0/root")
    masked, indexes = mask_names(sentence, [(1, 3)])
    assert masked.forms == ("old", MASKED_WORD, "left")
    assert [word.head for word in masked.words] == [2, 3, 0]
    assert indexes == [0, 1, 1, 2]


def test_one_name_alone_gives_no_document():
    came = parsed("Lincoln/NNP/2/nsubj", "came/VBD/0/root")
    assert list(masked_documents([came, came])) == []


def test_a_document_is_of_one_article_and_short():
    others = [parsed("so/RB/2/advmod", "it/PRP/0/root", document=2)] * LONGEST
    assert len(list(masked_documents([MET, TOLD]))) == 1
    assert list(masked_documents([MET, *others])) == []
    apart = [MET, *([parsed("so/RB/0/root")] * LONGEST), TOLD]
    assert list(masked_documents(apart)) == []


def test_a_sentence_is_in_one_document():
    many = [MET, TOLD, *([parsed("so/RB/0/root")] * LONGEST)] * 3
    ids = [document.id for document in masked_documents(many)]
    assert ids == ["article-1 001", "article-1 002", "article-1 003"]


def test_each_masked_name_has_an_antecedent_and_a_rival():
    (document,) = masked_documents([MET, TOLD, LEFT])
    anaphora = find_anaphora(document)
    assert {document.forms[head] for head in anaphora.heads} == {MASKED_WORD}
    assert anaphora.antecedents.any(1).all()
    assert (anaphora.candidates["mentions"] & ~anaphora.antecedents).any(1).all()
    assert anaphora.baselines["head_match"].tolist() == [-1, 7, 9]  # a mask is like a mask only


def test_the_table_of_coreference_has_no_pronouns_and_is_whole():
    documents = list(masked_documents([MET, TOLD, LEFT])) * 4
    of_documents = map(sums, random_sequences(documents), documents)
    rows = table(Sums.of(of_documents, range(len(documents))))
    assert set(rows.loc[rows.mention_type == "pronoun", "n"]) == {0}
    proper = rows[rows.mention_type == "proper"]
    assert set(proper["n"]) == {12}
    assert proper["accuracy"].notna().all()
    assert proper.loc[proper.system == "nearest", "accuracy"].tolist() == pytest.approx(
        [2 / 3]
    )  # all but the second mask
