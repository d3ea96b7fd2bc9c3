"""What the attention stores of a model hold, and how each is made, by its name."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping

from bert_attention.attention.store import ARRAYS, ATTENTION_ARRAYS, MIXING_ARRAYS, WORD_ARRAYS, WORDPIECE_ARRAYS

# Begins the name of a store of random weights, which are the control: `random_<number>/<store>`.
_RANDOM = re.compile(r"random_([0-9]+)/")

# What the papers read of running text. Each gets the segment ids that its own code fed; papers with the same ids share
# a store.
PAPER_ARRAYS = {"clark": ATTENTION_ARRAYS, "kobayashi": WORDPIECE_ARRAYS, "vig": ATTENTION_ARRAYS}
# The stores of one paper, by the beginnings of their names: the paper, what it reads, and the share of masked tokens.
_STORES_OF_A_PAPER = {
    "masked_segments": ("kobayashi", MIXING_ARRAYS, 0.12),
    "tasks": ("kovaleva", ATTENTION_ARRAYS, 0),
}


def control_seeds(seed: int, number: int) -> dict[str, int]:
    """The seeds of an edition's random encoders, by the numbers from 1 that their stores and tables have."""
    return {str(place + 1): seed + place for place in range(number)}


def control_store(store: str, number: str) -> str:
    """The name of the store of random encoder ``number`` that corresponds to a store; the store itself if it is empty.

    A single model is fine-tuned on a task from random weights, drawn as BERT's are before training (Kovaleva et al.
    2019, table 1), not as the control's. Analyses of tasks compare it with each random encoder. So its rows are the
    same in each seed: their mean is its number, and they add nothing to the variance between seeds. Like any number of
    a single training, it says nothing of other seeds of training.
    """
    if not number:
        return store
    return f"random_{1 if store.endswith('finetuned') else number}/{store}"


def store_name(corpus: str, paper: str, segment_ids: Mapping[str, str], task: str = "", number: str = "") -> str:
    """The name of the attention store that an analysis of a paper reads.

    Parameters
    ----------
    corpus
        ``segments``, which is running text with the paper's segment ids; or the store's name; of a task, the weights:
        ``pretrained`` or ``finetuned``.
    segment_ids
        Those that the model gets for each paper. A paper that reads no running text itself gets those of ``clark``.
    task
        The task, if the store is of a task's examples.
    number
        Of the random encoder; empty for the encoder itself.
    """
    if corpus == "segments":
        corpus = f"segments_{segment_ids[paper if paper in PAPER_ARRAYS else 'clark']}"
    return control_store(f"tasks/{task}/{corpus}" if task else corpus, number)


def control_number(store: str) -> str:
    """The number of the random encoder that a store is of; empty if it is of trained weights."""
    found = _RANDOM.match(store)
    return found[1] if found else ""


def without_number(store: str) -> str:
    """The name of the store of trained weights that corresponds to a store."""
    return _RANDOM.sub("", store)


def made_with(
    store: str, segment_ids: Mapping[str, str], seed: int, word_rule: str, lacking: Container[str] = ()
) -> dict:
    """How a store is made: the fields of :class:`.ShardMetadata` that do not depend on the files it is made of.

    That of random weights, ``random_<number>/<store>``, is made as the encoder's own is.

    Parameters
    ----------
    segment_ids
        Those that the model gets for each paper, ``zeros`` or ``pair``.
    seed
        Of the choice of masked tokens.
    word_rule
        As in :func:`.word_attention`.
    lacking
        Arrays that the model does not have.
    """
    store = without_number(store)
    made: dict = {"masked_share": 0, "seed": None, "word_rule": None}
    of_paper = _STORES_OF_A_PAPER.get(store.partition("/")[0])
    if of_paper:
        paper, arrays, masked = of_paper
        made |= {"masked_share": masked, "seed": seed if masked else None}
        return made | {"segment_ids": segment_ids[paper], "arrays": list(arrays)}
    if store.startswith("segments_"):
        ids = store.removeprefix("segments_")
        read = {name for paper, arrays in PAPER_ARRAYS.items() if segment_ids[paper] == ids for name in arrays}
        return made | {"segment_ids": ids, "arrays": [name for name in ARRAYS if name in read and name not in lacking]}
    return made | {"word_rule": word_rule, "segment_ids": "zeros", "arrays": list(WORD_ARRAYS)}
