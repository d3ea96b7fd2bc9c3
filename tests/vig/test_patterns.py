"""The six patterns against plain loops, on heads of a distance, and on real attention."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest

from bert_attention.corpora.co_occurrence import CoOccurrences
from bert_attention.statistics.sums import Sums
from bert_attention.vig.column_values import PATTERN_LABELS
from bert_attention.vig.patterns import LEAST_INFORMATION, OF_WORDS, PATTERNS, sums, table
from tests.bert_base_attention import bert_base_sequences
from tests.conftest import random_attention

# Words of tokens, special tokens in brackets; "##" goes on with the word before.
TEXTS = [
    "[CLS] the store stores straw ##berries . [SEP] the stores and straw ##berries ? [SEP]",
    "[CLS] united states or state [SEP] the united . [SEP]",
    "[CLS] a united the states a [SEP]",
]
STEMS = {"stores": "store", "states": "state"}
NONE = CoOccurrences({})
COMPANIONS = CoOccurrences(
    {
        "x": [["united", "states"]] * 4 + [["straw", "store"]] * 4,
        "y": [[f"{letter}{place}", f"{letter}{place + 1}"] for letter in "abcdefgh" for place in range(60)] * 2,
    }
)


def sequence_of(text, attention):
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
    stored = SimpleNamespace(attention=attention, categories=categories, word_ids=np.array(words))
    return stored, forms


def corpus(*attention):
    """Sequences and forms of the texts."""
    return tuple(zip(*map(sequence_of, TEXTS, attention), strict=True))


def patterns(sequences, forms, co_occurrences):
    """The table of sequences from one article."""
    longest = max(len(sequence.word_ids) for sequence in sequences)
    added = (sums(*unit, "some", co_occurrences, longest) for unit in zip(sequences, forms, strict=True))
    return table(Sums.of(added, range(len(sequences))))


def random_maps(seed, heads=3):
    random = np.random.default_rng(seed)
    return [random_attention(random, 2, heads, len(text.split())) for text in TEXTS]


def partners_by_loops(sequence, forms, co_occurrences):
    """For each pattern the pairs of tokens, from the definitions."""
    word, n = sequence.word_ids.tolist(), len(sequence.word_ids)
    cls, sep = (sequence.categories[name].tolist() for name in ("cls", "sep"))
    text = [place for place in range(n) if word[place] >= 0]
    form = dict(zip(text, forms, strict=True))
    stem = {place: STEMS.get(form[place], form[place]) for place in text}
    part = {place: sum(sep[:place]) for place in text}
    pairs = {pattern: set() for pattern in PATTERNS}
    for i, j in itertools.product(text, range(n)):
        holds = {"next": j == i + 1, "previous": j == i - 1, "delimiter": cls[j] or sep[j]}
        holds |= {"delimiter_cls": cls[j], "delimiter_sep": sep[j]}
        for pattern in filter(holds.get, holds):
            pairs[pattern].add((i, j))
    for i, j in itertools.product(text, text):
        if form[i] and stem[i] == stem[j]:
            if part[i] != part[j]:
                pairs["identical_other_sentence"].add((i, j))
            else:
                pairs["identical"].add((i, j))
                if word[i] != word[j]:
                    pairs["identical_others"].add((i, j))
    pairs["cls_from_sep"] = {(i, j) for i, j in itertools.product(range(n), range(n)) if sep[i] and cls[j]}
    having = {i for i, _ in pairs["identical_others"]}
    pairs["identical"] = {(i, j) for i, j in pairs["identical"] if i in having}
    for i in text:
        best, found = LEAST_INFORMATION, None
        for j in text:
            if form[i] and form[j] and stem[i] != stem[j]:
                information = co_occurrences.information([form[i], form[j]], "some")[0, 1]
                if information > best:
                    best, found = information, form[j]
        pairs["predictive"] |= {(i, j) for j in text if found and form[j] == found}
    return pairs, text, form, part


def reference(sequences, forms, co_occurrences, layer, head):
    """For each pattern: mean attention, number of tokens, baseline, and share of tokens, in float64."""
    found, by_distance, texts = {pattern: [0.0, 0, 0.0] for pattern in PATTERNS}, {}, 0
    all_partners = []
    for sequence, of_sequence in zip(sequences, forms, strict=True):
        attention = sequence.attention[layer, head].astype(np.float64)
        pairs, text, form, part = partners_by_loops(sequence, of_sequence, co_occurrences)
        texts += len(text)
        for i, j in itertools.product(text, text):
            if form[i] and form[j]:
                by_distance.setdefault((j - i, part[i] == part[j]), []).append(attention[i, j])
        for pattern, of_pattern in pairs.items():
            found[pattern][0] += sum(attention[i, j] for i, j in of_pattern)
            found[pattern][1] += len({i for i, _ in of_pattern})
            found[pattern][2] += len(of_pattern) / len(attention)
        all_partners.append((pairs, part))
    for pattern in OF_WORDS:
        found[pattern][2] = sum(
            np.mean(by_distance[j - i, part[i] == part[j]]) for pairs, part in all_partners for i, j in pairs[pattern]
        )
    return {
        pattern: (mass / n, n, chance / n, n / texts) if n else (math.nan, 0, math.nan, 0)
        for pattern, (mass, n, chance) in found.items()
    }


@pytest.mark.parametrize("seed", range(3))
def test_each_head_and_pattern_against_plain_loops(seed):
    sequences, forms = corpus(*random_maps(seed))
    found = patterns(sequences, forms, COMPANIONS).set_index(["layer", "head", "pattern"])
    for layer, head in itertools.product(range(2), range(3)):
        for pattern, expected in reference(sequences, forms, COMPANIONS, layer, head).items():
            assert expected[1] > 0, pattern
            row = found.loc[layer + 1, head + 1, pattern]
            assert row[["attention", "n", "baseline", "share"]].tolist() == pytest.approx(expected, rel=1e-5), pattern


def test_a_head_of_a_distance_has_no_pattern_of_words():
    """Attention by distance alone is what the baseline expects, whatever stands at that distance."""
    maps = []
    for text in TEXTS:
        n = len(text.split())
        attention = np.eye(n) * 0.5 + np.eye(n, k=1) * 0.3 + np.eye(n, k=-3) * 0.2
        maps.append(attention[None, None].astype(np.float32))
    found = patterns(*corpus(*maps), COMPANIONS).set_index("pattern").loc[[*OF_WORDS]]
    assert found["attention"].max() > 0.3
    assert found["attention"].tolist() == pytest.approx(found["baseline"].tolist(), rel=1e-6)


def test_without_counts_no_word_is_predictive():
    found = patterns(*corpus(*random_maps(0)), NONE).set_index("pattern")
    assert (found.loc["predictive", "n"] == 0).all()
    assert found.loc["predictive", ["attention", "baseline"]].isna().all(axis=None)


@pytest.mark.parametrize("companions", [NONE, COMPANIONS])
@pytest.mark.parametrize("text", ["[CLS] . [SEP]", "[CLS] ? ! [SEP] . [SEP]"])
def test_a_text_without_words_has_only_patterns_of_places(text, companions):
    n = len(text.split())
    sequence, forms = sequence_of(text, random_attention(np.random.default_rng(0), 2, 3, n))
    found = patterns([sequence], [forms], companions).set_index("pattern")
    assert (found.loc[[*OF_WORDS], "n"] == 0).all()
    assert (found.loc[["next", "delimiter_sep"], "n"] == len(forms)).all()


def test_forms_and_tokens_must_belong_together():
    sequences, forms = corpus(*random_maps(0))
    with pytest.raises(ValueError, match="12 tokens of text, but 11 words"):
        patterns(sequences, [forms[0][1:], *forms[1:]], NONE)


def test_real_bert_shows_vigs_patterns_on_vigs_example(real_data):
    """Part 1: head 3-1 attends to the next word; [SEP] points to [CLS] instead; part 2: 8-4 attends to delimiters."""
    first = bert_base_sequences(real_data)[0]
    sequence, forms = sequence_of(" ".join(first.tokens), first.attention)
    found = patterns([sequence], [forms], NONE)
    found["excess"] = found["attention"] - found["baseline"]
    six = found[found["pattern"].isin(PATTERN_LABELS)]
    excess = six.pivot_table(index=["layer", "head"], columns="pattern", values="excess")
    assert excess.loc[(3, 1)].idxmax() == "next"
    assert excess.loc[(3, 1), "next"] > 0.8
    assert excess.loc[(8, 4)].idxmax() == "delimiter"
    assert excess.loc[(8, 4), "delimiter"] > 0.7
    of_head = found[(found["layer"] == 3) & (found["head"] == 1)].set_index("pattern")["attention"]
    assert of_head["cls_from_sep"] > 0.5 > of_head["delimiter_cls"]
