import dataclasses

import numpy as np
import pytest
import torch

from bert_attention.attention.hooks import run
from bert_attention.attention.store import WORD_ARRAYS
from bert_attention.attention.words import word_attention
from bert_attention.models.inputs import padded_batch
from tests.attention.stores import extracted, random_sequences
from tests.models.random_models import random_encoder


def test_a_store_of_words_holds_attention_between_words(tmp_path):
    encoder = random_encoder("bert")
    # [CLS], three wordpieces of the first word, words of one wordpiece, [SEP]
    words = [-1, 0, 0, 0, 1, 2, -1], [-1, 0, 0, 0, *range(1, 8), -1], [-1, 0, -1]
    sequences = [
        dataclasses.replace(sequence, word_ids=np.array(ids, dtype=np.int32))
        for sequence, ids in zip(random_sequences([7, 12, 3]), words, strict=True)
    ]
    found = extracted(tmp_path / "s", encoder, sequences, arrays=WORD_ARRAYS)
    for stored, sequence in zip(found, sequences, strict=True):
        attention = torch.stack(run(encoder, *padded_batch([sequence], 1)).attention, dim=1)[0]
        np.testing.assert_allclose(stored.attention, word_attention(attention, sequence.word_ids, "mean"), atol=5e-4)
        assert stored.word_ids.tolist() == [-1, *range(stored.attention.shape[-1] - 2), -1]


@pytest.mark.parametrize("kind", ["bert", "albert", "modernbert"])
def test_the_store_holds_the_models_attention(tmp_path, kind):
    encoder = random_encoder(kind)
    sequences = random_sequences([7, 12, 3], pairs=kind == "bert")
    for stored, sequence in zip(extracted(tmp_path / "s", encoder, sequences), sequences, strict=True):
        maps = run(encoder, *padded_batch([sequence], 1), encoder.norms)
        np.testing.assert_array_equal(stored.token_ids, sequence.token_ids)
        for layer, attention in enumerate(maps.attention):
            np.testing.assert_allclose(stored.attention[layer], attention[0], atol=5e-4)
        for name, values in maps.norms.items():
            tolerance = 1e-3 if name == "summed_norms" else 1e-4
            np.testing.assert_allclose(getattr(stored, name), values[0], rtol=tolerance, atol=1e-6)
