"""Token frequencies of a text, as lines ``rank count token_id``, the most frequent token first.

This is the format of Kobayashi et al. 2020, who counted the tokens of their reproduction of BERT's training text
(``rank_count_ids.txt``). Ties share the best rank.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from bert_attention.corpora.compressed import text_lines
from bert_attention.errors import InputError
from bert_attention.files import REBUILD_REMEDY, check_readable, replacing

_REMEDY = "give three whole numbers per line: rank, count and token id, for example 1 154924078 1996"
_TEXTS_AT_A_TIME = 1000
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,18}")  # at most 18 digits fit into 64 bits


def read_token_counts(path: Path | str, vocabulary: int | None = None) -> dict[int, int]:
    """Read counts by token id. ``vocabulary`` is the number of tokens, if it is known.

    Raise InputError if the file is empty, or at the first line that is not three whole numbers, repeats a token, has a
    token outside the vocabulary, has a count that is not positive or is above the previous count, or has a rank that
    does not follow from the counts.
    """
    counts: dict[int, int] = {}
    expected, last = 1, None
    for number, line in text_lines(path):
        where = f"{path}, line {number}"
        columns = line.split()
        if len(columns) != 3 or not all(map(_WHOLE_NUMBER.fullmatch, columns)):
            raise InputError(where, f"{line[:40]!r} is not three whole numbers", _REMEDY)
        rank, count, token = map(int, columns)
        if vocabulary is not None and token >= vocabulary:
            problem = f"token id {token} is outside the vocabulary, which has the ids 0 to {vocabulary - 1}"
            raise InputError(where, problem, "give counts for the vocabulary of the model")
        if token < 0 or token in counts:
            problem = "is below zero" if token < 0 else "is in an earlier line"
            raise InputError(where, f"token id {token} {problem}", "give one line for each token of the vocabulary")
        if count < 1 or (last is not None and count > last):
            problem = "is not positive" if count < 1 else f"is above {last}, the count of the previous line"
            remedy = "sort the lines by decreasing count, and leave out tokens that never occur"
            raise InputError(where, f"count {count} {problem}", remedy)
        expected = expected if count == last else number
        if rank != expected:
            raise InputError(
                where,
                f"rank {rank} should be {expected}",
                "number the lines from 1; equal counts share the rank of the first",
            )
        counts[token] = last = count
    if not counts:
        raise InputError(path, "the file is empty", _REMEDY)
    return counts


def count_tokens(texts: Sequence[str], token_ids: Callable[[Sequence[str]], Iterable[Sequence[int]]]) -> Counter[int]:
    """Count the tokens of texts.

    ``token_ids`` returns the ids of each text, including the special tokens to be counted.
    """
    counts: Counter[int] = Counter()
    for start in range(0, len(texts), _TEXTS_AT_A_TIME):
        for ids in token_ids(texts[start : start + _TEXTS_AT_A_TIME]):
            counts.update(ids)
    return counts


def token_ranks(counts: Mapping[int, int], vocabulary: int) -> np.ndarray:
    """Return the frequency rank of each token id, ``[vocabulary]``, 1 for the most frequent.

    As in the released ``rank_count_ids.txt``, ties share the best rank (competition ranking). Tokens that were never
    counted share the rank after the last. Raise ValueError if nothing is counted, or an id is outside the vocabulary.
    """
    ids, found = np.array(sorted(counts.items()), dtype=np.int64).reshape(-1, 2).T
    if not len(ids):
        raise ValueError("no token is counted")
    if ids[0] < 0 or ids[-1] >= vocabulary:
        raise ValueError(f"token ids {ids[0]} to {ids[-1]} are counted, but the vocabulary has {vocabulary}")
    known = 1 + np.searchsorted(np.sort(-found), -found)  # 1 + the number of more frequent tokens
    ranks = np.full(vocabulary, known.max() + 1)
    ranks[ids] = known
    return ranks


def save_ranks(ranks: np.ndarray, path: Path | str) -> None:
    """Write the ranks from :func:`token_ranks`, whole or not at all."""
    with replacing(path) as partial, open(partial, "wb") as file:
        np.save(file, ranks)


def load_ranks(path: Path | str) -> np.ndarray:
    """Read the ranks that :func:`save_ranks` wrote; raise InputError if the file is damaged or does not hold ranks."""
    check_readable(path)
    try:
        ranks = np.lib.format.open_memmap(path, mode="r")  # mapped, because a wrong size would allocate memory
    except Exception as error:  # numpy parses the header as Python, which can raise many exceptions
        raise InputError(path, f"is incomplete or not an array of NumPy ({error})", REBUILD_REMEDY) from None
    if ranks.ndim != 1 or ranks.dtype.kind != "i" or not len(ranks):
        raise InputError(path, "does not hold ranks of tokens", REBUILD_REMEDY)
    return np.array(ranks)
