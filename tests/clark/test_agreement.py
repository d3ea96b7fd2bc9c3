from collections import Counter
from dataclasses import replace

import pytest

from bert_attention.corpora.corefud import read_corefud
from bert_attention.corpora.types import Document, Mention, Sentence, Word
from bert_attention.papers.clark.agreement import Agreement, mention_agreements


def agreement(text: str, head: int = 1) -> Agreement:
    """Agreement of a mention of words ``form/XPOS/head[/relation[/FEATS[/lemma[/UPOS]]]]``; heads count from 1."""
    words = []
    for field in text.split():
        form, xpos, parent, relation, feats, lemma, upos = [*field.split("/"), "dep", "_", "_", "_"][:7]
        words.append(Word(form, lemma, upos, xpos, feats, int(parent), relation))
    mention = Mention("1", tuple(range(len(words))), head - 1, "nominal")
    return mention_agreements(Document("d", (Sentence(tuple(words)),), (mention,)))[0]


@pytest.mark.parametrize(
    ("text", "head", "expected"),
    [
        ("She/PRP/0", 1, ("Sing", "Fem", "3")),
        ("us/PRP/0", 1, ("Plur", None, "1")),
        ("US/NNP/0", 1, ("Sing", None, "3")),
        ("you/PRP/0", 1, (None, None, "2")),
        ("a/DT/2 mother/NN/0", 2, ("Sing", "Fem", "3")),
        ("Mr./NNP/2 Brown/NNP/0", 2, ("Sing", "Masc", "3")),
        ("Mrs./NNP/0 Brown/NNP/1", 1, ("Sing", "Fem", "3")),
        # a title or a noun that belongs to another person
        ("Mr./NNP/2 Brown/NNP/4 's/POS/2 dog/NN/0", 4, ("Sing", None, "3")),
        ("the/DT/2 friend/NN/0 of/IN/2 Mr./NNP/5 Brown/NNP/3", 2, ("Sing", None, "3")),
        # groups: "and" depends on the first word, as in constituents, or on the second, as in Universal Dependencies
        ("Tom/NNP/0 and/CC/1 Ann/NNP/1", 1, ("Plur", None, "3")),
        ("my/PRP$/2 mother/NN/0 and/CC/4/cc father/NN/2/conj", 2, ("Plur", None, "3")),
        ("you/PRP/0 and/CC/3/cc I/PRP/1/conj", 1, ("Plur", None, "1")),
        ("Ann/NNP/0 and/CC/4/cc my/PRP$/4 dog/NN/1/conj", 1, ("Plur", None, "3")),
        # joined modifiers are not groups
        ("a/DT/5 black/JJ/5 and/CC/5 white/JJ/5 dog/NN/0", 5, ("Sing", None, "3")),
        ("a/DT/2 man/NN/0 of/IN/4/case bread/NN/2/nmod and/CC/6/cc wine/NN/4/conj", 2, ("Sing", "Masc", "3")),
        # known features of the treebank come first, but not those of a verb's subject
        ("you/PRP/0/root/Number=Plur|Person=2", 1, ("Plur", None, "2")),
        ("he/PRP/0/root/Gender=Fem,Masc|Number=Sing", 1, ("Sing", "Masc", "3")),
        ("Philippines/NNPS/0/root/Number=Ptan", 1, ("Plur", None, "3")),
        ("says/VBZ/0/root/Number=Sing|Person=3/say/VERB", 1, (None, None, "3")),
        ("Uncles/NNS/0/root/Number=Plur/uncle", 1, ("Plur", "Masc", "3")),
    ],
)
def test_known_mentions_have_their_features(text, head, expected):
    assert agreement(text, head) == expected


def test_a_group_in_a_later_sentence_is_found_there():
    first = Sentence((Word("Yes", "_", "_", "UH", "_", 0, "root"),))
    group = [Word("Tom", "_", "_", "NNP", "_", 0, "root"), Word("and", "_", "_", "CC", "_", 3, "cc")]
    second = Sentence((*group, Word("Ann", "_", "_", "NNP", "_", 1, "conj")))
    document = Document("d", (first, second), (Mention("1", (1, 2, 3), 1, "proper"), Mention("1", (3,), 3, "proper")))
    assert [mention.number for mention in mention_agreements(document)] == ["Plur", "Sing"]


def test_unknown_features_match_all_values():
    she, they, you = Agreement("Sing", "Fem", "3"), Agreement("Plur", None, "3"), Agreement(None, None, "2")
    assert she.matches(Agreement("Sing", None, "3"))
    assert Agreement().matches(she)
    assert not any((she.matches(Agreement("Sing", "Masc", "3")), she.matches(they), they.matches(you)))


def without_features(document: Document) -> Document:
    sentences = tuple(
        replace(sentence, words=tuple(replace(word, feats="_", upos="_") for word in sentence.words))
        for sentence in document.sentences
    )
    return replace(document, sentences=sentences)


def test_forms_and_tags_agree_with_the_treebanks_features(real_data):
    """The lists and tags contradict at most 2% of GUM's features; they do not know the number of "you"."""
    for name in ("GUM_bio_byron", "GUM_fiction_claus", "GUM_interview_brotherhood"):
        documents, _ = read_corefud(real_data(f"ontogum/{name}.conllu"))
        annotated, guessed = mention_agreements(documents[0]), mention_agreements(without_features(documents[0]))
        assert len(annotated) > 50
        outcomes = Counter(ours.matches(theirs) for ours, theirs in zip(guessed, annotated, strict=True))
        assert outcomes[False] <= 0.02 * len(annotated)
