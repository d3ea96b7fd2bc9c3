"""A run of Kovaleva et al.'s analyses on an encoder as large as the paper's: tables of random numbers."""

import numpy as np
import pandas as pd

from bert_attention.corpora.types import PATTERNS
from bert_attention.kovaleva.column_values import (
    BLOCK_OR_HETEROGENEOUS,
    COMPARED,
    DISABLED,
    FEATURES,
    FRAME_LINKS,
    MAIN_METRICS,
    MAPS,
    MODELS,
    PAIRS,
    PATTERN_AVERAGES,
    PATTERN_METHODS,
    TASK_LABELS,
    VARIANTS,
)
from bert_attention.tables import columns_of
from tests.claims.claim_tables import rows

TASKS = tuple(task for task in TASK_LABELS if task not in ("tweets", "nsp"))  # those of the paper
LAYERS = HEADS = tuple(range(1, 13))
_METRICS = [*((task, MAIN_METRICS[task]) for task in TASKS), ("mrpc", "accuracy"), ("qqp", "accuracy")]
_EXAMPLE = ("[CLS]", "he", "was", "becoming", "agitated", ".", "[SEP]")
_HEADS = {"layer": LAYERS, "head": HEADS}
_INITIALISATIONS = ("pretrained_untrained_head", "pretrained_frozen", "pretrained", "random")


def tables() -> dict[str, pd.DataFrame]:
    """The tables by name: every combination of what their first columns hold, and numbers below .5 in the others."""
    keys = {
        "kovaleva_pattern_predictions": {"map": range(1, 401)},
        "kovaleva_pattern_classifier": {
            "fold": (0, 1),
            "method": ("classifier", "rules"),
            "pattern": (*PATTERNS, *PATTERN_AVERAGES),
        },
        "kovaleva_patterns": {
            "task": TASKS,
            "model": MODELS,
            "method": PATTERN_METHODS,
            "pattern": (*PATTERNS, BLOCK_OR_HETEROGENEOUS),
        },
        "kovaleva_frames": {**_HEADS, "variant": VARIANTS, "link": FRAME_LINKS},
        "kovaleva_frame_example": {
            ("layer", "head"): [(7, 6), (3, 4), (1, 2)],
            "query_token": _EXAMPLE,
            "key_token": _EXAMPLE,
        },
        "kovaleva_frame_selection": {"outcome": ("chosen", "sentences of more than 12 tokens")},
        "kovaleva_change": {"task": TASKS, "compared": COMPARED, **_HEADS, "variant": MAPS},
        "kovaleva_finetuning": {("task", "metric"): _METRICS, "initialisation": _INITIALISATIONS},
        "kovaleva_features": {"task": TASKS, "model": MODELS, **_HEADS, "feature": FEATURES, "variant": VARIANTS},
        "kovaleva_token_pairs": {"task": TASKS, "model": MODELS, **_HEADS, "pair": PAIRS, "variant": VARIANTS},
        "kovaleva_cls": {"task": TASKS, "model": MODELS, "head": HEADS, "feature": FEATURES, "variant": VARIANTS},
        "kovaleva_disabled_heads": {("task", "metric"): _METRICS, **_HEADS},
        "kovaleva_disabled_layers": {("task", "metric"): _METRICS, "layer": LAYERS},
        "kovaleva_disabled_gains": {
            ("task", "metric"): _METRICS,
            "disabled": DISABLED,
            "selection": ("same_data", "held_out", "mean"),
        },
        "kovaleva_shared_heads": {("task_a", "task_b"): [("rte", "rte"), ("rte", "stsb")], "worst": (2, 10)},
        "kovaleva_repeated_words": {"task": ("rte", "stsb"), "model": MODELS, **_HEADS},
    }
    random = np.random.default_rng(0)
    made = {name: rows(columns) for name, columns in keys.items()}
    for name, table in made.items():
        for column in columns_of(name):
            if column not in table:
                table[column] = random.uniform(0, 0.5, len(table))
    made["kovaleva_pattern_predictions"]["reference"] = [PATTERNS[number % 5] for number in range(400)]
    made["kovaleva_token_pairs"]["n"] = 20
    gains = made["kovaleva_disabled_gains"]
    gains["main_metric"] = gains["metric"] == gains["task"].map(MAIN_METRICS)
    frames = made["kovaleva_frames"]
    made["kovaleva_finetuning"]["learned"] = True
    best = (frames["layer"] == 7) & (frames["head"] == 6)
    made["kovaleva_frames"]["above_99th_percentile"] = best
    return made
