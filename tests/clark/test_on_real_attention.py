"""Analyses of section 4 on the attention of a real encoder, as extraction stores it."""

from bert_attention.attention.hooks import HookedEncoder
from bert_attention.attention.store import WORD_ARRAYS
from bert_attention.corpora.conllu import read_conllu
from bert_attention.models.devices import torch_threads
from bert_attention.models.encoders import load_encoder
from bert_attention.papers.clark import dependency_heads
from bert_attention.tokenization.wordpieces import load_tokenizer, token_categories
from bert_attention.tokenization.words import encode_words, wordpieces_of_words
from tests.attention.stores import extracted
from tests.statistics.blocks import table_of


def test_a_real_encoder_has_heads_for_objects_and_determiners(real_data, embedded_model, tmp_path):
    """Section 4.2: a head of its own for objects and one for determiners, far above any fixed offset."""
    sentences = read_conllu(real_data("ud_english_ewt/en_ewt-ud-dev.conllu"))[0][:150]
    tokenizer, encoder = load_tokenizer(embedded_model), HookedEncoder.of(load_encoder(embedded_model, "cpu"))
    wordpieces = wordpieces_of_words([sentence.forms for sentence in sentences], tokenizer)
    settings = {"pad_id": tokenizer.pad_token_id, "categories": token_categories(tokenizer), "arrays": WORD_ARRAYS}
    with torch_threads(1):
        encoded = [encode_words(words, tokenizer) for words in wordpieces]
        attention = extracted(tmp_path / "shard", encoder, encoded, batch_size=8, **settings)
    table = table_of(dependency_heads, attention, sentences)
    for selection in ("same_data", "held_out"):
        rows = table[(table["variant"] == "described") & (table["selection"] == selection)].set_index("relation")
        assert (rows["gain"][["obj", "case", "det"]] > [0.3, 0.25, 0.15]).all()
        assert rows.loc["obj", "baseline_offset"] == -2
    assert rows.loc["all", "n"] == sum(len(sentence.words) for sentence in sentences)
