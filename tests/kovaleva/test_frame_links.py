"""Frames link the right tokens of real sentences, and the attention between these is read."""

import numpy as np
import pytest

from bert_attention.attention.hooks import HookedEncoder
from bert_attention.corpora.frames import read_framed
from bert_attention.corpora.types import FramedSentence, FrameElement
from bert_attention.errors import InputError
from bert_attention.kovaleva import frames
from bert_attention.kovaleva.frame_links import (
    attention_maps,
    described_pairs,
    drop_too_long,
    framed_inputs,
    released_pairs,
)
from bert_attention.models.devices import torch_threads
from bert_attention.models.encoders import load_encoder
from bert_attention.statistics.jackknife import tabulated
from bert_attention.statistics.sums import Sums
from bert_attention.statistics.tables import with_intervals
from bert_attention.tokenization.wordpieces import load_tokenizer
from tests.models.random_models import save_roberta


def framed(text, target, *elements):
    """A sentence whose target and elements are given as strings; each is meant where it stands first."""
    spans = [(text.index(part), text.index(part) + len(part)) for part in (target, *elements)]
    return FramedSentence(text, "", spans[0], tuple(FrameElement("", *span) for span in spans[1:]))


def linked_words(sentence, tokenizer):
    """The linked wordpieces of a sentence, by variant."""
    (sequence,), (links,) = framed_inputs([sentence], tokenizer, "frames.jsonl")
    tokens = tokenizer.convert_ids_to_tokens(sequence.token_ids)
    assert [tokens[place] for place in links.text] == tokens[1:-1]
    assert (tokens[0], tokens[-1]) == ("[CLS]", "[SEP]")
    assert not sequence.segment_ids.any()
    return {variant: [f"{tokens[i]} {tokens[j]}" for i, j in pairs] for variant, pairs in links.pairs.items()}


def test_all_tokens_of_an_element_are_linked_with_all_of_the_predicate(tokenizer):
    found = linked_words(framed("The old smith was unaffable .", "unaffable", "The old smith"), tokenizer)
    pieces = ("una", "##ffa", "##ble")
    assert found["described"] == [f"{word} {piece}" for word in ("the", "old", "smith") for piece in pieces]
    assert found["released"] == ["the una", "old ##ffa", "smith ##ble"]


def test_the_code_pairs_off_all_elements_as_one(tokenizer):
    found = linked_words(framed("He quietly gave the unaffable smith nets .", "gave", "He", "nets"), tokenizer)
    assert found == {"described": ["he gave", "nets gave"], "released": ["he gave"]}
    found = linked_words(framed("He was unaffable to the two .", "unaffable", "He", "two"), tokenizer)
    assert found["released"] == ["he una", "two ##ffa"]


def test_the_code_takes_the_first_token_that_reads_the_same():
    text = "he saw that she saw him"
    sentence = FramedSentence(text, "", (16, 19), (FrameElement("", 20, 23),))
    spans = [(0, 2), (3, 6), (7, 11), (12, 15), (16, 19), (20, 23)]
    assert described_pairs(sentence, spans) == [(5, 4)]
    assert released_pairs(tuple(text.split()), ("saw",), [("him",)]) == [(5, 1)]
    assert released_pairs(tuple(text.split()), ("see",), [("him",)]) == []
    assert released_pairs(tuple(text.split()), ("saw",), [("he",), ("it",)]) == [(0, 1)]  # "it" is paired with nothing


def test_characters_in_part_of_a_wordpiece_count_and_none_is_linked_with_itself():
    spans = [(0, 4), (5, 9), (9, 12)]
    sentence = FramedSentence("iron gatekeeper", "", (7, 12), (FrameElement("", 0, 4), FrameElement("", 5, 8)))
    assert described_pairs(sentence, spans) == [(0, 1), (0, 2), (1, 2)]


def test_tokens_are_found_for_other_kinds_of_tokenizers(tmp_path):
    tokenizer = load_tokenizer(save_roberta(tmp_path / "roberta"))
    text = "The cat, unbelievably, sat."
    sentence = framed(text, "sat", "The cat")
    (sequence,), (links,) = framed_inputs([sentence], tokenizer, "frames.jsonl")
    for variant in ("described", "released"):
        first, second = (
            tokenizer.backend.decode(sequence.token_ids[np.unique(links.pairs[variant][:, side])]).strip()
            for side in (0, 1)
        )
        assert second == "sat" if variant == "described" else "sat".startswith(second)
        assert first == "The cat" if variant == "described" else "The cat".startswith(first)


def test_a_sentence_without_wordpieces_is_named(tokenizer):
    sentences = [framed("He was seen .", "seen", "He"), framed("\u200d\u200d", "\u200d", "\u200d")]
    with pytest.raises(InputError, match=r"frames.jsonl, sentence 2: has no wordpiece"):
        framed_inputs(sentences, tokenizer, "frames.jsonl")


def test_sentences_that_the_model_cannot_take_are_left_out_and_counted(tokenizer):
    sentences = [framed(text, "seen", "He") for text in ("He had never been seen before .", "He was seen .")]
    sequences, links = framed_inputs(sentences, tokenizer, "frames.jsonl")
    kept, their_links, left_out = drop_too_long(sequences, links, 7, "frames.jsonl")
    assert (kept, their_links) == (sequences[1:], links[1:])
    assert left_out == {"sentences of more than 7 tokens": 1}
    with pytest.raises(InputError, match=r"frames.jsonl: no sentence has at most 5 tokens"):
        drop_too_long(sequences, links, 5, "frames.jsonl")


def test_a_corpus_without_elements_is_named(tokenizer):
    sequences, links = framed_inputs([framed("He was seen .", "seen")], tokenizer, "frames.jsonl")
    with pytest.raises(InputError, match=r"frames.jsonl: no sentence has tokens of a core frame element"):
        drop_too_long(sequences, links, 100, "frames.jsonl")


def test_maps_are_those_of_each_sentence_alone(embedded_model, tokenizer):
    encoder = HookedEncoder.of(load_encoder(embedded_model, "cpu"))
    sentences = [framed(text, "seen", "He") for text in ("He was seen .", "He had never been seen before .")]
    sequences, _ = framed_inputs(sentences, tokenizer, "frames.jsonl")
    together = attention_maps(encoder, sequences, tokenizer.pad_token_id)
    assert len(together) == 2
    for sequence, of_both in zip(sequences, together, strict=True):
        (alone,) = attention_maps(encoder, [sequence], tokenizer.pad_token_id)
        assert alone.shape == (encoder.layers, encoder.heads, len(sequence), len(sequence))
        np.testing.assert_allclose(of_both, alone, atol=1e-5)
        np.testing.assert_allclose(of_both.sum(-1), 1, atol=1e-5)


def test_every_sentence_of_the_paper_is_scored(embedded_model, tokenizer, real_data):
    path = real_data("framenet/kovaleva_473.jsonl")
    sentences, _ = read_framed(path)
    sequences, links = framed_inputs(sentences, tokenizer, path)
    assert sum(len(sequence) > 20 for sequence in sequences) == 2  # as the docstring says
    described, released = ([set(map(tuple, of.pairs[v].tolist())) for of in links] for v in ("described", "released"))
    assert sum(not b <= a for a, b in zip(described, released, strict=True)) == 4  # and this
    with torch_threads(1):
        encoder = HookedEncoder.of(load_encoder(embedded_model, "cpu"))
        maps = (attention_maps(encoder, [sequence], tokenizer.pad_token_id)[0] for sequence in sequences)
        found = tabulated(frames.table, Sums.of(map(frames.sums, maps, links), range(len(links))))
    tables = {name: with_intervals(table, name) for name, table in found.items()}
    table = tables["kovaleva_frames"]
    assert (table.loc[table["link"] != "random_pair", "n"] == 473).all()
    assert table["attention"].between(0, 1).all()
    best = table[(table["link"] == "annotated") & table["above_99th_percentile"]]
    assert best[["layer", "head"]].drop_duplicates().to_numpy().tolist() == [[6, 5]]  # by either variant
    assert (best["gain_low"] > 0.09).all()
    share = tables["kovaleva_frame_offsets"].groupby("variant")["share"].max()
    assert (share > best.groupby("variant")["attention"].max()).all()  # an offset alone explains more


def test_bert_base_attends_as_published(real_data):
    """Figures 3 and 4 of the paper: what "he" attends to in "He was becoming agitated ."."""
    folder = real_data("bert_base_uncased")
    tokenizer, encoder = load_tokenizer(folder), HookedEncoder.of(load_encoder(folder, "cpu"))
    sequences, (links,) = framed_inputs([framed("He was becoming agitated .", "agitated", "He")], tokenizer, "example")
    assert links.pairs["described"].tolist() == links.pairs["released"].tolist() == [[1, 4]]
    (attention,) = attention_maps(encoder, sequences, tokenizer.pad_token_id)
    assert attention[0, 1, 1] == pytest.approx([0.02, 0.01, 0.05, 0.32, 0.46, 0.02, 0.12], abs=0.006)
    assert attention[6, 5, 1] == pytest.approx([0.00, 0.01, 0.01, 0.06, 0.87, 0.00, 0.06], abs=0.006)
