"""Frames link the right tokens of sentences, and the attention between these tokens is read."""

from dataclasses import replace

import numpy as np
import pytest

from bert_attention.attention.hooks import HookedEncoder
from bert_attention.corpora.frames import read_framed
from bert_attention.corpora.types import FramedSentence, FrameElement
from bert_attention.errors import InputError
from bert_attention.models.devices import torch_threads
from bert_attention.models.encoders import load_encoder
from bert_attention.papers.kovaleva import frames
from bert_attention.papers.kovaleva.frame_links import (
    attention_maps,
    described_pairs,
    drop_too_long,
    framed_inputs,
    released_pairs,
)
from bert_attention.statistics.jackknife import tabulated
from bert_attention.statistics.sums import Sums
from bert_attention.statistics.tables import with_intervals
from bert_attention.tokenization.wordpieces import load_tokenizer
from tests.models.random_models import save_roberta


def framed(text, target, *elements):
    """Return a sentence whose target and elements are the first occurrences of strings."""
    spans = [(text.index(part), text.index(part) + len(part)) for part in (target, *elements)]
    return FramedSentence(text, "", spans[0], tuple(FrameElement("", *span) for span in spans[1:]))


@pytest.mark.parametrize(
    ("sentence", "described", "released"),
    [
        (
            framed("The smith was unaffable to two .", "unaffable", "The smith", "two"),
            [f"{word} {piece}" for word in ("the", "smith", "two") for piece in ("una", "##ffa", "##ble")],
            ["the una", "smith ##ffa", "two ##ble"],
        ),
        (framed("He quietly gave the smith nets .", "gave", "He", "nets"), ["he gave", "nets gave"], ["he gave"]),
    ],
)
def test_tokens_of_elements_are_linked_with_the_predicate(tokenizer, sentence, described, released):
    (sequence,), (links,) = framed_inputs([sentence], tokenizer, "frames.jsonl")
    tokens = tokenizer.convert_ids_to_tokens(sequence.token_ids)
    assert [tokens[index] for index in links.text] == tokens[1:-1]
    assert (tokens[0], tokens[-1]) == ("[CLS]", "[SEP]")
    assert not sequence.segment_ids.any()
    found = {variant: [f"{tokens[i]} {tokens[j]}" for i, j in pairs] for variant, pairs in links.pairs.items()}
    assert found == {"described": described, "released": released}


def test_the_released_code_takes_the_first_equal_token():
    text = "he saw that she saw him"
    sentence = FramedSentence(text, "", (16, 19), (FrameElement("", 20, 23),))
    spans = [(0, 2), (3, 6), (7, 11), (12, 15), (16, 19), (20, 23)]
    assert described_pairs(sentence, spans) == [(5, 4)]
    assert released_pairs(tuple(text.split()), ("saw",), [("him",)]) == [(5, 1)]
    assert released_pairs(tuple(text.split()), ("see",), [("him",)]) == []
    assert released_pairs(tuple(text.split()), ("saw",), [("he",), ("it",)]) == [(0, 1)]  # no pair has "it"


def test_part_of_a_wordpiece_is_linked_but_not_with_itself():
    spans = [(0, 4), (5, 9), (9, 12)]
    sentence = FramedSentence("iron gatekeeper", "", (7, 12), (FrameElement("", 0, 4), FrameElement("", 5, 8)))
    assert described_pairs(sentence, spans) == [(0, 1), (0, 2), (1, 2)]


def test_tokens_of_another_kind_of_tokenizer_are_linked(tmp_path):
    tokenizer = load_tokenizer(save_roberta(tmp_path / "roberta"))
    sentence = framed("The cat, unbelievably, sat.", "sat", "The cat")
    (sequence,), (links,) = framed_inputs([sentence], tokenizer, "frames.jsonl")
    described, released = (
        [tokenizer.backend.decode(sequence.token_ids[np.unique(indices)]).strip() for indices in pairs.T]
        for pairs in links.pairs.values()
    )
    assert described == ["The cat", "sat"]
    assert "The cat".startswith(released[0]) and "sat".startswith(released[1])


def test_too_long_sentences_are_skipped_and_bad_corpora_are_errors(tokenizer):
    def inputs(*sentences):
        return framed_inputs(sentences, tokenizer, "frames.jsonl")

    sequences, links = inputs(framed("He was not yet seen .", "seen", "He"), framed("He was seen .", "seen", "He"))
    kept, kept_links, left_out = drop_too_long(sequences, links, 6, "frames.jsonl")
    assert (kept, kept_links) == (sequences[1:], links[1:])
    assert left_out == {"sentences of more than 6 tokens": 1}
    of_one_text = [replace(framed("He was seen .", "seen", "He"), group=group) for group in ("A", "A", "B")]
    assert [links.cluster for links in inputs(*of_one_text)[1]] == [0, 0, 2]
    with pytest.raises(InputError, match=r"frames.jsonl: no sentence has at most 5 tokens"):
        drop_too_long(sequences, links, 5, "frames.jsonl")
    with pytest.raises(InputError, match=r"frames.jsonl: no sentence has tokens of a core frame element"):
        drop_too_long(*inputs(framed("He was seen .", "seen")), 100, "frames.jsonl")
    with pytest.raises(InputError, match=r"frames.jsonl, sentence 2: has no wordpiece"):
        inputs(framed("He was seen .", "seen", "He"), framed("\u200d\u200d", "\u200d", "\u200d"))


def test_maps_do_not_depend_on_other_sentences(embedded_model, tokenizer):
    encoder = HookedEncoder.of(load_encoder(embedded_model, "cpu"))
    sentences = [framed(text, "seen", "He") for text in ("He was seen .", "He had never been seen before .")]
    sequences, _ = framed_inputs(sentences, tokenizer, "frames.jsonl")
    for sequence, attention in zip(sequences, attention_maps(encoder, sequences, tokenizer.pad_token_id), strict=True):
        (alone,) = attention_maps(encoder, [sequence], tokenizer.pad_token_id)
        assert alone.shape == (encoder.layers, encoder.heads, len(sequence), len(sequence))
        np.testing.assert_allclose(attention, alone, atol=1e-5)


def test_every_sentence_of_the_paper_is_scored(embedded_model, tokenizer, real_data):
    path = real_data("framenet/kovaleva_473.jsonl")
    sentences, _ = read_framed(path)
    sequences, links = framed_inputs(sentences, tokenizer, path)
    assert sum(len(sequence) > 20 for sequence in sequences) == 2  # as the docstring says
    described, released = (
        [set(map(tuple, each.pairs[variant].tolist())) for each in links] for variant in ("described", "released")
    )
    assert sum(not b <= a for a, b in zip(described, released, strict=True)) == 4  # as the docstring says
    with torch_threads(1):
        encoder = HookedEncoder.of(load_encoder(embedded_model, "cpu"))
        batches = (attention_maps(encoder, sequences[i : i + 30], tokenizer.pad_token_id) for i in range(0, 473, 30))
        maps = (attention for batch in batches for attention in batch)
        found = tabulated(frames.table, Sums.of(map(frames.sums, maps, links), range(len(links))))
    tables = {name: with_intervals(table, name) for name, table in found.items()}
    table = tables["kovaleva_frames"]
    assert (table.loc[table["link"] != "random_pair", "n"] == 473).all()
    assert table["attention"].between(0, 1).all()
    best = table[(table["link"] == "annotated") & table["above_99th_percentile"]]
    assert best[["layer", "head"]].drop_duplicates().to_numpy().tolist() == [[6, 5]]  # in both variants
    assert (best["gain_low"] > 0.09).all()
    share = tables["kovaleva_frame_offsets"].groupby("variant")["share"].max()
    assert (share > best.groupby("variant")["attention"].max()).all()  # an offset alone explains more


def test_bert_base_attends_as_published(real_data):
    """Figures 3 and 4 of the paper: what "he" attends to in "He was becoming agitated ."."""
    folder = real_data("bert_base_uncased")
    tokenizer, encoder = load_tokenizer(folder), HookedEncoder.of(load_encoder(folder, "cpu"))
    sequences, (links,) = framed_inputs([frames.PAPERS_EXAMPLE], tokenizer, "example")
    assert links.pairs["described"].tolist() == links.pairs["released"].tolist() == [[1, 4]]
    (attention,) = attention_maps(encoder, sequences, tokenizer.pad_token_id)
    assert attention[0, 1, 1] == pytest.approx([0.02, 0.01, 0.05, 0.32, 0.46, 0.02, 0.12], abs=0.006)
    assert attention[6, 5, 1] == pytest.approx([0.00, 0.01, 0.01, 0.06, 0.87, 0.00, 0.06], abs=0.006)
