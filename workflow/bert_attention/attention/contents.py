"""Names of a model's attention stores, and the arrays and settings of each store."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping

from bert_attention.attention.store import ARRAYS, ATTENTION_ARRAYS, MIXING_ARRAYS, WORD_ARRAYS, WORDPIECE_ARRAYS
from bert_attention.results import results

# Prefix of the stores of random weights, the control: `random_<number>/<store>`.
_RANDOM = re.compile(r"random_([0-9]+)/")

# The arrays of stores, by their names in results.yaml.
_ARRAYS = {"attention": ATTENTION_ARRAYS, "norms": WORDPIECE_ARRAYS, "mixing": MIXING_ARRAYS}


def control_seeds(seed: int, number: int) -> dict[str, int]:
    """Return the seeds of an edition's random encoders, by their numbers from 1 in the names of stores and tables."""
    return {str(index + 1): seed + index for index in range(number)}


def control_store(store: str, number: str) -> str:
    """Return the name of a store's counterpart for random encoder ``number``, or the store if ``number`` is empty."""
    return f"random_{number}/{store}" if number else store


def store_name(name: str, paper: str, segment_ids: Mapping[str, str], task: str = "", number: str = "") -> str:
    """Return the name of the attention store that an analysis of a paper reads.

    ``name`` is the input's name in results.yaml: ``segments``, another store, or the weights ``pretrained`` or
    ``finetuned`` for a task. Segments have the segment ids of the paper, or of the first paper that reads segments if
    the paper itself reads none. ``number`` is the number of the random encoder, empty for the encoder itself.
    """
    if name == "segments":
        readers = results().running_text
        name = f"segments_{segment_ids[paper if paper in readers else next(iter(readers))]}"
    return control_store(f"tasks/{task}/{name}" if task else name, number)


def control_number(store: str) -> str:
    """Return the number of a store's random encoder; empty for trained weights."""
    found = _RANDOM.match(store)
    return found[1] if found else ""


def without_number(store: str) -> str:
    """Return the name of the store of trained weights that corresponds to a store."""
    return _RANDOM.sub("", store)


def store_settings(
    store: str,
    segment_ids: Mapping[str, str],
    seed: int,
    word_rule: str,
    lacking: Container[str] = (),
    paper: str = "",
) -> dict:
    """Return the fields of :class:`.ShardMetadata` that follow from a store's name and the edition.

    A store of random weights, ``random_<number>/<store>``, has the fields of ``<store>``. ``segment_ids`` has ``zeros``
    or ``pair`` for each paper, ``seed`` chooses the masked tokens, ``word_rule`` is the rule of
    :func:`.word_attention`, and ``lacking`` has the arrays that the model does not have. A store of running text has
    the arrays that all papers read, or, if one is named, those of ``paper``.
    """
    store = without_number(store)
    fields: dict = {"masked_share": 0, "seed": None, "word_rule": None}
    if of_paper := results().stores.get(store.partition("/")[0]):
        fields |= {"masked_share": of_paper.masked_share, "seed": seed if of_paper.masked_share else None}
        return fields | {"segment_ids": segment_ids[of_paper.paper], "arrays": list(_ARRAYS[of_paper.arrays])}
    if store.startswith("segments_"):
        ids = store.removeprefix("segments_")
        readers = results().running_text
        of_papers = (
            [readers.get(paper, "attention")] if paper else [readers[p] for p in readers if segment_ids[p] == ids]
        )
        read = {name for arrays in of_papers for name in _ARRAYS[arrays]}
        return fields | {
            "segment_ids": ids,
            "arrays": [name for name in ARRAYS if name in read and name not in lacking],
        }
    return fields | {"word_rule": word_rule, "segment_ids": "zeros", "arrays": list(WORD_ARRAYS)}
