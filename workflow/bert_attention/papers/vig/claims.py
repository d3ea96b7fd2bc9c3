"""Claims of Vig 2018 and 2019, "Deconstructing BERT", parts 1 ("Distilling 6 Patterns from 100 Million Parameters")
and 2.

The articles have pictures and words, and only one number (the neurons of head 1-1). The column and the threshold that
answer a statement are our choice. "Most of its attention" means more than half. "Attends to" and "owes to" mean a
difference of more than a tenth of the attention. "Few", "fewer" and "more" neurons mean a difference of more than one
neuron of 64.

The articles count layers and heads from 0, these claims from 1. A statement about a named head is measured on that
encoder alone. A statement about heads of the same kind, which any encoder can have, is our reading of the article.
"""

from __future__ import annotations

from functools import partial

import pandas as pd

from bert_attention.judging.claims import Margin, Paper, above, below, between
from bert_attention.results import POINTS, SHARE
from bert_attention.statistics.measures import Counted, ResultTables, count_above

vig = Paper(
    __file__,
    work="Vig 2019b",
    model="google-bert/bert-base-uncased",
    depth=12,
    weights={"google-bert/bert-base-uncased": ["68d45e234eb4a928074dfd868cead0219ab85354cc53d20e772753c6bb9169d3"]},
)

A_NEURON = Margin(1 / 64, "one of a head's 64 neurons")
FEWER_NEURONS = {"true_if": below(0), "least": A_NEURON, "unit": POINTS}
MORE_NEURONS = {"true_if": above(0), "least": A_NEURON, "unit": POINTS}
COUNTED = "The number counts the heads that do so."
BEYOND_DISTANCE = (
    "The number counts the heads that give such words a tenth more attention than a head would by distance alone."
)
OF_ALL_HEADS = "The head is compared with the median of all heads."
OF_HEAD_8_4 = "The article says so of head 8-4. The number compares means of heads."

of_part_1 = partial(vig.claim, work="Vig 2018")
of_delimiters = partial(vig.claim, at="part 2, delimiter-focused pattern")
of_sentence = partial(vig.claim, at="part 2, sentence-focused pattern")
of_next_word = partial(vig.claim, at="part 2, next-word pattern")


# Part 1: six patterns.
def heads_mostly_on(t: ResultTables, pattern: str) -> Counted:
    """Return the number of heads that give most of their attention to the tokens of a pattern."""
    return count_above(t.vig_patterns(pattern=pattern).attention, 0.5)


def heads_beyond_distance(t: ResultTables, pattern: str) -> Counted:
    """Return the number of heads that give a tenth more attention to the tokens of a pattern than by distance alone."""
    rows = t.vig_patterns(pattern=pattern)
    return count_above(rows.attention - rows.baseline, 0.1)


def attention_of_heads_on(t: ResultTables, pattern: str, to: str) -> float:
    """Return the mean attention to the tokens of a pattern, of heads that attend mostly to those of another."""
    heads = t.vig_patterns(pattern=pattern)
    return t.heads_of(t.vig_patterns(pattern=to), heads[heads.attention > 0.5]).attention.mean()


@of_part_1(
    "Some heads attend mostly to the next word",
    at="part 1, pattern 1",
    restates="clark.heads_on_next",
    true_if=above(0),
    unit="heads",
    note=COUNTED,
)
def heads_on_next_word(t: ResultTables) -> Counted:
    """Some head gives most of its attention to the next word."""
    return heads_mostly_on(t, "next")


@of_part_1(
    "Head 3-1 attends mostly to the next word",
    at="part 1, pattern 1",
    restates="clark.head_3_1_on_next",
    true_if=above(0.5),
    names_heads=True,
    unit=SHARE,
)
def head_3_1_on_next_word(t: ResultTables) -> float:
    """Head 3-1 (2, 0 in the article) gives most of its attention to the next word."""
    return t.vig_patterns(layer=3, head=1, pattern="next").attention.item()


@of_part_1(
    "In head 3-1, [SEP] points to [CLS]", at="part 1, pattern 1", true_if=above(0.5), names_heads=True, unit=SHARE
)
def cls_from_sep_in_head_3_1(t: ResultTables) -> float:
    """In head 3-1 (2, 0 in the article), [SEP] points to [CLS] instead of the next word."""
    return t.vig_patterns(layer=3, head=1, pattern="cls_from_sep").attention.item()


@of_part_1(
    "In next-word heads, [SEP] points to [CLS]",
    at="part 1, pattern 1",
    true_if=above(0.5),
    unit=SHARE,
    note="The article says so of head 3-1. The number is the mean of such heads.",
)
def cls_from_sep_in_next_word_heads(t: ResultTables) -> float:
    """In heads that give most of their attention to the next word, [SEP] points to [CLS] instead."""
    return attention_of_heads_on(t, "next", "cls_from_sep")


@of_part_1(
    "Some heads attend mostly to the previous word",
    at="part 1, pattern 2",
    restates="clark.heads_on_previous",
    true_if=above(0),
    unit="heads",
    note=COUNTED,
)
def heads_on_previous_word(t: ResultTables) -> Counted:
    """Some head gives most of its attention to the previous word."""
    return heads_mostly_on(t, "previous")


@of_part_1(
    "Attention to the previous word is less sharp than to the next",
    at="part 1, pattern 2",
    true_if=below(0),
    unit=POINTS,
    note="The number compares the head with the most attention to the previous word and the one with the most to the "
    "next word.",
)
def previous_less_sharp_than_next(t: ResultTables) -> float:
    """Attention to the previous word is less sharp than attention to the next word."""
    return t.vig_patterns(pattern="previous").attention.max() - t.vig_patterns(pattern="next").attention.max()


@of_part_1(
    "The previous-word head gives some attention to [SEP]",
    at="part 1, pattern 2",
    true_if=above(0.1),
    unit=SHARE,
    note="The article shows one head. The number is the mean of heads that give most of their attention to the "
    "previous word.",
)
def previous_word_heads_on_sep(t: ResultTables) -> float:
    """The head of the previous word gives some of its attention to [SEP]."""
    return attention_of_heads_on(t, "previous", "delimiter_sep")


@of_part_1(
    "Some heads attend to identical or related words",
    at="part 1, pattern 3",
    true_if=above(0),
    unit="heads",
    note=BEYOND_DISTANCE,
)
def heads_on_identical_words(t: ResultTables) -> Counted:
    """Some heads attend to identical or related words, including the word itself."""
    return heads_beyond_distance(t, "identical")


@of_part_1(
    "Some heads attend to related words in the other sentence",
    at="part 1, pattern 4",
    true_if=above(0),
    unit="heads",
    note=BEYOND_DISTANCE,
)
def heads_on_identical_words_of_other_sentence(t: ResultTables) -> Counted:
    """Some heads attend to identical or related words in the other sentence."""
    return heads_beyond_distance(t, "identical_other_sentence")


@of_part_1(
    "Some heads attend to words that predict the word",
    at="part 1, pattern 5",
    true_if=above(0),
    unit="heads",
    note=BEYOND_DISTANCE,
)
def heads_on_predictive_words(t: ResultTables) -> Counted:
    """Some heads attend to other words that predict the word. The word itself is left out."""
    return heads_beyond_distance(t, "predictive")


@of_part_1(
    "Some heads attend mostly to delimiters", at="part 1, pattern 6", true_if=above(0), unit="heads", note=COUNTED
)
def heads_on_delimiters(t: ResultTables) -> Counted:
    """Some heads give most of their attention to the delimiters [CLS] and [SEP]."""
    return heads_mostly_on(t, "delimiter")


# Part 2: neurons of three heads. A head uses fewer neurons if a smaller share of them makes up nine tenths of what
# sets a score apart.
def neurons(t: ResultTables, layer: int, head: int) -> pd.Series:
    """Return the row of a head."""
    return t.vig_neurons(layer=layer, head=head).iloc[0]


def of_kind(t: ResultTables, target: str) -> pd.DataFrame:
    """Return the rows of the heads that give most of their attention to a target."""
    rows = t.vig_neurons()
    return t.only(rows, rows[target] > 0.5)


def not_of_kind(t: ResultTables, target: str) -> pd.DataFrame:
    """Return the rows of the heads that give less than half of their attention to a target."""
    rows = t.vig_neurons()
    return t.only(rows, rows[target] < 0.5)


def neurons_beside_median(t: ResultTables, layer: int, head: int) -> float:
    """Return the share of neurons that a head uses, minus the median of all heads."""
    return neurons(t, layer, head).neuron_concentration - t.vig_neurons().neuron_concentration.median()


@of_delimiters("Head 8-4 attends mostly to delimiters", true_if=above(0.5), names_heads=True, unit=SHARE)
def head_8_4_on_delimiters(t: ResultTables) -> float:
    """Head 8-4 (7, 3 in the article) gives most of its attention to delimiters."""
    return neurons(t, 8, 4).delimiter


@of_delimiters("Head 8-4 uses few neurons", names_heads=True, note=OF_ALL_HEADS, **FEWER_NEURONS)
def neurons_of_head_8_4(t: ResultTables) -> float:
    """Head 8-4 (7, 3 in the article) uses few neurons to attend to delimiters."""
    return neurons_beside_median(t, 8, 4)


@of_delimiters("In head 8-4, all queries use the same neurons", true_if=above(0.5), names_heads=True, unit=SHARE)
def same_neurons_in_head_8_4(t: ResultTables) -> float:
    """The neurons by which head 8-4 (7, 3 in the article) attends to delimiters are the same for all queries."""
    return neurons(t, 8, 4).neuron_overlap


@of_delimiters("Delimiter heads use fewer neurons than other heads", note=OF_HEAD_8_4, **FEWER_NEURONS)
def neurons_of_delimiter_heads(t: ResultTables) -> float:
    """Heads that give most of their attention to delimiters use fewer neurons than other heads."""
    return of_kind(t, "delimiter").neuron_concentration.mean() - not_of_kind(t, "delimiter").neuron_concentration.mean()


@of_delimiters(
    "In delimiter heads, queries share more neurons than in other heads",
    true_if=above(0),
    unit=POINTS,
    note=OF_HEAD_8_4,
)
def same_neurons_in_delimiter_heads(t: ResultTables) -> float:
    """In heads that give most of their attention to delimiters, queries share more neurons than in other heads."""
    return of_kind(t, "delimiter").neuron_overlap.mean() - not_of_kind(t, "delimiter").neuron_overlap.mean()


@of_sentence("Head 1-1 attends to its own sentence", true_if=above(0.1), names_heads=True, unit=POINTS)
def head_1_1_on_own_sentence(t: ResultTables) -> float:
    """Head 1-1 (0, 0 in the article) attends to the words of its own sentence."""
    row = neurons(t, 1, 1)
    return row.same_segment - row.same_segment_chance


@of_sentence(
    "Head 1-1 spreads its attention broadly",
    restates="clark.entropy_of_head_1_1",
    true_if=above(0),
    names_heads=True,
    unit="nats",
    note="The article says: evenly over its own sentence. The number is the entropy (nats) over all tokens, compared "
    "with the median of all heads. Inputs have the segment ids of Clark et al.",
)
def breadth_of_head_1_1(t: ResultTables) -> float:
    """Head 1-1 (0, 0 in the article) spreads its attention more broadly than most heads do."""
    rows = t.clark_entropy(source="all")
    return t.clark_entropy(source="all", layer=1, head=1).entropy.item() - rows.entropy.median()


@of_sentence(
    "Share of neurons that dominate head 1-1",
    published=(0.03125, 0.0625),
    names_heads=True,
    unit=SHARE,
    note="The article does not define “dominate”. Here these neurons make up nine tenths of what sets a score apart.",
)
def share_of_neurons_of_head_1_1(t: ResultTables) -> float:
    """Two to four of 64 neurons dominate the scores of head 1-1 (0, 0 in the article)."""
    return neurons(t, 1, 1).neuron_concentration


@of_sentence("Head 1-1 uses few neurons", names_heads=True, note=OF_ALL_HEADS, **FEWER_NEURONS)
def neurons_of_head_1_1(t: ResultTables) -> float:
    """Head 1-1 (0, 0 in the article) uses few neurons to attend to its own sentence."""
    return neurons_beside_median(t, 1, 1)


@of_sentence(
    "Head 1-1 finds its own sentence by the segment embeddings",
    says_absence=True,
    true_if=between(-0.1, 0.1),
    names_heads=True,
    unit=POINTS,
    note="The number is the attention to the own sentence minus chance, with all segment ids set to 0.",
)
def head_1_1_without_segments(t: ResultTables) -> float:
    """Head 1-1 (0, 0 in the article) finds its own sentence by the segment embeddings. Without them, it attends to its
    own sentence by chance.
    """
    row = neurons(t, 1, 1)
    return row.same_segment_ablated - row.same_segment_chance


@of_sentence(
    "Some heads find their own sentence by the segment embeddings",
    true_if=above(0),
    unit="heads",
    note="The article says so of head 1-1. The number counts the heads that lose more than a tenth of attention "
    "without these embeddings.",
)
def heads_owing_to_segments(t: ResultTables) -> Counted:
    """Some heads owe their attention to the own sentence to the segment embeddings."""
    rows = t.vig_neurons()
    return count_above(rows.same_segment - rows.same_segment_ablated, 0.1)


@of_next_word("More neurons contribute in head 3-1 than in head 8-4", names_heads=True, **MORE_NEURONS)
def neurons_of_head_3_1_beside_8_4(t: ResultTables) -> float:
    """More neurons contribute in head 3-1 (2, 0 in the article) than in the delimiter-focused head 8-4."""
    return neurons(t, 3, 1).neuron_concentration - neurons(t, 8, 4).neuron_concentration


@of_next_word("More neurons contribute in head 3-1 than in head 1-1", names_heads=True, **MORE_NEURONS)
def neurons_of_head_3_1_beside_1_1(t: ResultTables) -> float:
    """More neurons contribute in head 3-1 (2, 0 in the article) than in the sentence-focused head 1-1."""
    return neurons(t, 3, 1).neuron_concentration - neurons(t, 1, 1).neuron_concentration


@of_next_word(
    "In head 3-1, contributing neurons change with the position",
    says_absence=True,
    true_if=between(-0.1, 0.1),
    names_heads=True,
    unit=POINTS,
    note="The number is the share of neurons that two queries have in common, minus the share for random choices.",
)
def same_neurons_in_head_3_1(t: ResultTables) -> float:
    """In head 3-1 (2, 0 in the article), the contributing neurons change with the position."""
    row = neurons(t, 3, 1)
    return row.neuron_overlap - row.overlap_chance


@of_next_word(
    "Next-word heads use more neurons than delimiter heads",
    **MORE_NEURONS,
    note="The article says so of heads 3-1 and 8-4. The number compares means of heads.",
)
def neurons_of_next_word_heads(t: ResultTables) -> float:
    """Heads that give most of their attention to the next word use more neurons than delimiter heads."""
    rows = t.vig_neurons()
    delimiter_heads = t.only(rows, (rows.next_token < 0.5) & (rows.delimiter > 0.5))
    return of_kind(t, "next_token").neuron_concentration.mean() - delimiter_heads.neuron_concentration.mean()


@of_next_word(
    "In next-word heads, contributing neurons change with the position",
    says_absence=True,
    true_if=between(-0.1, 0.1),
    unit=POINTS,
    note="The article says so of head 3-1. The number is a mean over such heads.",
)
def same_neurons_in_next_word_heads(t: ResultTables) -> float:
    """In heads that give most of their attention to the next word, the contributing neurons change with the
    position.
    """
    rows = of_kind(t, "next_token")
    return rows.neuron_overlap.mean() - rows.overlap_chance.mean()


@of_next_word(
    "Head 3-1 finds the next word by the position embeddings",
    says_absence=True,
    true_if=below(0.1),
    names_heads=True,
    unit=SHARE,
    note="The number is the attention to the next token, with all position embeddings set to 0.",
)
def head_3_1_without_positions(t: ResultTables) -> float:
    """Head 3-1 (2, 0 in the article) finds the next word by the position embeddings. Without them, it does not attend
    to the next word.
    """
    return neurons(t, 3, 1).next_token_ablated


@of_next_word(
    "Next-word heads find the next word by the position embeddings",
    says_absence=True,
    true_if=below(0.1),
    unit=SHARE,
    note="The article says so of head 3-1. The number is the mean attention of such heads to the next token, with all "
    "position embeddings set to 0.",
)
def next_word_heads_without_positions(t: ResultTables) -> float:
    """Heads that give most of their attention to the next word find it by the position embeddings."""
    return of_kind(t, "next_token").next_token_ablated.mean()
