"""The six patterns against plain loops, on heads of a distance, and on real attention."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest

from bert_attention.corpora.co_occurrence import CoOccurrences
from bert_attention.papers.vig.columns import PATTERN_LABELS
from bert_attention.papers.vig.patterns import PATTERNS, WORD_PATTERNS, sums, table
from bert_attention.papers.vig.words import LEAST_INFORMATION, words_of_segments
from bert_attention.statistics.sums import Sums
from tests.bert_base_attention import bert_base_sequences
from tests.conftest import random_attention

# Tokens; "##" continues the word before.
TEXTS = [
    "[CLS] the store stores straw ##berries . [SEP] the stores and straw ##berries ? [SEP]",
    "[CLS] united states or state [SEP] the united . [SEP]",
    "[CLS] a united the states a [SEP]",
    "[CLS] ? ! [SEP] . [SEP]",
]
STEMS = {"stores": "store", "states": "state"}
NONE = CoOccurrences({})
COMPANIONS = CoOccurrences(
    {
        "x": [["united", "states"]] * 4 + [["straw", "store"]] * 4,
        "y": [[f"{letter}{number}", f"{letter}{number + 1}"] for letter in "abcdefgh" for number in range(60)] * 2,
    }
)


def sequence_of(text, attention):
    """Return a sequence as the attention store does, and the word form of each token of text."""
    tokens = text.split()
    is_text = [not token.startswith("[") for token in tokens]
    forms, words, number = [], [], -1
    for token, some in zip(tokens, is_text, strict=True):
        number += some and not token.startswith("##")
        words.append(number if some else -1)
        if token.startswith("##"):
            forms[-1] = whole = forms[-1] + token[2:]
            forms.append(whole)
        elif some:
            forms.append(token if token.isalnum() else "")
    categories = {name: np.array([token == f"[{name.upper()}]" for token in tokens]) for name in ("cls", "sep")}
    return SimpleNamespace(attention=attention, categories=categories, word_ids=np.array(words)), forms


def patterns(units, co_occurrences):
    """Return the table of sequences with their forms, from one article."""
    lengths = [len(sequence.word_ids) for sequence, _ in units]
    words = words_of_segments([forms for _, forms in units], ["some"] * len(units), lengths, co_occurrences)
    added = (sums(sequence, of_sequence) for (sequence, _), of_sequence in zip(units, words, strict=True))
    return table(Sums.of(added, range(len(units))))


def random_units(seed=0):
    random = np.random.default_rng(seed)
    return [sequence_of(text, random_attention(random, 2, 3, len(text.split()))) for text in TEXTS]


def partners_by_loops(sequence, forms, co_occurrences):
    """Return the pairs of tokens of each pattern, from the definitions."""
    word, n = sequence.word_ids.tolist(), len(sequence.word_ids)
    cls, sep = (sequence.categories[name].tolist() for name in ("cls", "sep"))
    text = [index for index in range(n) if word[index] >= 0]
    form = dict(zip(text, forms, strict=True))
    stem = {index: STEMS.get(form[index], form[index]) for index in text}
    part = {index: sum(sep[:index]) for index in text}
    pairs = {pattern: set() for pattern in PATTERNS}
    for i, j in itertools.product(text, range(n)):
        holds = {"next": j == i + 1, "previous": j == i - 1, "delimiter": cls[j] or sep[j]}
        holds |= {"delimiter_cls": cls[j], "delimiter_sep": sep[j]}
        if j in text and form[i] and stem[i] == stem[j]:
            holds["identical_other_sentence"] = part[i] != part[j]
            holds["identical"] = part[i] == part[j]
            holds["identical_others"] = part[i] == part[j] and word[i] != word[j]
        for pattern in filter(holds.get, holds):
            pairs[pattern].add((i, j))
    pairs["cls_from_sep"] = {(i, j) for i, j in itertools.product(range(n), range(n)) if sep[i] and cls[j]}
    repeated = {i for i, _ in pairs["identical_others"]}
    pairs["identical"] = {(i, j) for i, j in pairs["identical"] if i in repeated}
    for i in text:
        others = [form[j] for j in text if form[i] and form[j] and stem[i] != stem[j]]
        information = {other: co_occurrences.information([form[i], other], "some")[0, 1] for other in others}
        best = max(information, key=information.get, default=None)
        if best and information[best] > LEAST_INFORMATION:
            pairs["predictive"] |= {(i, j) for j in text if form[j] == best}
    return pairs, text, form, part


def reference(units, co_occurrences, layer, head):
    """Return mean attention, number of tokens, baseline, and share of tokens of each pattern, in float64."""
    found, by_distance, tokens = {pattern: [0.0, 0, 0.0] for pattern in PATTERNS}, {}, 0
    all_partners = []
    for sequence, forms in units:
        attention = sequence.attention[layer, head].astype(np.float64)
        pairs, text, form, part = partners_by_loops(sequence, forms, co_occurrences)
        tokens += len(text)
        for i, j in itertools.product(text, text):
            if form[i] and form[j]:
                by_distance.setdefault((j - i, part[i] == part[j]), []).append(attention[i, j])
        for pattern, linked in pairs.items():
            found[pattern][0] += sum(attention[i, j] for i, j in linked)
            found[pattern][1] += len({i for i, _ in linked})
            found[pattern][2] += len(linked) / len(attention)
        all_partners.append((pairs, part))
    for pattern in WORD_PATTERNS:
        found[pattern][2] = sum(
            np.mean(by_distance[j - i, part[i] == part[j]]) for pairs, part in all_partners for i, j in pairs[pattern]
        )
    return {
        pattern: (mass / n, n, chance / n, n / tokens) if n else (math.nan, 0, math.nan, 0)
        for pattern, (mass, n, chance) in found.items()
    }


@pytest.mark.parametrize("companions", [COMPANIONS, NONE])
def test_each_head_and_pattern_equals_plain_loops(companions):
    units = random_units()
    found = patterns(units, companions).set_index(["layer", "head", "pattern"])
    for layer, head in np.ndindex(2, 3):
        for pattern, expected in reference(units, companions, layer, head).items():
            assert (expected[1] > 0) == (companions is COMPANIONS or pattern != "predictive"), pattern
            row = found.loc[layer + 1, head + 1, pattern]
            values = row[["attention", "n", "baseline", "share"]].tolist()
            assert values == pytest.approx(expected, rel=1e-5, nan_ok=True), pattern


def test_a_sequence_needs_as_many_forms_as_tokens():
    (sequence, forms), *_ = random_units()
    with pytest.raises(ValueError, match="has 12 tokens of text, but 11 word forms"):
        patterns([(sequence, forms[1:])], NONE)


def test_real_bert_shows_vigs_patterns_on_vigs_example(real_data):
    """Part 1: head 3-1 attends to the next word, but [SEP] to [CLS]. Part 2: head 8-4 attends to delimiters."""
    first = bert_base_sequences(real_data)[0]
    found = patterns([sequence_of(" ".join(first.tokens), first.attention)], NONE)
    found["excess"] = found["attention"] - found["baseline"]
    six = found[found["pattern"].isin(PATTERN_LABELS)]
    excess = six.pivot_table(index=["layer", "head"], columns="pattern", values="excess")
    for head, pattern, least in (((3, 1), "next", 0.8), ((8, 4), "delimiter", 0.7)):
        assert excess.loc[head].idxmax() == pattern
        assert excess.loc[head, pattern] > least
    of_head = found[(found["layer"] == 3) & (found["head"] == 1)].set_index("pattern")["attention"]
    assert of_head["cls_from_sep"] > 0.5 > of_head["delimiter_cls"]
