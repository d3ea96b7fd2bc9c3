"""What the paper says in its prose of the results of Vig: a function for each number.

A function has the name that the number has in the template, and its arguments are named as the result tables it reads.
"""

from __future__ import annotations

import pandas as pd

from bert_attention.paper.cells import count, head_name, highest, rows, share, values


def next_head(vig_patterns: pd.DataFrame) -> str:
    """The head with most attention to the next token."""
    return _head(vig_patterns, "next")


def previous_head(vig_patterns: pd.DataFrame) -> str:
    """The head with most attention to the previous token."""
    return _head(vig_patterns, "previous")


def identical_head(vig_patterns: pd.DataFrame) -> str:
    """The head with most attention to the same word."""
    return _head(vig_patterns, "identical")


def identical_other_head(vig_patterns: pd.DataFrame) -> str:
    """The head with most attention to the same word in the other sentence."""
    return _head(vig_patterns, "identical_other_sentence")


def predictive_head(vig_patterns: pd.DataFrame) -> str:
    """The head with most attention to words that predict the token."""
    return _head(vig_patterns, "predictive")


def delimiter_head(vig_patterns: pd.DataFrame) -> str:
    """The head with most attention to delimiters."""
    return _head(vig_patterns, "delimiter")


def neuron_concentration(vig_neurons: pd.DataFrame) -> str:
    """The smallest share of neurons that makes a head's scores, with the head."""
    fewest = vig_neurons.loc[values(vig_neurons, "neuron_concentration").idxmin()]
    return f"{share(fewest['neuron_concentration'])} (head {head_name(fewest)})"


def next_without_positions(vig_neurons: pd.DataFrame) -> str:
    """How much the head with most attention to the next token keeps of it without positions, from what to what."""
    best = highest(vig_neurons, "next_token")
    return f"from {share(best['next_token'])} to {share(best['next_token_ablated'])} (head {head_name(best)})"


def heads_owing_to_segments(vig_neurons: pd.DataFrame) -> str:
    """How many heads owe a tenth of their attention inside the own part to segment ids."""
    loss = values(vig_neurons, "same_segment") - values(vig_neurons, "same_segment_ablated")
    return count((loss > 0.1).sum())


def _head(vig_patterns: pd.DataFrame, pattern: str) -> str:
    """The head furthest above its baseline: one that looks at neighbours meets many words of any kind."""
    found = rows(vig_patterns, pattern=pattern)
    best = found.loc[(values(found, "attention") - values(found, "baseline")).idxmax()]
    return f"{head_name(best)} ({share(best['attention'])} in place of {share(best['baseline'])})"
