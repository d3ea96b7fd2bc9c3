import itertools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bert_attention.clark.agreement import mention_agreements
from bert_attention.clark.column_values import MENTION_TYPES
from bert_attention.clark.coreference import chosen_words, coreference, find_anaphora
from bert_attention.corpora.corefud import read_corefud
from bert_attention.corpora.input_limits import cut_to_window
from bert_attention.corpora.types import Document, Mention, Sentence, Word
from bert_attention.errors import InputError
from bert_attention.statistics.held_out import second_half
from bert_attention.statistics.intervals import bootstrap_interval
from miniature import generate_documents
from tests.conftest import random_attention

CANDIDATES = ("mentions", "words", "all")
DIRECTIONS = ("mention_to_antecedent", "antecedent_to_mention")
HEAD = ["layer", "head", "other_layer", "other_head"]
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


def stored(documents, seed=0, layers=2, heads=3):
    """Random attention for each document, as the store returns it."""
    random = np.random.default_rng(seed)
    sizes = [sum(len(sentence.words) for sentence in each.sentences) + 2 for each in documents]
    return [SimpleNamespace(attention=random_attention(random, layers, heads, n)) for n in sizes]


def baselines(*arguments):
    return {name: chosen.tolist() for name, chosen in find_anaphora(document(*arguments)).baselines.items()}


def test_the_baselines_on_a_known_text():
    #                   0   1   2   3    4   5     6   7  8      9  10
    found = baselines(
        "Tom saw Ann . he likes her . the doctor left and Tom knew she did",
        ("1", "0"), ("2", "2"), ("1", "4"), ("2", "6"), ("2", "9 8"), ("1", "12"), ("2", "14"),
    )  # fmt: skip
    # he, her, the doctor, Tom, she: of these, Tom alone has the head word of an earlier mention
    assert found["nearest"] == [2, 4, 6, 9, 12]
    assert found["head_match"] == [-1, -1, -1, 0, -1]
    # he agrees with Ann, as names have no gender here; her is not he; Tom is Tom; she may be a Tom
    assert found["rule_based"] == [2, 2, 6, 0, 12]


def test_the_sieves_come_in_order():
    # same words before the nearer same head, that before the nearer agreement, that before the nearest
    assert baselines("a dog b dog it a dog", ("1", "1 0"), ("2", "3 2"), ("3", "4"), ("1", "6 5"))["rule_based"] == [1]
    assert baselines("a dog b cat c dog", ("1", "1 0"), ("2", "3 2"), ("1", "5 4"))["rule_based"] == [1]
    assert baselines("a dog they it", ("1", "1 0"), ("2", "2"), ("1", "3"))["rule_based"] == [1]
    assert baselines("they she it", ("1", "0"), ("2", "1"), ("1", "2"))["rule_based"] == [1]


def test_mentions_around_a_mention_are_no_candidates_for_it():
    """In [doctor with [her] dog] ... [her], the doctor is no candidate for the first "her", but one for the second."""
    nested = document("Ann saw doctor with her dog and her", ("1", "0"), ("1", "2 3 4 5"), ("1", "4"), ("1", "7"))
    anaphora = find_anaphora(nested)
    assert anaphora.heads.tolist() == [2, 4, 7]
    candidates = [np.flatnonzero(row).tolist() for row in anaphora.candidates["mentions"]]
    assert candidates == [[0], [0], [0, 2, 4]]
    assert anaphora.baselines["nearest"].tolist() == [0, 0, 4]
    assert [np.flatnonzero(row).tolist() for row in anaphora.antecedents] == candidates


def test_candidates_of_each_kind():
    found = find_anaphora(document("Tom saw her . he ran", ("1", "0"), ("2", "2"), ("1", "4"))).candidates
    assert {name: np.flatnonzero(rows[0]).tolist() for name, rows in found.items()} == {
        "mentions": [0, 2],
        "words": [0, 1, 2, 3],
        "all": [0, 1, 2, 3, 5],
    }


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


def reference_accuracy(attention, documents, choose, name):
    """Numbers of right and of all choices, over documents; ``choose(map, words, mention, earlier)`` returns a word."""
    right = n = 0
    for scores, each in zip(attention, documents, strict=True):
        words = [word for sentence in each.sentences for word in sentence.words]
        agreements = dict(zip(map(id, each.mentions), mention_agreements(each), strict=True))
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
    return right, n


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


def reference_best(maps, documents, choose):
    """The best head over all mentions."""
    heads = list(itertools.product(*map(range, maps[0].shape[:2])))
    accuracies = {head: reference_accuracy([m[head] for m in maps], documents, choose, "all")[0] for head in heads}
    return max(heads, key=accuracies.get)


@settings(max_examples=8)
@given(st.integers(0, 10_000))
def test_equals_plain_loops_on_random_maps(seed):
    documents = generate_documents(24, seed)
    sequences = stored(documents, seed)
    check_table(coreference(sequences, documents, seed), sequences, documents)


def check_table(table, sequences, documents):
    """Baselines and the best heads on all documents, against the definitions."""
    maps = [sequence.attention.astype(np.float64) for sequence in sequences]
    same_data = table[table["selection"] == "same_data"]
    plain = {"nearest": nearest, "head_match": head_match, "rule_based": rule_based}
    for (system, choose), name in itertools.product(plain.items(), MENTION_TYPES):
        right, n = reference_accuracy(maps, documents, choose, name)
        row = table[(table["system"] == system) & (table["mention_type"] == name)].iloc[0]
        assert row["n"] == n
        assert n == 0 or row["accuracy"] == right / n
    for candidates, direction in itertools.product(CANDIDATES, DIRECTIONS):
        choose = by_attention(candidates, direction)
        layer, head = reference_best(maps, documents, choose)
        rows = same_data[(same_data["candidates"] == candidates) & (same_data["direction"] == direction)]
        rows = rows.set_index("mention_type")
        assert (rows["layer"] == layer + 1).all()
        assert (rows["head"] == head + 1).all()
        for name in MENTION_TYPES:
            right, n = reference_accuracy([m[layer, head] for m in maps], documents, choose, name)
            assert n == 0 or rows.loc[name, "accuracy"] == right / n


def test_the_gain_over_head_match_is_paired():
    documents = [each for each in generate_documents(40, 2) if find_anaphora(each)]
    sequences = stored(documents, 2)
    table = coreference(sequences, documents, 7)
    assert table.loc[table["system"] != "best_head", ["gain", "gain_low", "gain_high"]].isna().all(axis=None)
    for row in table[table["selection"] == "same_data"].to_dict("records"):
        choose, name = by_attention(row["candidates"], row["direction"]), row["mention_type"]
        counts = []
        for item, each in zip(sequences, documents, strict=True):
            maps = [item.attention[row["layer"] - 1, row["head"] - 1]]
            right, n = reference_accuracy(maps, [each], choose, name)
            counts.append((right - reference_accuracy(maps, [each], head_match, name)[0], n))
        gained, total = np.array(counts).T[..., None]
        low, high = bootstrap_interval(gained, total, 7)
        expected = (gained.sum() / total.sum(), low[0], high[0])
        assert (row["gain"], row["gain_low"], row["gain_high"]) == pytest.approx(expected)


def test_held_out_chooses_on_one_half_and_scores_on_the_other():
    documents = generate_documents(40, 3)
    sequences = stored(documents, 3)
    second = second_half(len(documents), 5)
    halves = np.flatnonzero(~second), np.flatnonzero(second)
    table = coreference(sequences, documents, 5)
    for candidates, direction in itertools.product(CANDIDATES, DIRECTIONS):
        choose = by_attention(candidates, direction)
        right = n = 0
        best = []
        for chosen_on, scored_on in (halves, halves[::-1]):
            half = [documents[place] for place in chosen_on]
            best.append(reference_best([sequences[place].attention for place in chosen_on], half, choose))
            maps = [sequences[place].attention[best[-1]] for place in scored_on]
            counts = reference_accuracy(maps, [documents[place] for place in scored_on], choose, "all")
            right, n = right + counts[0], n + counts[1]
        rows = table[(table["candidates"] == candidates) & (table["direction"] == direction)]
        row = rows[(rows["selection"] == "held_out") & (rows["mention_type"] == "all")].iloc[0]
        assert (row["accuracy"], row["n"]) == (pytest.approx(right / n), n)
        assert tuple(row[HEAD]) == tuple(place + 1 for place in (*best[0], *best[1]))


def pointing(each: Document, head: int, transposed: bool = False) -> SimpleNamespace:
    """Attention of three heads; one points from each mention to its nearest antecedent, the others do not."""
    anaphora = find_anaphora(each)
    n = anaphora.antecedents.shape[1] + 2
    maps = np.zeros((1, 3, n, n), dtype=np.float32)
    maps[..., n - 2] = 0.5  # the last word, which is no mention in the texts used
    for mention, row in zip(anaphora.heads, anaphora.antecedents, strict=True):
        antecedent = np.flatnonzero(row).max()
        maps[(0, head, *((antecedent + 1, mention + 1) if transposed else (mention + 1, antecedent + 1)))] = 1
    return SimpleNamespace(attention=maps)


DOCUMENTS = [
    document("so Tom saw Ann . he likes her .", ("1", "1"), ("2", "3"), ("1", "5"), ("2", "7"), id="a"),
    document("so Ann saw Tom . she likes it .", ("1", "1"), ("2", "3"), ("1", "5"), ("2", "7"), id="b"),
]


@pytest.mark.parametrize("transposed", [False, True])
def test_a_head_that_points_at_antecedents_is_found(transposed):
    table = coreference([pointing(each, 1, transposed) for each in DOCUMENTS], DOCUMENTS, 0)
    best = table[(table["system"] == "best_head") & (table["direction"] == DIRECTIONS[transposed])]
    counted = best[best["mention_type"].isin(["all", "pronoun"])]
    assert (counted[["accuracy", "low", "high"]] == 1).all(axis=None)
    assert (counted[HEAD] == [1, 2, 1, 2]).all(axis=None)
    assert (counted["n"] == 4).all()


def test_heads_that_differ_between_the_halves_are_both_named():
    table = coreference([pointing(each, head) for each, head in zip(DOCUMENTS, (0, 2), strict=True)], DOCUMENTS, 0)
    rows = table[(table["candidates"] == "words") & (table["mention_type"] == "all")].set_index(
        ["direction", "selection"]
    )
    row = rows.loc["mention_to_antecedent", "held_out"]
    assert sorted([row["head"], row["other_head"]]) == [1, 3]
    assert row["accuracy"] == 0
    assert rows.loc["mention_to_antecedent", "same_data"]["accuracy"] == 0.5


def test_a_type_of_which_there_is_no_mention_has_no_accuracy():
    table = coreference(stored(DOCUMENTS), DOCUMENTS, 0)
    nominal = table[table["mention_type"] == "nominal"]
    assert (nominal["n"] == 0).all()
    assert nominal[["accuracy", "low", "high"]].isna().all(axis=None)


def test_intervals_hold_the_accuracy_and_repeat():
    documents = generate_documents(60, 1)
    first, second = (coreference(stored(documents), documents, 4) for _ in range(2))
    pd.testing.assert_frame_equal(first, second)
    counted = first[first["n"] > 0]
    assert (counted["low"] <= counted["accuracy"]).all()
    assert (counted["accuracy"] <= counted["high"]).all()
    assert (counted["low"] < counted["high"]).any()


@settings(max_examples=10)
@given(st.permutations(range(6)), st.integers(0, 1000))
def test_permuted_heads_make_permuted_choices(order, seed):
    each = generate_documents(8, seed)[0]
    anaphora = find_anaphora(each)
    if anaphora is None:
        return
    attention = random_attention(np.random.default_rng(seed), 2, 6, anaphora.antecedents.shape[1])
    straight, permuted = (
        chosen_words(a, anaphora.heads, anaphora.candidates["words"]) for a in (attention, attention[:, order])
    )
    np.testing.assert_array_equal(permuted, straight[:, :, order])


@settings(max_examples=5)
@given(st.integers(0, 1000), st.randoms())
def test_names_of_chains_do_not_matter(seed, random):
    documents = generate_documents(24, seed)
    chains = sorted({mention.chain for each in documents for mention in each.mentions})
    names = dict(zip(chains, random.sample(range(1000), len(chains)), strict=True))
    renamed = [
        replace(each, mentions=tuple(replace(m, chain=str(names[m.chain])) for m in each.mentions))
        for each in documents
    ]
    sequences = stored(documents, seed)
    pd.testing.assert_frame_equal(coreference(sequences, renamed, 0), coreference(sequences, documents, 0))


def test_documents_without_antecedents_change_nothing():
    silent = document("Tom slept", id="c")
    documents = [DOCUMENTS[0], silent, DOCUMENTS[1]]
    sequences = stored(documents)
    with_it = coreference(sequences, documents, 0)
    pd.testing.assert_frame_equal(with_it, coreference([sequences[0], sequences[2]], DOCUMENTS, 0))


def test_what_cannot_be_scored_is_refused():
    silent = document("Tom slept", id="c")
    with pytest.raises(InputError, match="in 1 of 2 documents; at least two"):
        coreference(stored([DOCUMENTS[0], silent]), [DOCUMENTS[0], silent], 0)
    with pytest.raises(ValueError, match="document a has 9 words, but its attention has 9 positions"):
        coreference([SimpleNamespace(attention=np.ones((1, 1, 9, 9)))] * 2, DOCUMENTS, 0)
    with pytest.raises(ValueError, match="longer"):
        coreference(stored(DOCUMENTS)[:1], DOCUMENTS, 0)


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
