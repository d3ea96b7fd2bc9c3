"""Attention that follows frames against the definition in plain loops."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from bert_attention.corpora.types import FramedSentence, FrameElement
from bert_attention.papers.kovaleva.columns import FRAME_LINKS, VARIANTS
from bert_attention.papers.kovaleva.frame_links import FrameLinks, framed_inputs
from bert_attention.papers.kovaleva.frames import PAPERS_EXAMPLE, frame_example, sums, table
from bert_attention.statistics.sums import Sums
from tests.conftest import random_attention
from tests.written import framed_sentences

# The links of the first sentence fit nowhere else, and the second sentence has no links.
SPECIAL_CASES = (
    FramedSentence("he sat", "", (3, 6), (FrameElement("", 0, 2),)),
    FramedSentence("he sat", "", (3, 6), ()),
)


def plain_pairs(sentence, tokenizer, variant):
    """Return the linked tokens of a sentence, as indices in the input, from its strings."""
    encoded = tokenizer.backend.encode(sentence.text)
    parts = [(element.start, element.end) for element in sentence.elements]
    if variant == "released":

        def tokenized(start, end):
            return tokenizer.backend.encode(sentence.text[start:end], add_special_tokens=False).tokens

        source = [piece for part in parts for piece in tokenized(*part)]
        pairs = zip(source, tokenized(*sentence.target), strict=False)
        return [(encoded.tokens.index(a), encoded.tokens.index(b)) for a, b in pairs]
    characters = [set(range(start, end)) for start, end in encoded.offsets]
    target = [index for index, own in enumerate(characters) if own & set(range(*sentence.target))]
    elements = [index for index, own in enumerate(characters) for part in parts if own & set(range(*part))]
    return [(a, b) for a in elements for b in target]


def plain_control(attention, pairs):
    """Return the mean score of the pairs moved along the sentence, without [CLS] and [SEP]; None if they never fit."""
    scores = []
    for shift in range(-len(attention), len(attention)):
        moved = [(a + shift, b + shift) for a, b in pairs]
        fit = all(1 <= index <= len(attention) - 2 for pair in moved for index in pair)
        if fit and not set(moved) & set(pairs):
            scores.append(max(attention[a][b] for a, b in moved))
    return sum(scores) / len(scores) if scores else None


def tables_of(maps, links):
    return table(Sums.of(map(sums, maps, links), range(len(links))))


@pytest.mark.parametrize("sentences", [(*framed_sentences(24), *SPECIAL_CASES), SPECIAL_CASES])
def test_the_table_equals_the_definition_sentence_by_sentence(tokenizer, sentences):
    sequences, links = framed_inputs(sentences, tokenizer, "frames.jsonl")
    random = np.random.default_rng(0)
    maps = [random_attention(random, 2, 3, len(sequence)) for sequence in sequences]
    tables = tables_of(maps, links)
    found = tables["kovaleva_frames"]
    assert len(found) == len(VARIANTS) * len(FRAME_LINKS) * 2 * 3
    for row in found.to_dict("records"):
        pairs = [plain_pairs(sentence, tokenizer, row["variant"]) for sentence in sentences]
        if row["link"] == "reversed":
            pairs = [[(b, a) for a, b in linked] for linked in pairs]
        weights = [attention[row["layer"] - 1, row["head"] - 1].tolist() for attention in maps]
        units = [unit for unit in zip(weights, pairs, strict=True) if unit[1]]
        scores = [max(attention[a][b] for a, b in linked) for attention, linked in units]
        controls = [plain_control(*unit) for unit in units]
        gains = [score - control for score, control in zip(scores, controls, strict=True) if control is not None]
        if row["link"] == "random_pair":
            scores, gains = [control for control in controls if control is not None], []
        for values, mean, n in ((scores, "attention", "n"), (gains, "gain", "gain_n")):
            assert row[n] == len(values)
            expected = sum(values) / len(values) if values else np.nan
            assert row[mean] == pytest.approx(expected, abs=1e-6, nan_ok=True)
    for variant, rows in tables["kovaleva_frame_offsets"].groupby("variant"):
        pairs = [plain_pairs(sentence, tokenizer, variant) for sentence in sentences]
        offsets = Counter(offset for linked in pairs for offset in {b - a for a, b in linked})
        n = sum(map(bool, pairs))
        shares = dict(zip(rows["offset"], rows["share"], strict=True))
        assert shares == pytest.approx({offset: count / n for offset, count in offsets.items()})


def test_two_of_144_heads_are_above_the_99th_percentile():
    attention = np.random.default_rng(0).permutation(144).reshape(12, 12, 1, 1) / 144 * np.ones((9, 9))
    links = FrameLinks(dict.fromkeys(VARIANTS, np.array([(1, 5)])), range(1, 8), 0)
    found = tables_of([attention], [links])["kovaleva_frames"]
    for _, rows in found.groupby(["variant", "link"]):
        assert sorted(rows.loc[rows["above_99th_percentile"], "attention"] * 144) == pytest.approx([142, 143])


@pytest.mark.parametrize(
    ("layers", "gains", "shown"),
    [
        (7, {(7, 6): 0.3, (2, 3): 0.2}, [(7, 6), (2, 3), (1, 2)]),
        (7, {(3, 1): 0.3, (2, 3): 0.4}, [(2, 3), (3, 1), (1, 2), (7, 6)]),
        (6, {(3, 1): 0.3, (2, 3): 0.4}, [(2, 3), (3, 1), (1, 2)]),  # the encoder has no head 7-6
    ],
)
def test_the_example_shows_the_best_heads_and_then_the_papers_heads(layers, gains, shown, tokenizer):
    (sequence,), (links,) = framed_inputs([PAPERS_EXAMPLE], tokenizer, "example")
    tokens = tokenizer.convert_ids_to_tokens(sequence.token_ids)
    attention = random_attention(np.random.default_rng(0), layers, 6, len(tokens))
    frames = [
        {"layer": layer + 1, "head": head + 1, "variant": variant, "link": link, "gain": gain}
        for layer, head in np.ndindex(layers, 6)
        for variant, link, gain in (
            ("described", "annotated", gains.get((layer + 1, head + 1), 0.1)),
            ("released", "annotated", layer),
            ("described", "reversed", head),
        )
    ]
    found = frame_example(attention, tokens, links, pd.DataFrame(frames))
    expected = [
        [layer, head, query, key, tokens[query], tokens[key], attention[layer - 1, head - 1, query, key]]
        for layer, head in shown
        for query, key in np.ndindex(7, 7)
    ]
    columns = ["layer", "head", "query", "key", "query_token", "key_token", "weight"]
    assert found[columns].to_numpy().tolist() == expected
    linked = found[found["linked"]]
    assert linked[["query_token", "key_token"]].to_numpy().tolist() == [["he", "agitated"]] * len(shown)
