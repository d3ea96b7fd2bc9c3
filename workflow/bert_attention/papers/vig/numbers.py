"""Numbers in prose about Vig 2018 and 2019."""

from __future__ import annotations

from bert_attention.judging.claims import SMALLEST_EFFECTS
from bert_attention.papers.vig.claims import heads_owing_to_segments, vig
from bert_attention.results import POINTS
from bert_attention.statistics.forms import Text, count, head_name, head_or_none, share
from bert_attention.statistics.measures import ResultTables


def head_of_pattern(pattern: str) -> Text:
    """Return the function that names the head furthest above its baseline, or says that no head is above it.

    A head that attends to neighbors also finds words of many kinds.
    """

    def text(t: ResultTables) -> str:
        rows = t.vig_patterns(pattern=pattern)
        best = rows.loc[(rows.attention - rows.baseline).idxmax()]
        stands_out = best.attention - best.baseline >= SMALLEST_EFFECTS[POINTS].size
        return head_or_none(best, f"{share(best.attention)} instead of {share(best.baseline)}", stands_out)

    return text


def neuron_concentration(t: ResultTables) -> str:
    """Return the lowest concentration of a head's neurons."""
    rows = t.vig_neurons()
    lowest = rows.loc[rows.neuron_concentration.idxmin()]
    return f"{share(lowest.neuron_concentration)} (head {head_name(lowest)})"


def next_without_positions(t: ResultTables) -> str:
    """Return what the head on the next token gives it, with and without the embeddings of positions."""
    rows = t.vig_neurons()
    best = rows.loc[rows.next_token.idxmax()]
    return f"from {share(best.next_token)} to {share(best.next_token_ablated)} (head {head_name(best)})"


vig.say(
    next_head=head_of_pattern("next"),
    previous_head=head_of_pattern("previous"),
    identical_head=head_of_pattern("identical"),
    identical_other_head=head_of_pattern("identical_other_sentence"),
    predictive_head=head_of_pattern("predictive"),
    delimiter_head=head_of_pattern("delimiter"),
    neuron_concentration=neuron_concentration,
    next_without_positions=next_without_positions,
    heads_owing_to_segments=count.of(heads_owing_to_segments),  # heads that lose a tenth without segment ids
)
vig.headline(
    "Next and previous token",
    "The head for the next token: {vig_next_head}. The head for the previous token: {vig_previous_head}. The second "
    "number is that of a head that attends to all tokens alike.",
)
