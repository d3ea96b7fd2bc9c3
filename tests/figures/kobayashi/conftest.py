"""What tests of the figures of Kobayashi et al. share."""

from __future__ import annotations

import pandas as pd
import pytest

from bert_attention.corpora.token_frequency import token_ranks
from bert_attention.kobayashi.categories import categories
from bert_attention.kobayashi.correlation import correlation
from bert_attention.kobayashi.dispersion import dispersion
from bert_attention.kobayashi.frequency import frequency
from bert_attention.kobayashi.mixing import mixing
from tests.kobayashi.sequences import masked_sequence, random_sequence

RANKS = token_ranks({token: 40 - token for token in range(30)}, 30)


@pytest.fixture(scope="package")
def tables(tmp_path_factory):
    """The tables of a few random sequences, as they are read back from files."""
    sequences = [random_sequence(seed, n) for seed, n in enumerate((14, 9, 20))]
    found = {
        "kobayashi_categories": categories(sequences),
        "kobayashi_dispersion": dispersion(sequences),
        **correlation(sequences),
        **frequency(sequences, RANKS),
        **mixing(sequences, [masked_sequence(sequence, [2], seed=9) for sequence in sequences], RANKS),
    }
    folder = tmp_path_factory.mktemp("tables")
    for name, table in found.items():
        table.to_csv(folder / name, index=False, float_format="%.6g")
    return {name: pd.read_csv(folder / name) for name in found}
