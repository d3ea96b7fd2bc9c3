"""Attention that follows frames, against the definition in plain loops, and on heads whose answer is known."""

import numpy as np
import pandas as pd
import pytest

from bert_attention.kovaleva.column_values import FRAME_LINKS, VARIANTS
from bert_attention.kovaleva.frame_links import FrameLinks, framed_inputs
from bert_attention.kovaleva.frames import PAPERS_EXAMPLE, frame_example, sums, table
from bert_attention.statistics.sums import Sums
from tests.conftest import random_attention
from tests.written import framed_sentences

LAYERS, HEADS = 2, 3


def plain_pairs(sentence, tokenizer, variant):
    """The linked tokens of a sentence, as places in the input, from its strings."""
    encoded = tokenizer.backend.encode(sentence.text)
    tokens = encoded.tokens
    parts = [(element.start, element.end) for element in sentence.elements]
    if variant == "released":

        def tokenized(text):
            return tokenizer.backend.encode(text, add_special_tokens=False).tokens

        source = [piece for start, end in parts for piece in tokenized(sentence.text[start:end])]
        target = tokenized(sentence.text[slice(*sentence.target)])
        return [(tokens.index(a), tokens.index(b)) for a, b in zip(source, target, strict=False)]
    characters = [set(range(start, end)) for start, end in encoded.offsets]
    of_target = [place for place, own in enumerate(characters) if own & set(range(*sentence.target))]
    of_elements = [place for place, own in enumerate(characters) for part in parts if own & set(range(*part))]
    return [(a, b) for a in of_elements for b in of_target]


def plain_score(attention, pairs):
    return max(float(attention[a][b]) for a, b in pairs)


def plain_elsewhere(attention, pairs):
    """The mean score of the pairs moved along the sentence, without [CLS] and [SEP]; None if they fit nowhere."""
    scores = []
    for move in range(-len(attention), len(attention)):
        moved = [(a + move, b + move) for a, b in pairs]
        fit = all(1 <= place <= len(attention) - 2 for pair in moved for place in pair)
        if fit and not set(moved) & set(pairs):
            scores.append(plain_score(attention, moved))
    return sum(scores) / len(scores) if scores else None


def tables_of(maps, links):
    return table(Sums.of(map(sums, maps, links), range(len(links))))


def test_equals_the_definition_sentence_by_sentence(tokenizer):
    sentences = framed_sentences(60)
    sequences, links = framed_inputs(sentences, tokenizer, "frames.jsonl")
    random = np.random.default_rng(0)
    maps = [random_attention(random, LAYERS, HEADS, len(sequence)) for sequence in sequences]
    found = tables_of(maps, links)["kovaleva_frames"]
    assert len(found) == len(VARIANTS) * len(FRAME_LINKS) * LAYERS * HEADS
    for row in found.to_dict("records"):
        pairs = [plain_pairs(sentence, tokenizer, row["variant"]) for sentence in sentences]
        if row["link"] == "reversed":
            pairs = [[(b, a) for a, b in of_sentence] for of_sentence in pairs]
        of_head = [attention[row["layer"] - 1, row["head"] - 1].tolist() for attention in maps]
        own = [plain_score(*both) for both in zip(of_head, pairs, strict=True)]
        others = [plain_elsewhere(*both) for both in zip(of_head, pairs, strict=True)]
        gain = [mine - other for mine, other in zip(own, others, strict=True) if other is not None]
        if row["link"] == "random_pair":
            own, gain = [other for other in others if other is not None], []
        for scores, mean, n in ((own, "attention", "n"), (gain, "gain", "gain_n")):
            assert row[n] == len(scores)
            assert row[mean] == pytest.approx(np.sum(scores) / len(scores) if scores else np.nan, abs=1e-6, nan_ok=True)


def links_of(tokens, *pairs):
    """The same links by both variants, in a sentence of so many tokens, special ones included."""
    return FrameLinks(dict.fromkeys(VARIANTS, np.array(pairs, dtype=int).reshape(-1, 2)), range(1, tokens - 1))


def rows_of(attention_of, links):
    """The rows of one head by link, from a function of a sentence's number of tokens and its links."""
    maps = [attention_of(of.text.stop + 1, of)[None, None] for of in links]
    found = tables_of(maps, links)["kovaleva_frames"]
    return found[found["variant"] == "described"].set_index("link")


SENTENCES = [links_of(9, (1, 5)), links_of(8, (1, 4), (2, 4)), links_of(9, (6, 2)), links_of(9, (2, 6))]


def test_a_head_that_attends_to_predicates_alone_scores_one():
    def to_predicate(tokens, links):
        attention = np.zeros((tokens, tokens))
        attention[:, links.pairs["described"][0, 1]] = 1
        return attention

    rows = rows_of(to_predicate, SENTENCES)
    assert rows["attention"].to_dict() == {"annotated": 1, "reversed": 0, "random_pair": 0}
    assert rows.loc["annotated", "gain"] == 1


def test_a_head_that_attends_to_an_offset_scores_the_share_of_links_at_it_and_gains_nothing():
    maps = [np.zeros((1, 1, of.text.stop + 1, of.text.stop + 1)) for of in SENTENCES]
    offsets = tables_of(maps, SENTENCES)["kovaleva_frame_offsets"].set_index(["variant", "offset"])["share"]
    shares = {-4: 0.25, 2: 0.25, 3: 0.25, 4: 0.5}
    assert offsets["described"].to_dict() == offsets["released"].to_dict() == shares
    for offset, share in shares.items():
        rows = rows_of(lambda tokens, _, offset=offset: np.eye(tokens, k=offset), SENTENCES)
        assert rows.loc["annotated", ["attention", "gain"]].tolist() == [share, 0]
        assert rows.loc["random_pair", "attention"] == share


def test_links_that_fit_nowhere_else_have_no_control():
    everywhere = [links_of(6, (1, 4)), links_of(6, (2, 3), (3, 2))]  # the second ones meet themselves on no move
    rows = rows_of(lambda tokens, _: np.full((tokens, tokens), 1 / tokens), everywhere)
    assert rows["n"].to_dict() == {"annotated": 2, "reversed": 2, "random_pair": 1}
    rows = rows_of(lambda tokens, _: np.full((tokens, tokens), 1 / tokens), everywhere[:1])
    assert rows.loc["random_pair", "n"] == 0
    assert np.isnan(rows.loc["random_pair", "attention"])
    assert rows.loc["annotated", "attention"] == pytest.approx(1 / 6)


def test_two_of_144_heads_are_above_the_99th_percentile():
    attention = np.random.default_rng(0).permutation(144).reshape(12, 12, 1, 1) / 144 * np.ones((9, 9))
    found = tables_of([attention], SENTENCES[:1])["kovaleva_frames"]
    for _, rows in found.groupby(["variant", "link"]):
        assert sorted(rows.loc[rows["above_99th_percentile"], "attention"] * 144) == pytest.approx([142, 143])


def test_a_sentence_without_links_does_not_count():
    links = [*SENTENCES, links_of(9)]
    rows = rows_of(lambda tokens, _: np.full((tokens, tokens), 0.5), links)
    assert (rows["attention"] == 0.5).all()
    assert rows.loc["annotated", "n"] == len(SENTENCES)


@pytest.mark.parametrize(
    ("gains", "shown"),
    [
        ({(7, 6): 0.3, (2, 3): 0.2}, [(7, 6), (2, 3), (1, 2)]),
        ({(1, 2): 0.3, (7, 6): 0.2}, [(1, 2), (7, 6)]),
        ({(3, 1): 0.3, (2, 3): 0.4}, [(2, 3), (3, 1), (1, 2), (7, 6)]),
    ],
)
def test_the_example_shows_the_best_heads_and_then_the_papers(gains, shown, tokenizer):
    (sequence,), (links,) = framed_inputs([PAPERS_EXAMPLE], tokenizer, "example")
    tokens = tokenizer.convert_ids_to_tokens(sequence.token_ids)
    assert tokens == ["[CLS]", "he", "was", "becoming", "agitated", ".", "[SEP]"]
    attention = random_attention(np.random.default_rng(0), 7, 6, len(tokens))
    frames = [
        {"layer": layer, "head": head, "variant": variant, "link": link, "gain": gain}
        for layer in range(1, 8)
        for head in range(1, 7)
        for variant, link, gain in (
            ("described", "annotated", gains.get((layer, head), 0.1)),
            ("released", "annotated", layer),
            ("described", "reversed", head),
            ("described", "random_pair", np.nan),
        )
    ]
    found = frame_example(attention, tokens, links, pd.DataFrame(frames))
    expected = [
        (layer, head, query, key, tokens[query], tokens[key], attention[layer - 1, head - 1, query, key])
        for layer, head in shown
        for query in range(7)
        for key in range(7)
    ]
    columns = ["layer", "head", "query", "key", "query_token", "key_token", "weight"]
    assert list(found[columns].itertuples(index=False, name=None)) == expected
    linked = found[found["linked"]]
    assert len(linked) == len(shown)
    assert set(zip(linked["query_token"], linked["key_token"], strict=True)) == {("he", "agitated")}


def test_an_encoder_without_the_papers_heads_shows_its_own(tokenizer):
    (sequence,), (links,) = framed_inputs([PAPERS_EXAMPLE], tokenizer, "example")
    attention = random_attention(np.random.default_rng(0), 6, 1, len(sequence))
    own = pd.DataFrame({"layer": range(1, 7), "head": 1, "variant": "described", "link": "annotated", "gain": np.nan})
    found = frame_example(attention, ["a"] * 7, links, own)
    assert found.groupby("layer").size().to_dict() == {1: 49, 2: 49}  # without a gain, the first ones
