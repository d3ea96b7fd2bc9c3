import itertools
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bert_attention.clark import coreference
from bert_attention.clark.agreement import mention_agreements
from bert_attention.clark.column_values import MENTION_TYPES
from bert_attention.clark.coreference import chosen_words, find_anaphora
from bert_attention.corpora.corefud import read_corefud
from bert_attention.corpora.input_limits import cut_to_window
from bert_attention.corpora.types import Document, Mention, Sentence, Word
from bert_attention.errors import InputError
from bert_attention.statistics.jackknife import tabulated
from bert_attention.statistics.sums import Sums
from tests.statistics.blocks import halves_of_units, table_of
from tests.treebanks import random_sequences
from tests.written import written_documents

CANDIDATES = ("mentions", "words", "all")
DIRECTIONS = ("mention_to_antecedent", "antecedent_to_mention")
HEAD = ["layer", "head"]
TAGS = {"he": "PRP", "she": "PRP", "her": "PRP$", "it": "PRP", "they": "PRP"} | dict.fromkeys(("Tom", "Ann"), "NNP")


def document(text: str, *mentions: tuple[str, str], id: str = "d") -> Document:
    """Words that depend on the first; a mention is its chain and places, the head's first (``2 1``: 1-2, head 2)."""
    forms = text.split()
    words = [Word(form, "_", "_", TAGS.get(form, "NN"), "_", int(place > 0), "dep") for place, form in enumerate(forms)]
    types = {"PRP": "pronoun", "PRP$": "pronoun", "NNP": "proper"}
    found = []
    for chain, listed in mentions:
        places = [int(place) for place in listed.split()]
        found.append(Mention(chain, tuple(sorted(places)), places[0], types.get(words[places[0]].xpos, "nominal")))
    return Document(id, (Sentence(tuple(words)),), tuple(sorted(found, key=lambda mention: mention.words)))


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        ("a dog b dog it a dog", [("1", "1 0"), ("2", "3 2"), ("3", "4"), ("1", "6 5")]),  # the same words are farthest
        ("a dog b cat c dog", [("1", "1 0"), ("2", "3 2"), ("1", "5 4")]),  # then the same head
        ("a dog they it", [("1", "1 0"), ("2", "2"), ("1", "3")]),  # then what agrees
        ("they she it", [("1", "0"), ("2", "1"), ("1", "2")]),  # then the nearest
    ],
)
def test_the_sieves_come_in_order(text, mentions):
    assert find_anaphora(document(text, *mentions)).baselines["rule_based"].tolist() == [1]


def test_mentions_around_a_mention_are_no_candidates_for_it():
    """In [doctor with [her] dog] ... [her], the doctor is no candidate for the first "her", but one for the second."""
    nested = document("Ann saw doctor with her dog and her", ("1", "0"), ("1", "2 3 4 5"), ("1", "4"), ("1", "7"))
    anaphora = find_anaphora(nested)
    assert anaphora.heads.tolist() == [2, 4, 7]
    candidates = [np.flatnonzero(row).tolist() for row in anaphora.candidates["mentions"]]
    assert candidates == [[0], [0], [0, 2, 4]]
    assert anaphora.baselines["nearest"].tolist() == [0, 0, 4]
    assert [np.flatnonzero(row).tolist() for row in anaphora.antecedents] == candidates


def test_a_head_word_of_two_mentions_is_right_for_either():
    """[[Tom] and Ann] ... [they] ... [he]: the head word of both antecedents is Tom."""
    anaphora = find_anaphora(document("Tom and Ann . they saw he", ("1", "0"), ("2", "0 1 2"), ("2", "4"), ("1", "6")))
    assert anaphora.antecedents[:, 0].tolist() == [True, True]
    assert anaphora.baselines["nearest"].tolist() == [0, 4]


def test_nothing_to_find():
    assert find_anaphora(document("Tom saw her", ("1", "0"), ("2", "2"))) is None
    assert find_anaphora(document("Tom slept")) is None
    # the only other mention of the chain contains it, and comes earlier
    assert find_anaphora(document("Tom with her dog", ("1", "0 1 2 3"), ("1", "2"))) is None


def test_the_word_of_most_attention_in_each_direction():
    attention = np.zeros((1, 2, 4, 4))
    attention[0, 0, 3] = [0.1, 0.2, 0.3, 0.4]  # from word 3, which is no candidate itself
    attention[0, 0, :, 3] = [0.5, 0.2, 0.3, 0.4]
    chosen = chosen_words(attention, np.array([3, 3]), np.array([[1, 1, 1, 0], [0, 1, 0, 0]], dtype=bool))
    assert chosen[:, 0, 0].tolist() == [[2, 1], [0, 1]]
    assert chosen[:, 0, 1].tolist() == [[0, 1], [0, 1]]  # ties go to the first


# The whole table against the definitions, mention by mention.


def plain_counts(choose, maps, documents, name):
    """For each document the numbers of right choices and of all for mentions of a type; ``choose`` returns a word."""
    counts = []
    for scores, each in zip(maps, documents, strict=True):
        words = [word for sentence in each.sentences for word in sentence.words]
        agreements = dict(zip(map(id, each.mentions), mention_agreements(each), strict=True))
        right = n = 0
        for mention in each.mentions:
            earlier = [
                other
                for other in each.mentions
                if other.head < mention.head and not set(mention.words) <= set(other.words)
            ]
            true = {other.head for other in earlier if other.chain == mention.chain}
            if true and name in ("all", mention.type):
                n += 1
                right += choose(scores, words, mention, earlier, agreements) in true
        counts.append((right, n))
    return np.array(counts).T


def nearest(_scores, _words, _mention, earlier, _agreements):
    return max((other.head for other in earlier), default=None)


def head_match(scores, words, mention, earlier, agreements):
    form = words[mention.head].form.lower()
    return nearest(scores, words, mention, [o for o in earlier if words[o.head].form.lower() == form], agreements)


def rule_based(scores, words, mention, earlier, agreements):
    def text(one):
        return [words[place].form.lower() for place in one.words]

    sieves = (
        [other for other in earlier if text(other) == text(mention)],
        [other for other in earlier if words[other.head].form.lower() == words[mention.head].form.lower()],
        [other for other in earlier if agreements[id(other)].matches(agreements[id(mention)])],
        earlier,
    )
    return nearest(scores, words, mention, next(filter(None, sieves)), agreements)


def by_attention(candidates, direction):
    def choose(scores, words, mention, earlier, _agreements):
        places = {
            "mentions": sorted({other.head for other in earlier}),
            "words": range(mention.head),
            "all": [place for place in range(len(words)) if place != mention.head],
        }[candidates]
        away = direction == "mention_to_antecedent"
        weights = {
            place: float(scores[mention.head + 1, place + 1] if away else scores[place + 1, mention.head + 1])
            for place in places
        }
        return max(weights, key=weights.get)

    return choose


BASELINES = {"nearest": nearest, "head_match": head_match, "rule_based": rule_based}


@settings(max_examples=5)
@given(st.integers(0, 10_000))
def test_equals_plain_loops_on_random_maps(seed):
    documents = written_documents(20, seed)
    sequences = random_sequences(documents, seed, heads=3)
    check_table(table_of(coreference, sequences, documents), sequences, documents)


def check_table(table, sequences, documents):
    """All rows against the definitions, halves too."""
    maps = [sequence.attention.astype(np.float64) for sequence in sequences]
    of_baselines = table[table["system"] != "best_head"].set_index(["system", "mention_type"])
    for (system, choose), name in itertools.product(BASELINES.items(), MENTION_TYPES):
        right, n = plain_counts(choose, maps, documents, name)
        row = of_baselines.loc[system, name]
        assert row["n"] == n.sum()
        assert row["accuracy"] == pytest.approx(right.sum() / n.sum() if n.any() else np.nan, nan_ok=True)
    assert of_baselines["gain"].isna().all()
    everything = np.ones(len(documents), dtype=bool)
    heads = list(np.ndindex(maps[0].shape[:2]))
    of_heads = table[table["system"] == "best_head"]
    of_heads = of_heads.set_index(["candidates", "direction", "selection", "mention_type"]).sort_index()
    for candidates, direction in itertools.product(CANDIDATES, DIRECTIONS):
        choose = by_attention(candidates, direction)
        right = {
            (head, name): plain_counts(choose, [m[head] for m in maps], documents, name)
            for head in heads
            for name in MENTION_TYPES
        }
        by_rival = {name: plain_counts(head_match, maps, documents, name)[0] for name in MENTION_TYPES}
        every_half = {"same_data": [(everything, everything)], "held_out": list(halves_of_units(len(documents)))}
        for selection, halves in every_half.items():
            check_rows(of_heads.loc[candidates, direction, selection], right, by_rival, heads, halves)


def check_rows(rows, right, by_rival, heads, halves):
    """The rows of a best head: chosen by all mentions on the first of two sets of documents, scored on the second."""
    chosen, scores = [], {name: [] for name in MENTION_TYPES}
    for chosen_on, scored_on in halves:
        head = max(heads, key=lambda head, on=chosen_on: right[head, "all"][0][on].sum())
        chosen.append(head)
        for name in MENTION_TYPES:
            hits, n = (counts[scored_on] for counts in right[head, name])
            if n.any():
                scores[name].append((hits.sum() / n.sum(), (hits - by_rival[name][scored_on]).sum() / n.sum()))
    often = Counter(chosen)
    for name in MENTION_TYPES:
        row = rows.loc[name]
        named = tuple(place - 1 for place in row[HEAD])
        assert often[named] == max(often.values())
        assert row["chosen"] == pytest.approx(often[named] / len(chosen))
        expected = np.mean(scores[name], axis=0) if scores[name] else [np.nan, np.nan]
        assert row[["accuracy", "gain"]].astype(float).tolist() == pytest.approx(list(expected), nan_ok=True)


DOCUMENTS = [
    document("so Tom saw Ann . he likes her .", ("1", "1"), ("2", "3"), ("1", "5"), ("2", "7"), id="a"),
    document("so Ann saw Tom . she likes it .", ("1", "1"), ("2", "3"), ("1", "5"), ("2", "7"), id="b"),
]


def test_a_type_of_which_there_is_no_mention_has_no_accuracy():
    found = table_of(coreference, random_sequences(DOCUMENTS), DOCUMENTS)
    nominal = found[found["mention_type"] == "nominal"]
    assert (nominal["n"] == 0).all()
    assert nominal["accuracy"].isna().all()


def test_documents_without_antecedents_change_nothing():
    silent = document("Tom slept", id="c")
    documents = [DOCUMENTS[0], silent, DOCUMENTS[1]]
    sequences = random_sequences(documents)
    with_it = table_of(coreference, sequences, documents)
    alike = table_of(coreference, [sequences[0], sequences[2]], DOCUMENTS)
    on_all = [found[found["selection"] != "held_out"] for found in (with_it, alike)]
    pd.testing.assert_frame_equal(*on_all)


def test_what_cannot_be_scored_is_refused():
    silent = document("Tom slept", id="c")
    with pytest.raises(InputError, match="in 1 documents; at least two"):
        table_of(coreference, random_sequences([DOCUMENTS[0], silent]), [DOCUMENTS[0], silent])


def test_two_documents_have_a_table_without_each():
    """All documents, not those of a replicate, decide if there are enough mentions."""
    made = tabulated(
        coreference.table, Sums.of(map(coreference.sums, random_sequences(DOCUMENTS), DOCUMENTS), range(2))
    )
    for place, left in enumerate(reversed(DOCUMENTS)):
        assert (made.left_out[place]["n"].max(), len(made.left_out)) == (len(find_anaphora(left).heads), 2)


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
