"""Cross-attention of a translation model on the page: AWO and AWI rows, gold links, and findings."""

import numpy as np
import pandas as pd
import pytest

from bert_attention.corpora.types import AlignedPair
from bert_attention.explorer.translations import packed_alignments, packed_translations
from tests.attention.test_cross_attention import PAIRS, random_model

FIRST = frozenset({(0, 0)})  # link of a source word and a target word
LINKED = [
    AlignedPair(tuple(source), tuple(target), FIRST, FIRST | {(len(source) - 1, len(target) - 1)})
    for source, target in PAIRS
]


@pytest.fixture(scope="module")
def contents():
    return packed_translations(random_model("marian"), LINKED)


def test_each_pair_has_awo_and_awi_rows(contents):
    """No pair has eight words, so all pairs are shown, the shortest translation first."""
    assert [content["sides"][0]["words"][:-1] for content in contents[::2]] == [["old"], ["a", "dog"], PAIRS[0][1]]
    for awo, awi in zip(contents[::2], contents[1::2], strict=True):
        assert ("AWO" in awo["model"], "AWI" in awi["model"]) == (True, True)
        (predicted, source), (fed, same) = awo["sides"], awi["sides"]
        assert source == same
        assert fed["tokens"][1:] == predicted["tokens"][:-1]  # one row later
        assert awo["arrays"] == awi["arrays"]


def test_gold_links_join_their_words(contents):
    shown = [pair for pair in sorted(LINKED, key=lambda pair: len(pair.target)) for _ in ("awo", "awi")]
    for pair, content in zip(shown, contents, strict=True):
        target, source = (side["words"] for side in content["sides"])
        links = {(source[j], target[i], bool(sure)) for i, j, sure in content["links"]}
        assert links == {(pair.source[i], pair.target[j], (i, j) in pair.sure) for i, j in pair.possible}


@pytest.mark.parametrize("seed", [None, 7])
def test_findings_are_agreement_with_gold_links(seed):
    """The page opens at the best head by norm."""
    rows = [("awo", "weight", 1, 0.5), ("awo", "weight", 2, 0.1), ("awo", "norm", 1, 0.3), ("awo", "norm", 2, 0.4)]
    table = pd.DataFrame(
        [
            {"setting": setting, "method": method, "head": head, "aer": aer, "low": aer - 0.1, "high": aer + 0.2}
            for setting, method, head, aer in [*rows, ("awo", "norm", np.nan, 0.0)]
        ]
    ).assign(model="m", seed=seed, layer=2, n=500)
    others = [table.assign(model="other", aer=0.9), table.assign(seed=8, aer=0.9)]
    found = packed_alignments(pd.concat([*others, table]), "m", seed, "word alignment")
    assert found["first"] == [1, 0]
    weight, norm = found["findings"]
    assert (weight["label"], norm["label"]) == ("AWO, by weight", "AWO, by norm")
    assert weight["facts"]["2-2"][:4] == [0.9, 0.7, 1.0, 500]
    assert norm["facts"].keys() == {"2-1", "2-2"}
