"""Documents: their trees and coreference, and what a seed determines."""

from collections import Counter, defaultdict
from itertools import combinations

import numpy as np

from bert_attention.corpora.corefud import read_corefud, write_corefud
from miniature import generate_documents
from tests.miniature.conftest import SEED


def test_trees_are_projective_and_text_is_what_the_words_make(sentences):
    for sentence in sentences:
        arcs = [sorted((number, word.head)) for number, word in enumerate(sentence.words, 1) if word.head]
        assert not any(a < c < b < d for (a, b), (c, d) in combinations(sorted(arcs), 2))
        spaced = "".join(word.form + " " * (word.misc != "SpaceAfter=No") for word in sentence.words)
        assert sentence.comment("text") == spaced.rstrip()


def test_words_are_analysed(sentences):
    words = [word for sentence in sentences for word in sentence.words]
    assert all(word.upos.isupper() and word.xpos != "_" and word.lemma for word in words)
    assert all(word.feats != "_" for word in words if word.upos in ("NOUN", "VERB", "AUX", "PRON", "DET", "NUM"))
    assert 300 <= len({word.lemma for word in words}) <= 600


def test_no_relation_has_its_head_at_a_fixed_place(sentences):
    offsets = defaultdict(Counter)
    for sentence in sentences:
        for number, word in enumerate(sentence.words, 1):
            if word.head:
                offsets[word.relation][word.head - number] += 1
    assert len(offsets) >= 25
    best = {relation: max(found.values()) / found.total() for relation, found in offsets.items()}
    assert best["obj"] < 0.6
    assert {
        relation: share for relation, share in best.items() if share > 0.85 and offsets[relation].total() >= 50
    } == {}


def test_sentences_are_short_and_differ(sentences):
    assert 8 <= np.mean([len(sentence.words) for sentence in sentences]) <= 16
    assert len({sentence.forms for sentence in sentences}) > 0.95 * len(sentences)


def test_a_seed_gives_the_same_documents_and_more_of_them_begin_alike(documents):
    fewer = generate_documents(200, SEED)
    assert fewer == documents[: len(fewer)]
    assert sum(len(document.sentences) for document in fewer[:-1]) < 200
    assert generate_documents(50, SEED + 1)[0].sentences != fewer[0].sentences


def test_trees_and_coreference_are_read_back(documents, tmp_path):
    path = tmp_path / "miniature.conllu"  # reading checks that heads make a tree
    write_corefud(documents, path)
    assert read_corefud(path) == (list(documents), Counter())


def test_chains_have_two_mentions_or_more_and_agree_in_number(documents):
    singular, plural_pronouns = {"he", "him", "his", "she", "her", "it", "its"}, {"they", "them", "their"}
    for document in documents:
        words = [word for sentence in document.sentences for word in sentence.words]
        chains = defaultdict(list)
        for mention in document.mentions:
            chains[mention.chain].append(mention)
        for mentions in chains.values():
            assert len(mentions) > 1
            assert mentions[0].type != "pronoun" or words[mentions[0].head].lemma in ("I", "my", "we", "our")
            pronouns = {words[mention.head].form.lower() for mention in mentions if mention.type == "pronoun"}
            assert not (pronouns & singular and pronouns & plural_pronouns)
            assert not (pronouns & {"he", "him", "his"} and pronouns & {"she", "her"})


def test_the_nearest_mention_is_a_poor_guess(documents):
    right = []
    for document in documents:
        mentions = sorted(document.mentions, key=lambda mention: mention.head)
        for number, mention in enumerate(mentions):
            if mention.chain in {earlier.chain for earlier in mentions[:number]}:
                right.append(mentions[number - 1].chain == mention.chain)
    assert 0.2 < np.mean(right) < 0.6
    types = Counter(mention.type for document in documents for mention in document.mentions)
    assert min(types[kind] for kind in ("pronoun", "proper", "nominal")) > 0.15 * types.total()
