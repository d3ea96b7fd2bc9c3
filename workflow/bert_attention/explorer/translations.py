"""Cross-attention of a translation model for the page, with the gold links between words (Kobayashi et al. 2020, 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from bert_attention.attention.cross_attention import cross_attention
from bert_attention.attention.words import word_starts
from bert_attention.corpora.types import AlignedPair
from bert_attention.explorer.data import ShownSequence, ShownTokens, packed
from bert_attention.explorer.labels import with_words
from bert_attention.explorer.notes import Fact, Finding
from bert_attention.explorer.page import packed_findings
from bert_attention.models.translation import TranslationModel
from bert_attention.models.translation_input import encode_pairs
from bert_attention.tokenization.sequences import NO_WORD

PAIRS = 8
_FEWEST_WORDS = 8  # shorter sentences show little
_ROWS = {"awo": "rows that predict the word (AWO)", "awi": "rows that receive the word (AWI)"}


def packed_translations(translation: TranslationModel, pairs: Sequence[AlignedPair]) -> list[dict]:
    """Return the shortest pairs of eight words or more, packed twice: with AWO rows and with AWI rows.

    ``links`` has the gold links between words, ``[index of the target word, index of the source word, 1 if sure]``.
    """
    long_enough = [pair for pair in pairs if min(len(pair.source), len(pair.target)) >= _FEWEST_WORDS] or list(pairs)
    chosen = sorted(long_enough, key=lambda pair: len(pair.target))[:PAIRS]
    encoded = encode_pairs(translation, [(pair.source, pair.target) for pair in chosen])
    tokenizer, start = translation.tokenizer, translation.model.config.decoder_start_token_id
    found = []
    for pair, ids, maps in zip(chosen, encoded, cross_attention(translation, encoded), strict=True):
        source = _shown(maps.source_tokens, maps.source_words, pair.source)
        decoder_input = [start, *ids.target_ids[:-1].tolist()]
        rows = {  # in row t the decoder gets subword t - 1, and predicts subword t
            "awo": (ids.target_ids.tolist(), maps.target_words),
            "awi": (decoder_input, np.concatenate([[NO_WORD], maps.target_words[:-1]])),
        }
        for setting, (token_ids, words) in rows.items():
            target = _shown(tokenizer.convert_ids_to_tokens(token_ids), words, pair.target)
            shown = ShownSequence(target, maps.attention, maps.value_norms, maps.summed_norms, keys=source)
            links = list(_indexed_links(pair, words, maps.source_words))
            found.append(packed(shown) | {"model": _ROWS[setting], "links": links})
    return found


def packed_alignments(alignment: pd.DataFrame, model: str, seed: int | None, corpus: str) -> dict:
    """Return the agreement of each head's links with gold links, from table ``kobayashi_alignment``.

    Agreement is 1 minus the alignment error rate, so that higher is better. The page opens at the best head by norm. A
    model that was not trained here has no seed.
    """
    has_seed = alignment["seed"].isna() if seed is None else alignment["seed"] == seed
    heads = alignment[(alignment["model"] == model) & has_seed & alignment["head"].notna()]
    found = []
    for (setting, method), rows in heads.groupby(["setting", "method"], sort=False):
        facts = {
            (int(row.layer), int(row.head)): Fact(1 - row.aer, 1 - row.high, 1 - row.low, int(row.n))
            for row in rows.itertuples()
        }
        found.append(
            Finding("Agrees with gold links (1 - AER)", f"{setting.upper()}, by {method}", corpus, "share", facts)
        )
    best = heads[heads["method"] == "norm"].sort_values("aer", kind="stable").iloc[0]
    return packed_findings(found) | {"first": [int(best["layer"]) - 1, int(best["head"]) - 1]}


def _shown(tokens: Sequence[str], words: np.ndarray, forms: Sequence[str]) -> ShownTokens:
    """Return the texts to display for subwords, and the forms of their words."""
    return with_words([token.lstrip("▁Ġ") or token for token in tokens], words, lambda at, _: forms[words[at]])


def _indexed_links(pair: AlignedPair, target: np.ndarray, source: np.ndarray) -> Iterator[list[int]]:
    """Yield gold links by the indices of the shown words, special tokens included."""
    indices = [{int(words[at]): index for index, at in enumerate(word_starts(words))} for words in (target, source)]
    for source_word, target_word in sorted(pair.possible):
        if target_word in indices[0]:
            yield [indices[0][target_word], indices[1][source_word], int((source_word, target_word) in pair.sure)]
