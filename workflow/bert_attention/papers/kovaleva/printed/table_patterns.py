"""Section 4.1 of Kovaleva et al. 2019: accuracy of the classification of attention patterns."""

from __future__ import annotations

from functools import partial

import pandas as pd

from bert_attention.corpora.types import PATTERN_LABELS
from bert_attention.papers.kovaleva.columns import ACCURACY, MACRO, WEIGHTED
from bert_attention.printing.layout import PrintedTable, share_with_interval
from bert_attention.printing.published_cells import note_on_recalled, published_cell
from bert_attention.statistics.forms import decimal

_METHODS = {"classifier": "classifier, held out", "one_network": "one network", "rules": "rules"}
_AVERAGES = {ACCURACY: "accuracy", WEIGHTED: "weighted average", MACRO: "macro average"}
_form = decimal(2)
_score = partial(share_with_interval, _form)


def format_table(
    kovaleva_pattern_classifier: pd.DataFrame, kovaleva_pattern_agreement: pd.DataFrame, published: pd.DataFrame
) -> PrintedTable:
    """Format F1 by pattern, of classifier, one network, rules and further passes, beside the only published F1."""
    pooled = kovaleva_pattern_classifier[kovaleva_pattern_classifier["fold"] == 0]
    scores = pooled.set_index(["method", "pattern"])
    spread = scores.loc["one_network", "f1_sd"]
    methods = {method: _METHODS.get(method, method.replace("_", " ")) for method in pooled["method"].unique()}

    def row(pattern: str, name: str) -> list[str]:
        ours = [_score(*scores.loc[(method, pattern), ["f1", "low", "high"]]) for method in methods]
        theirs = published_cell(published, _form, pattern=pattern, fold=0, method="classifier", column="f1")
        return [name, str(scores.loc[("classifier", pattern), "n"]), *ours, theirs]

    header = [("", ["pattern", "maps"]), ("F1", [*methods.values()]), ("published", ["F1"])]
    groups = [[row(*entry) for entry in group.items()] for group in (PATTERN_LABELS, _AVERAGES)]
    notes = (
        "F1 against the majority label of all passes, with 95% intervals over heads; a further pass is compared with"
        " the first. Each map was classified by networks that saw only maps of other heads and other sentences.",
        "one network: the mean over the classifier's networks, each by itself. The standard deviation between them is"
        f" {_form(spread[MACRO])} (macro average) and {_form(spread[ACCURACY])} (accuracy).",
        "The macro average is of the patterns that at least 2% of the maps have.",
        "The paper does not say whether its F1 is a macro average, nor whether its maps were held out.",
        *(
            f"Cohen's kappa of {passes.first} and {passes.second}: ".replace("_", " ")
            + f"{_score(passes.kappa, passes.low, passes.high)}, on {passes.n} maps."
            for passes in kovaleva_pattern_agreement.dropna(subset="kappa").itertuples()
        ),
        *note_on_recalled(published),
    )
    return PrintedTable(header, groups, notes)
