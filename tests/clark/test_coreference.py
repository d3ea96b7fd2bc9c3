"""Antecedents: the definition mention by mention on random documents, and known results on real text."""

import itertools
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bert_attention.corpora.corefud import read_corefud
from bert_attention.corpora.input_limits import cut_to_window
from bert_attention.corpora.types import Document, Mention, Sentence, Word
from bert_attention.errors import InputError
from bert_attention.papers.clark import coreference
from bert_attention.papers.clark.agreement import mention_agreements
from bert_attention.papers.clark.columns import CANDIDATES, COREFERENCE_DIRECTIONS, MENTION_TYPES
from bert_attention.papers.clark.coreference import find_anaphora
from bert_attention.statistics.jackknife import tabulated
from bert_attention.statistics.sums import Sums
from tests.statistics.blocks import halves_of_units, table_of
from tests.treebanks import random_sequences

TAGS = {"he": "PRP", "she": "PRP", "her": "PRP$", "it": "PRP", "they": "PRP"} | dict.fromkeys(("Tom", "Ann"), "NNP")
TYPES = {"PRP": "pronoun", "PRP$": "pronoun", "NNP": "proper"}


def document(forms, mentions, id="d"):
    """Words that depend on the first; a mention is its chain, the indices of its words, and its head."""
    words = [Word(form, "_", "_", TAGS.get(form, "NN"), "_", int(index > 0), "dep") for index, form in enumerate(forms)]
    found = [
        Mention(chain, tuple(span), head, TYPES.get(words[head].xpos, "nominal")) for chain, span, head in mentions
    ]
    return Document(id, (Sentence(tuple(words)),), tuple(sorted(found, key=lambda mention: mention.words)))


PHRASES = ("a dog", "the dog", "A dog", "Tom and", "it", "they", "Ann")


def random_document(random):
    """Repeated phrases, most of which are mentions; mentions of further words contain others and share their head."""
    phrases = [str(phrase).split() for phrase in random.choice(PHRASES, random.integers(1, 10))]
    forms, mentions = [form for phrase in phrases for form in phrase], []
    end = 0
    for phrase in phrases:
        start, end = end, end + len(phrase)
        head = start if phrase[-1] == "and" else end - 1
        for probability, further in ((0.8, 0), (0.2, 3)):
            if random.random() < probability:
                mentions.append((str(random.integers(3)), range(start, min(end + further, len(forms))), head))
    return document(forms, mentions)


# ---- the definition, mention by mention ----


def plain_counts(choose, maps, documents):
    """Right choices and mentions with an antecedent, ``[document, type]``; ``choose`` returns the index of a word."""
    right, n = np.zeros((2, len(documents), len(MENTION_TYPES)))
    for row, (scores, each) in enumerate(zip(maps, documents, strict=True)):
        words = [word for sentence in each.sentences for word in sentence.words]
        agreements = dict(zip(map(id, each.mentions), mention_agreements(each), strict=True))
        for mention in each.mentions:
            earlier = [
                other
                for other in each.mentions
                if other.head < mention.head and not set(mention.words) <= set(other.words)
            ]
            true = {other.head for other in earlier if other.chain == mention.chain}
            if true:
                types = np.array([name in ("all", mention.type) for name in MENTION_TYPES])
                n[row] += types
                right[row] += types * (choose(scores, words, mention, earlier, agreements) in true)
    return right, n


def nearest(_scores, _words, _mention, earlier, _agreements):
    return max((other.head for other in earlier), default=None)


def head_match(scores, words, mention, earlier, agreements):
    form = words[mention.head].form.lower()
    return nearest(scores, words, mention, [o for o in earlier if words[o.head].form.lower() == form], agreements)


def rule_based(scores, words, mention, earlier, agreements):
    def text(one):
        return [words[index].form.lower() for index in one.words]

    sieves = (
        [other for other in earlier if text(other) == text(mention)],
        [other for other in earlier if words[other.head].form.lower() == words[mention.head].form.lower()],
        [other for other in earlier if agreements[id(other)].matches(agreements[id(mention)])],
        earlier,
    )
    return nearest(scores, words, mention, next(filter(None, sieves)), agreements)


def by_attention(candidates, direction):
    def choose(scores, words, mention, earlier, _agreements):
        indices = {
            "mentions": sorted({other.head for other in earlier}),
            "words": range(mention.head),
            "all": [index for index in range(len(words)) if index != mention.head],
        }[candidates]
        to_candidate = direction == "mention_to_antecedent"
        own = mention.head + 1
        return max(indices, key=lambda word: float(scores[own, word + 1] if to_candidate else scores[word + 1, own]))

    return choose


PLAIN_BASELINES = {"nearest": nearest, "head_match": head_match, "rule_based": rule_based}


@settings(max_examples=8)
@given(st.integers(0, 10_000))
def test_equals_plain_loops_on_random_documents_and_maps(seed):
    random = np.random.default_rng(seed)
    documents = [random_document(random) for _ in range(25)]
    sequences = random_sequences(documents, seed)
    table = table_of(coreference, sequences, documents)
    maps = [sequence.attention.astype(np.float64) for sequence in sequences]
    baseline_rows = table[table["system"] != "best_head"].set_index(["system", "mention_type"])
    for system, choose in PLAIN_BASELINES.items():
        right, n = plain_counts(choose, maps, documents)
        rows = baseline_rows.loc[system].loc[list(MENTION_TYPES)]
        assert rows["n"].tolist() == n.sum(0).tolist()
        expected = pd.Series(right.sum(0)) / n.sum(0)
        assert rows["accuracy"].tolist() == pytest.approx(expected.tolist(), nan_ok=True)
    assert baseline_rows["gain"].isna().all()
    everything = np.ones(len(documents), dtype=bool)
    every_half = {"same_data": [(everything, everything)], "held_out": list(halves_of_units(len(documents)))}
    head_rows = table[table["system"] == "best_head"]
    head_rows = head_rows.set_index(["candidates", "direction", "selection", "mention_type"]).sort_index()
    baseline, n = plain_counts(head_match, maps, documents)
    for candidates, direction in itertools.product(CANDIDATES, COREFERENCE_DIRECTIONS):
        choose = by_attention(candidates, direction)
        right = {
            (layer + 1, head + 1): plain_counts(choose, [attention[layer, head] for attention in maps], documents)[0]
            for layer, head in np.ndindex(maps[0].shape[:2])
        }
        for selection, halves in every_half.items():
            rows = head_rows.loc[candidates, direction, selection].loc[list(MENTION_TYPES)]
            check_rows(rows, right, baseline, n, halves)


def check_rows(rows, right, baseline, n, halves):
    """The rows of a best head: chosen by all mentions on the first of two sets of documents, scored on the second."""
    chosen, accuracies, gains = [], [], []
    for chosen_on, scored_on in halves:
        if n[chosen_on].any() and n[scored_on].any():
            head = max(right, key=lambda head, on=chosen_on: right[head][on, 0].sum())
            chosen.append(head)
            total = pd.Series(n[scored_on].sum(0))
            accuracies.append(right[head][scored_on].sum(0) / total)
            gains.append((right[head] - baseline)[scored_on].sum(0) / total)
    often = Counter(chosen)
    (named,) = set(zip(rows["layer"], rows["head"], strict=True))
    assert often[named] == max(often.values())
    assert rows["chosen"].tolist() == pytest.approx([often[named] / len(chosen)] * len(MENTION_TYPES))
    for column, values in (("accuracy", accuracies), ("gain", gains)):
        assert rows[column].tolist() == pytest.approx(pd.DataFrame(values).mean().tolist(), nan_ok=True)


# ---- known answers ----


DOCUMENTS = [
    document(["Tom", "Ann", "he", "her"], [("1", [0], 0), ("2", [1], 1), ("1", [2], 2), ("2", [3], 3)]),
    document(["Ann", "slept", "she"], [("1", [0], 0), ("1", [2], 2)]),
]


def test_fewer_than_two_documents_with_antecedents_are_an_error():
    documents = [DOCUMENTS[0], document(["Tom", "slept"], [])]
    with pytest.raises(InputError, match="in 1 documents; at least two"):
        table_of(coreference, random_sequences(documents), documents)


def test_with_two_documents_each_replicate_leaves_out_one():
    """All documents, not the documents of a replicate, decide if there are enough mentions."""
    sums = Sums.of(map(coreference.sums, random_sequences(DOCUMENTS), DOCUMENTS), range(2))
    assert [left["n"].max() for left in tabulated(coreference.table, sums).left_out] == [1, 2]


def test_on_real_text_the_baselines_come_in_the_papers_order(real_data):
    """Table 2: nearest, then head match, then rules; head match serves names best and nominals worst."""
    folder = real_data("ontogum")
    counts = np.zeros((3, len(MENTION_TYPES)))
    total = np.zeros(len(MENTION_TYPES))
    for file in sorted(folder.glob("GUM_*_[a-c]*.conllu")):
        (each,), _ = read_corefud(file)
        window = cut_to_window(each, [1] * sum(len(sentence.words) for sentence in each.sentences), 110)
        anaphora = find_anaphora(window) if window else None
        if anaphora is None:
            continue
        right = [anaphora.antecedents[range(len(c)), c] & (c >= 0) for c in anaphora.baselines.values()]
        counts += np.array(right, dtype=int) @ anaphora.types
        total += anaphora.types.sum(0)
    nearest_first, same_head, rules = counts / total
    assert total[0] > 200
    assert nearest_first[0] < same_head[0] < rules[0] - 0.1
    assert same_head[MENTION_TYPES.index("proper")] > same_head[MENTION_TYPES.index("nominal")] + 0.1
