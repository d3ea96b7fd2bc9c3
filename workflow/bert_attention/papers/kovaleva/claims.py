"""Claims of Kovaleva, Romanov, Rogers and Rumshisky 2019, "Revealing the Dark Secrets of BERT", arXiv 1908.08593.

The texts are GLUE's development sets (at most 1,000 examples of a task) and FrameNet 1.7. The curves of figures 5 and
6 are means over the heads of each layer, read off the colors of the paper's figures. Single heads read off the paper's
panels of QQP and off those in the authors' notebook (text-machine-lab/dark-secrets-of-BERT at c413ebe) differ by less
than .004 on average.
"""

from __future__ import annotations

from functools import partial

import pandas as pd

from bert_attention.corpora.task_names import MAIN_METRICS, SINGLE_SENTENCES, TASK_LABELS
from bert_attention.judging.claims import (
    DIGITIZED,
    IN_STATEMENT,
    OTHER,
    RANDOM_WEIGHTS,
    Margin,
    Paper,
    above,
    below,
    correlates,
)
from bert_attention.papers.kovaleva.columns import LEAST_EXAMPLES
from bert_attention.results import POINTS, SHARE
from bert_attention.statistics.measures import ResultTables, full

kovaleva = Paper(
    __file__,
    work="Kovaleva et al. 2019",
    model="google-bert/bert-base-uncased",
    depth=12,
    weights={"google-bert/bert-base-uncased": ["68d45e234eb4a928074dfd868cead0219ab85354cc53d20e772753c6bb9169d3"]},
)

# A margin is at most a fifth of the published number.
EXACT = Margin(0, "a number of sentences or heads must be equal")
TENTH_OF_A_POINT = Margin(0.002, "printed in tenths of a point")
LEAST_GAIN = Margin(0.003, "read off a sentence in tenths of a point")
HALF_A_TENTH = Margin(0.0005, "half of the smallest gain that the paper states")
LEAST_COST = Margin(0.001, "half of the cost that the paper states")
A_POINT_IS_NONE = Margin(0, "the threshold is the largest cost that counts as none")
PRINTED = Margin(0.005, "it needs no training, and is printed with three digits, or read off a figure to within .005")
ONE_POINT = Margin(0.01, "printed with two digits, or one point of a trained model")
TWO_POINTS = Margin(0.02, "two points: a fine-tuned model varies by its seed")
THREE_POINTS = Margin(0.03, "three points: a trained model varies by its seed, and small validation sets by more")
SHARES = Margin(0.05, "five points: the labels of maps are not the paper's, or models vary by seed")
HIGHEST_HEAD = Margin(0.1, "one head of a model that varies by its seed")
MAPS = Margin(50, '"about 400"')

of_tasks = partial(kovaleva.claim, needs=["tasks"])
of_figure = partial(of_tasks, provenance=DIGITIZED)
# The published tasks, with the metric of figures 8 and 9.
METRICS = {task: metric for task, metric in MAIN_METRICS.items() if task not in ("tweets", "nsp")}
MEASURED = ["f1", "accuracy", "pearson"]


def of_complete_tasks(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return the rows of the tasks without an empty cell in a column, or all rows if there is no such task."""
    incomplete = rows.task[rows[column].isna()].unique()
    return rows if set(incomplete) == set(rows.task) else rows[~rows.task.isin(incomplete)]


def frequent(t: ResultTables, table: str, **where: object) -> pd.DataFrame:
    """Return rows of a table, with attention NaN where fewer than 20 examples have the feature or the pair of words."""
    rows = t.rows(table, **where)
    examples = ResultTables(t.reader).rows(table, **where).n.to_numpy()  # of all texts, so that replicates agree
    return rows.assign(attention=rows.attention.where(examples >= LEAST_EXAMPLES))


# Section 4.1: patterns of attention. Our labels are not the paper's, which were not published.
PATTERNS = ["vertical", "diagonal", "vertical_diagonal", "block", "heterogeneous"]
of_labels = partial(kovaleva.claim, at="section 4.1", needs=["labeled_maps"], model=None, per="edition")
of_patterns = partial(kovaleva.claim, at="section 4.1, figure 2", needs=["tasks", "labeled_maps"], margin=SHARES)


@of_labels("Number of labeled attention maps", published=400, margin=MAPS, is_exact=True)
def labeled_maps(t: ResultTables) -> float:
    """About 400 attention maps were labeled by hand with one of five patterns."""
    return len(t.kovaleva_pattern_predictions())


@of_labels("Share of vertical maps among the labeled ones", published=0.3, margin=SHARES, is_exact=True, unit=SHARE)
def vertical_maps(t: ResultTables) -> float:
    """30% of the labeled maps are vertical."""
    return (t.kovaleva_pattern_predictions().reference == "vertical").mean()


F1 = kovaleva.published("pattern_classifier").iloc[0]


@of_labels(
    "A network tells the five patterns apart",
    published=F1.value,
    margin=THREE_POINTS,
    true_if=above(0.5),
    needs=["labeled_maps", "tasks"],
    unit=SHARE,
    note=F1.note,
)
def f1_of_patterns(t: ResultTables) -> float:
    """A convolutional network tells the five patterns apart with an F1 of 0.86."""
    return t.kovaleva_pattern_classifier(fold=0, method="classifier", pattern="macro").f1.item()


def pattern_shares(t: ResultTables, patterns: str | list[str]) -> pd.Series:
    """Return the shares of patterns among the maps of fine-tuned models, by task and pattern."""
    rows = t.kovaleva_patterns(model="finetuned", method="classifier", pattern=patterns)
    return of_complete_tasks(rows, "share").set_index(["task", "pattern"]).share


UPPER_BOUND = "The text calls this number an upper bound for heterogeneous maps. In figure 2, it includes block maps."


@of_patterns(
    "In some task, under half of the maps are heterogeneous or blocks",
    published=0.32,
    true_if=below(0.5),
    unit=SHARE,
    note=UPPER_BOUND,
)
def fewest_complex_maps(t: ResultTables) -> float:
    """In the task with the fewest such maps (MRPC), 32% of the maps are heterogeneous or block maps."""
    return pattern_shares(t, "block_or_heterogeneous").min()


@of_patterns(
    "In some task, over half of the maps are heterogeneous or blocks",
    published=0.61,
    true_if=above(0.5),
    unit=SHARE,
    note=UPPER_BOUND,
)
def most_complex_maps(t: ResultTables) -> float:
    """In the task with the most such maps (QQP), 61% of the maps are heterogeneous or block maps."""
    return pattern_shares(t, "block_or_heterogeneous").max()


def by_task_and_pattern(table: str) -> pd.Series:
    """Return a published table of shares, by task and pattern."""
    return kovaleva.published(table).melt("task", PATTERNS, "pattern").set_index(["task", "pattern"]).value


@of_patterns(
    "Shares of the five patterns, by task",
    at="figure 2",
    provenance=DIGITIZED,
    published=by_task_and_pattern("figure_2"),
    unit=SHARE,
)
def shares_of_patterns(t: ResultTables) -> pd.Series:
    """Figure 2 shows the share of each of the five patterns among the maps of fine-tuned models, by task."""
    return pattern_shares(t, PATTERNS)


@of_patterns(
    "Tasks differ in their shares of patterns as published",
    at="figure 2",
    provenance=DIGITIZED,
    published=by_task_and_pattern("figure_2_by_task"),
    true_if=correlates(0),
    tasks=list(METRICS),
    unit=POINTS,
    note="The numbers are shares minus each pattern's mean over tasks. Even shares that are equal in all tasks "
    "correlate with figure 2 by up to .92, because some patterns are common everywhere. Their distances from the "
    "mean are 0 and do not correlate.",
)
def differences_of_tasks_in_patterns(t: ResultTables) -> pd.Series:
    """Figure 2 shows how far each task's share of each pattern lies from the pattern's mean over tasks."""
    rows = t.kovaleva_patterns(model="finetuned", method="classifier", pattern=PATTERNS, task=list(METRICS))
    shares = full(rows.set_index(["task", "pattern"]).share)  # a mean over other tasks would be another quantity
    return shares - shares.groupby("pattern").transform("mean")


# Section 4.2: predicates and frame elements.
FRAMES = kovaleva.published("frames").set_index(["layer", "head"]).value
FIGURE_3 = kovaleva.published("figure_3_he").melt(["layer", "head"], None, "key_token")
FIGURE_3 = FIGURE_3.set_index(["layer", "head", "key_token"]).value
of_frames = partial(kovaleva.claim, at="section 4.2", needs=["frames"])


def frames(t: ResultTables, **where: object) -> pd.DataFrame:
    """Return the rows of the greatest attention from a frame element to its predicate, as the code measures it."""
    return t.kovaleva_frames(variant="released", link="annotated", **where)


@of_frames(
    "Number of FrameNet sentences that pass the filters",
    published=473,
    margin=EXACT,
    model=None,
    is_exact=True,
    per="edition",
)
def frame_sentences(t: ResultTables) -> float:
    """The filters leave 473 sentences of FrameNet 1.7."""
    return t.kovaleva_frame_selection(outcome="chosen").sentences.item()


for layer, head in ((1, 2), (7, 6)):
    of_frames(
        f"Attention from frame elements to predicates, head {layer}-{head}",
        at="section 4.2, figure 3",
        name=f"attention_in_frames_of_head_{layer}_{head}",
        published=FRAMES[layer, head],
        margin=PRINTED,
        names_heads=True,
        statement=f"Figure 3 shows the greatest attention of head {layer}-{head} from a frame element to its "
        "predicate, "
        "averaged over sentences.",
        unit=SHARE,
    )(lambda t, layer=layer, head=head: frames(t, layer=layer, head=head).attention.item())


def lead_over_percentile(t: ResultTables, layer: int, head: int) -> float:
    """Return how much more a head attends to predicates than 99% of all heads do."""
    return frames(t, layer=layer, head=head).attention.item() - frames(t).attention.quantile(0.99)


for layer, head in ((1, 2), (7, 6)):
    of_frames(
        f"Head {layer}-{head} attends to predicates more than 99% of heads do",
        name=f"rank_in_frames_of_head_{layer}_{head}",
        statement=f"Head {layer}-{head} attends to predicates more than 99% of all heads do.",
        true_if=above(0),
        names_heads=True,
        unit=POINTS,
        note="The number is the head's attention minus the 99th percentile of all heads, .170 in the published map."
        if (layer, head) == (1, 2)
        else "",
    )(partial(lead_over_percentile, layer=layer, head=head))


@of_frames(
    "Heads attend to predicates because frame elements belong to them",
    true_if=above(0),
    unit=POINTS,
    note="This claim extends the last two to any encoder. Heads above the 99th percentile have to attend to "
    "predicates more than between other tokens at the same distance. This comparison is ours.",
)
def gain_in_frames(t: ResultTables) -> float:
    """Heads that stand out attend to predicates because frame elements belong to them."""
    return frames(t, above_99th_percentile=True).gain.min()


def in_example(t: ResultTables, **where: object) -> pd.Series:
    """Return the weights of attention from “he” in “He was becoming agitated.”, by layer, head and token."""
    rows = t.kovaleva_frame_example(query_token="he", **where)
    return rows.set_index(["layer", "head", "key_token"]).weight


for layer, head in ((1, 2), (7, 6)):
    weight = FIGURE_3[layer, head, "agitated"]
    kovaleva.claim(
        f"Attention from “he” to “agitated” in the example, head {layer}-{head}",
        at="figure 3",
        published=weight,
        margin=ONE_POINT,
        names_heads=True,
        is_exact=True,
        name=f"example_of_head_{layer}_{head}",
        statement=f"In “He was becoming agitated.”, head {layer}-{head} attends from “he” to “agitated” with weight "
        f"{weight}.",
        unit=SHARE,
    )(lambda t, layer=layer, head=head: in_example(t, layer=layer, head=head, key_token="agitated").item())


@kovaleva.claim(
    "Attention from “he” to all tokens of the example, two heads",
    at="figure 3",
    published=FIGURE_3,
    margin=ONE_POINT,
    names_heads=True,
    is_exact=True,
    unit=SHARE,
)
def example_of_two_heads(t: ResultTables) -> pd.Series:
    """For “He was becoming agitated.”, figure 3 shows the attention of heads 1-2 and 7-6 from “he” to each of the seven
    tokens.
    """
    return in_example(t)


@of_frames(
    "Heads attend from frame elements to predicates as published",
    at="figure 3",
    provenance=DIGITIZED,
    published=kovaleva.published("frames_by_head").set_index(["layer", "head"]).value,
    margin=PRINTED,
    true_if=correlates(0.9),
    names_heads=True,
    unit=SHARE,
)
def attention_in_frames_by_head(t: ResultTables) -> pd.Series:
    """Figure 3 shows the greatest attention from a frame element to its predicate, averaged over sentences, for all 144
    heads.
    """
    return frames(t).set_index(["layer", "head"]).attention


# Section 4.3: what fine-tuning changes. As in the code, the figure compares maps that are padded to 200 tokens
# (padded). The text speaks of maps without padding (cropped).
of_change = partial(of_tasks, at="section 4.3, figure 5")


def change(t: ResultTables, variant: str, **where: object) -> pd.DataFrame:
    """Return the rows of the cosine of maps before and after fine-tuning."""
    return of_complete_tasks(t.kovaleva_change(compared="finetuning", variant=variant, **where), "cosine")


def lead_of_lower_layers(t: ResultTables, rows: pd.DataFrame) -> pd.Series:
    """Return the lowest cosine of the other layers minus the higher cosine of the last two, by task."""
    lower, last = (t.layers(rows, *ends).groupby(["task", "layer"]).cosine.mean() for ends in ((1, 10), (11, 12)))
    return lower.groupby("task").min() - last.groupby("task").max()


def least_lead_of_lower_layers(t: ResultTables, variant: str) -> float:
    """Return the least lead of the lower layers in a task, without QQP."""
    rows = t.kovaleva_change(compared="finetuning", variant=variant)
    return lead_of_lower_layers(t, of_complete_tasks(rows[rows.task != "qqp"], "cosine")).dropna().min()


@of_change(
    "Fine-tuning changes the last two layers most",
    true_if=above(0),
    other_tasks=["qqp"],
    note="The number is the lowest cosine of the other layers minus the higher cosine of the last two, in the task "
    "where this difference is least.",
)
def last_layers_change_most(t: ResultTables) -> float:
    """Fine-tuning changes the last two layers most in every task but QQP."""
    return least_lead_of_lower_layers(t, "padded")


@of_change(
    "Fine-tuning changes the last two layers most (without padding)",
    true_if=above(0),
    other_tasks=["qqp"],
    restates="last_layers_change_most",
)
def last_layers_change_most_without_padding(t: ResultTables) -> float:
    """Without padding, too, fine-tuning changes the last two layers most in every task but QQP."""
    return least_lead_of_lower_layers(t, "cropped")


@of_change("In QQP, the last two layers do not change most", true_if=below(0), tasks=["qqp"])
def last_layers_change_in_qqp(t: ResultTables) -> float:
    """In QQP, the last two layers are not the ones that change most."""
    return lead_of_lower_layers(t, change(t, "padded", task="qqp")).item()


for task in METRICS:
    of_figure(
        f"Fine-tuning on {TASK_LABELS[task]} changes layers as published",
        name=f"change_by_layer_on_{task}",
        at="figure 5",
        statement="Figure 5 shows the cosine of attention before and after fine-tuning on "
        f"{TASK_LABELS[task]}, averaged over each layer's heads.",
        restates="last_layers_change_in_qqp" if task == "qqp" else "last_layers_change_most",
        tasks=[task],
        margin=SHARES,
        published=kovaleva.curve("figure_5_change", task),
        true_if=correlates(0.5),
    )(lambda t, task=task: change(t, "padded", task=task).groupby("layer").cosine.mean())


@of_figure(
    "Fine-tuning changes heads as published",
    at="figure 5",
    margin=HIGHEST_HEAD,
    true_if=correlates(0.5),
    names_heads=True,
    published=kovaleva.published("figure_5").set_index(["task", "layer", "head"]).value,
)
def change_by_head(t: ResultTables) -> pd.Series:
    """Figure 5 shows the cosine of attention before and after fine-tuning for all 144 heads in all seven tasks."""
    return change(t, "padded").set_index(["task", "layer", "head"]).cosine


BEFORE, FROZEN, RANDOM = "pretrained_untrained_head", "pretrained_frozen", "random"


def score(t: ResultTables, task: str, metric: str, initialisation: str) -> float:
    """Return the mean score on a task."""
    return t.kovaleva_finetuning(task=task, metric=metric, initialisation=initialisation).value.mean()


def gains(t: ResultTables, over: str) -> pd.Series:
    """Return the gain of fine-tuning over other models by task: of accuracies, or of Pearson's correlation."""
    by_task = (
        of_complete_tasks(t.kovaleva_finetuning(metric=["accuracy", "pearson"], initialisation=name), "value")
        for name in ("pretrained", over)
    )
    ours, theirs = (rows.groupby("task").value.mean() for rows in by_task)
    return (ours - theirs).dropna()


of_table_1 = partial(of_tasks, at="section 4.3, table 1", true_if=above(0))


@of_table_1(
    "Fine-tuning gains points on average over the tasks",
    published=0.359,
    margin=THREE_POINTS,
    note="The gain is over the encoder with an untrained classifier, which fits the paper's pre-trained scores. "
    "Scores are accuracies, and Pearson's correlation for STS-B.",
)
def mean_gain(t: ResultTables) -> float:
    """Fine-tuning gains 35.9 points on average over the tasks."""
    return gains(t, BEFORE).mean()


@of_table_1(
    "Fine-tuning gains points over a frozen encoder on average",
    restates="mean_gain",
    published=0.359,
    margin=THREE_POINTS,
    note="This is the reading of the authors' blog.",
)
def mean_gain_over_frozen(t: ResultTables) -> float:
    """Fine-tuning gains 35.9 points on average over the tasks, if pre-trained means a linear classifier on the frozen
    encoder.
    """
    return gains(t, FROZEN).mean()


@of_table_1(
    "Fine-tuning scores higher from pre-trained than from random weights",
    control=IN_STATEMENT,
    note="The number is that of the task that gains least.",
)
def least_gain_over_random(t: ResultTables) -> float:
    """In every task, fine-tuning from pre-trained weights scores higher than from random ones."""
    return gains(t, RANDOM).min()


SCORES = {"f1": "F1", "accuracy": "Accuracy", "pearson": "Correlation"}
CORRELATION_OF_STSB = "The table calls it accuracy, and does not say which correlation it is."
for row in kovaleva.published("table_1").itertuples():
    for column, initialisation, label, when in (
        ("pretrained", BEFORE, "before fine-tuning", "before fine-tuning"),
        ("random", RANDOM, "fine-tuned from random weights", "after fine-tuning from random weights"),
        ("finetuned", "pretrained", "fine-tuned", "after fine-tuning"),
    ):
        of_score = f"{SCORES[row.metric]} on {TASK_LABELS[row.task]}"
        of_tasks(
            f"{of_score} {label}" if column == "pretrained" else f"{of_score}, {label}",
            at="table 1",
            name=f"{row.metric}_on_{row.task}_{column}",
            statement=f"The model has this score {when}: {of_score}.",
            published=getattr(row, column),
            margin=SHARES if row.task == "stsb" else THREE_POINTS,
            tasks=[row.task],
            note=CORRELATION_OF_STSB if (row.task, column) == ("stsb", "pretrained") else "",
        )(partial(score, task=row.task, metric=row.metric, initialisation=initialisation))

for task, other, side, name, place in (
    ("stsb", BEFORE, below(0), "lower", "section 4.3"),
    ("stsb", FROZEN, below(0), "lower", "section 4.3"),
    ("sst2", BEFORE, above(0), "higher", "table 1"),
    ("qnli", BEFORE, below(0), "lower", "section 4.3"),
    ("qnli", FROZEN, below(0), "lower", "section 4.3"),
):
    beside = "below" if name == "lower" else "above"
    theirs = "a frozen pre-trained encoder" if other == FROZEN else "pre-trained without fine-tuning"
    frozen = ", if this means a linear classifier on the frozen encoder" if other == FROZEN else ""
    fact = f"random_beside_pretrained_on_{task}"
    of_tasks(
        f"On {TASK_LABELS[task]}, random weights score {beside} {theirs}",
        at=place,
        is_about=RANDOM_WEIGHTS,
        name=f"random_beside_frozen_on_{task}" if frozen else fact,
        restates=fact if frozen else "",
        tasks=[task],
        statement=f"On {TASK_LABELS[task]}, fine-tuning from random weights scores {name} than the pre-trained encoder "
        f"without fine-tuning{frozen}.",
        true_if=side,
        note="The published scores are 80.5% and 49.1%." if task == "sst2" else "",
    )(lambda t, task=task, other=other: score(t, task, METRICS[task], RANDOM) - score(t, task, METRICS[task], other))

# Section 4.4: attention to [CLS], [SEP] and words with linguistic features, in the fine-tuned models.
WORDS = ["noun", "verb", "pronoun", "subject", "object", "negation"]
PAIRS_OF_SENTENCES = ["mrpc", "stsb", "qqp", "rte", "qnli", "mnli", "nsp"]
of_features = partial(of_tasks, at="section 4.4", true_if=above(0))
of_figure_6 = partial(of_features, at="section 4.4, figure 6")
on_sst2 = partial(of_figure, at="figure 6", margin=SHARES, tasks=["sst2"], unit=SHARE)


def features(t: ResultTables, feature: str | list[str], model: str = "finetuned", **where: object) -> pd.DataFrame:
    """Return the rows of attention to words with a feature, as the code measures it."""
    return frequent(t, "kovaleva_features", model=model, variant="released", feature=feature, **where)


def highest_feature(t: ResultTables, feature: list[str]) -> pd.Series:
    """Return the attention to the feature with the highest mean over heads, by task."""
    rows = of_complete_tasks(features(t, feature), "attention")
    return rows.groupby(["task", "feature"]).attention.mean().groupby("task").max()


def mean_of_layers(t: ResultTables, feature: str, first: int, last: int) -> pd.Series:
    """Return the mean attention to a feature in some layers, by task."""
    rows = of_complete_tasks(t.layers(features(t, feature), first, last), "attention")
    return rows.groupby("task").attention.mean()


def by_layer(t: ResultTables, feature: str, task: str) -> pd.Series:
    """Return the mean attention to a feature by layer."""
    return features(t, feature, task=task).groupby("layer").attention.mean()


@of_features(
    "Attention goes to [CLS] and [SEP] far more than to words",
    is_parsed=True,
    unit=POINTS,
    note="The number is the mean over heads for the higher of the two tokens minus twice the mean for the highest "
    "other feature, in the task where this is least. We read “far more” as at least twice as much. In the published "
    "maps of QQP, it is 4.5 times as much.",
)
def special_tokens_beside_words(t: ResultTables) -> float:
    """In every task, [CLS] and [SEP] receive far more attention than words with any feature."""
    return (highest_feature(t, ["cls", "sep"]) - 2 * highest_feature(t, WORDS)).dropna().min()


@of_figure_6("Early layers attend to [CLS] more than later ones", unit=POINTS)
def early_layers_on_cls_in_tasks(t: ResultTables) -> float:
    """In every task, early layers attend to [CLS] more than later ones."""
    early, later = mean_of_layers(t, "cls", 1, t.last_early), mean_of_layers(t, "cls", t.last_early + 1, 12)
    return (early - later).dropna().min()


@of_figure_6("Later layers attend to [SEP] more than early ones", unit=POINTS)
def later_layers_on_sep_in_tasks(t: ResultTables) -> float:
    """In every task, later layers attend to [SEP] more than early ones."""
    later, early = mean_of_layers(t, "sep", t.last_early + 1, 12), mean_of_layers(t, "sep", 1, t.last_early)
    return (later - early).dropna().min()


for feature, token, fact in (
    ("sep", "[SEP]", "later_layers_on_sep_in_tasks"),
    ("cls", "[CLS]", "early_layers_on_cls_in_tasks"),
):
    for task in METRICS:
        of_figure(
            f"Attention to {token} on {TASK_LABELS[task]} varies over layers as published",
            at="figure 6",
            restates=fact,
            name=f"attention_to_{feature}_by_layer_on_{task}",
            tasks=[task],
            margin=SHARES,
            true_if=correlates(0.5),
            statement=f"Figure 6 shows the attention to {token} on {TASK_LABELS[task]}, averaged over each layer's "
            "heads.",
            published=kovaleva.curve("figure_6_features", f"{task}_{feature}"),
            unit=SHARE,
        )(partial(by_layer, feature=feature, task=task))


@of_figure_6(
    "[SEP] gets more attention in single sentences than in sentence pairs",
    other_tasks=PAIRS_OF_SENTENCES,
    if_empty="it takes a learned task of single sentences and one of pairs",
    unit=POINTS,
    note="The paper says so of SST-2, its only task of single sentences, and gives the one [SEP] as the reason.",
)
def sep_of_single_sentences(t: ResultTables) -> float:
    """In layers 5 to 9, attention to [SEP] is higher on every task of single sentences, which have one [SEP], than on
    any task of sentence pairs.
    """
    # Tasks of one's own are left out, because the table does not say if they have pairs.
    rows = t.layers(features(t, "sep"), 5, 9)
    single, pairs = (
        of_complete_tasks(rows[rows.task.isin(tasks)], "attention").groupby("task").attention.mean()
        for tasks in (SINGLE_SENTENCES, PAIRS_OF_SENTENCES)
    )
    return single.min() - pairs.max()


SST2_LAYERS = "On SST-2, layers 5 to 9 each give [SEP] .56 to .65 of their attention. This is the layer with the {}."


def middle_layers_on_sst2(t: ResultTables) -> pd.Series:
    """Return the attention of layers 5 to 9 to [SEP] on SST-2."""
    return t.layers(features(t, "sep", task="sst2"), 5, 9).groupby("layer").attention.mean()


on_sst2(
    "Least attention of layers 5 to 9 to [SEP] on SST-2",
    name="least_attention_to_sep_on_sst2",
    statement=SST2_LAYERS.format("least"),
    published=0.557,
)(lambda t: middle_layers_on_sst2(t).min())
on_sst2(
    "Most attention of layers 5 to 9 to [SEP] on SST-2",
    name="most_attention_to_sep_on_sst2",
    statement=SST2_LAYERS.format("most"),
    published=0.645,
)(lambda t: middle_layers_on_sst2(t).max())
on_sst2(
    "Most attention of a head to [SEP] on SST-2",
    name="head_with_most_attention_to_sep_on_sst2",
    published=0.92,
    statement="On SST-2, the head that attends to [SEP] most gives it .92 of its attention.",
)(lambda t: features(t, "sep", task="sst2").attention.max())


def highest_head(t: ResultTables, feature: str | list[str], **where: object) -> pd.Series:
    """Return the most attention of a head to words with a feature, by task."""
    return of_complete_tasks(features(t, feature, **where), "attention").groupby("task").attention.max()


def gain_of_highest_head(t: ResultTables, feature: str, tasks: list[str]) -> float:
    """Return the gain of fine-tuning in the most attention of a head, in the task where it is least."""
    before, after = (highest_head(t, feature, model=model, task=tasks) for model in ("pretrained", "finetuned"))
    return (after - before).dropna().min()


for feature, words, tasks, phrase in (
    ("noun", "nouns", ["mrpc", "rte", "qqp"], "MRPC, RTE and QQP"),
    ("object", "direct objects", ["mrpc", "rte", "qqp"], "MRPC, RTE and QQP"),
    ("negation", "negation", ["qnli"], "QNLI"),
):
    of_features(
        f"Some heads attend to {words} more after fine-tuning" + (" on QNLI" if feature == "negation" else ""),
        name=f"gain_of_head_on_{feature}",
        tasks=tasks,
        is_parsed=feature != "negation",
        unit=POINTS,
        statement=f"On {phrase}, some heads attend to {words} more after fine-tuning.",
        note="The number is the most attention of a head after fine-tuning minus the most before, in the task where "
        "it is least. The next two claims are measured alike."
        if feature == "noun"
        else "",
    )(partial(gain_of_highest_head, feature=feature, tasks=tasks))


@of_features(
    "No head attends to words as much as to [CLS] or [SEP]",
    says_absence=True,
    restates="special_tokens_beside_words",
    true_if=below(0),
    is_parsed=True,
    unit=POINTS,
)
def heads_on_words_beside_special_tokens(t: ResultTables) -> float:
    """In every task, no head attends to words with a feature as much as some heads attend to [CLS] or [SEP]."""
    return (highest_head(t, WORDS) - highest_head(t, ["cls", "sep"])).dropna().max()


# Section 4.5: attention between words, and from [CLS] in the last layer.
def neighbors_of_pair(t: ResultTables, pair: str) -> float:
    """Return the attention to neighbors of heads that attend between the words of a pair, minus that of all heads."""
    rows = frequent(t, "kovaleva_token_pairs", model="finetuned", variant="described", pair=pair)
    of_heads, of_all = (t.only(rows, rows.attention > limit) for limit in (0.2, -1))
    return of_heads.neighbors.mean() - of_all.neighbors.mean()


for pair in ("verb_subject", "subject_verb", "noun_pronoun", "pronoun_noun"):
    words = pair.replace("_", " to ")
    of_tasks(
        f"Heads that attend from {words} attend to neighbors",
        at="section 4.5",
        name=f"neighbors_of_{pair}_heads",
        statement=f"The heads that attend from {words} are the heads that attend to neighboring tokens.",
        true_if=above(0.1),
        is_parsed=True,
        unit=POINTS,
        note="The number is the attention to the tokens before and after. It is the mean of heads that give the pair "
        "more than .2, minus the mean of all heads, in tasks with at least 20 examples of such a pair. The other "
        "three pairs are measured alike."
        if pair == "verb_subject"
        else "",
    )(partial(neighbors_of_pair, pair=pair))

FIGURE_7 = kovaleva.published("figure_7").set_index(["task", "feature"])
of_figure_7 = partial(of_figure, at="figure 7", margin=SHARES, is_parsed=True, unit=SHARE)
of_cls = partial(of_tasks, at="section 4.5, figure 7", is_parsed=True, unit=POINTS)


def from_cls(t: ResultTables, **where: object) -> pd.DataFrame:
    """Return the rows of attention from [CLS] in the last layer of fine-tuned models, as the code measures it."""
    rows = frequent(t, "kovaleva_cls", model="finetuned", variant="released", **where)
    return of_complete_tasks(rows, "attention")


def lead_of_feature(t: ResultTables, feature: str, others: list[str], **where: object) -> pd.Series:
    """Return the lead of a feature over the highest of the others in attention from [CLS], by task."""
    by_feature = (
        from_cls(t, feature=names, **where).groupby(["task", "feature"]).attention.mean()
        for names in ([feature], others)
    )
    own, theirs = (means.groupby("task").max() for means in by_feature)
    return (own - theirs).dropna()


@of_figure_7(
    "The last layer's [CLS] attends to features as published (all tasks)",
    true_if=correlates(0.5),
    published=kovaleva.published("figure_7_by_feature").set_index("feature").attention,
)
def attention_from_cls_by_feature(t: ResultTables) -> pd.Series:
    """Figure 7 shows the attention from [CLS] in the last layer by feature, here averaged over heads and tasks."""
    means = from_cls(t).groupby(["feature", "task"]).attention.mean()
    return means.groupby("feature").mean().dropna()  # without features that are rare in every task


@of_figure_7("Attention from [CLS] in the last layer, by task and feature (mean head)", published=FIGURE_7.attention)
def attention_from_cls(t: ResultTables) -> pd.Series:
    """Figure 7 shows the attention from [CLS] in the last layer by task and feature, averaged over heads."""
    return from_cls(t).groupby(["task", "feature"]).attention.mean()


@of_figure_7(
    "Attention from [CLS] in the last layer, by task and feature (top head)",
    published=FIGURE_7.highest,
    margin=HIGHEST_HEAD,
)
def most_attention_from_cls(t: ResultTables) -> pd.Series:
    """Figure 7 shows the attention from [CLS] in the last layer by task and feature, for the highest head."""
    return from_cls(t).groupby(["task", "feature"]).attention.max()


@of_cls(
    "[CLS] attends to [SEP] most in the last layer (all tasks)",
    provenance=DIGITIZED,
    true_if=above(0),
    note="The text says so of four of seven tasks (the next claim). By figure 7 it is also true of the mean over all "
    "seven. The number is the mean over heads minus that of the task's highest other feature, averaged over tasks.",
)
def lead_of_sep_from_cls(t: ResultTables) -> float:
    """Averaged over all tasks, [CLS] attends to [SEP] most in the last layer."""
    return lead_of_feature(t, "sep", [*WORDS, "cls"]).mean()


@of_cls(
    "[CLS] attends to [SEP] most in the last layer, four tasks",
    true_if=above(0),
    tasks=["mrpc", "sst2", "qqp", "mnli"],
    note="The number is the mean over heads minus that of the highest other feature, in the task where this is "
    "least. It covers four of seven tasks, and is measured only with all four.",
)
def lead_of_sep_from_cls_in_four_tasks(t: ResultTables) -> float:
    """On MRPC, SST-2, QQP and MNLI, [CLS] attends to [SEP] most in the last layer."""
    return lead_of_feature(t, "sep", [*WORDS, "cls"], task=["mrpc", "sst2", "qqp", "mnli"]).min()


@of_cls("[CLS] does not attend to [SEP] most, three tasks", true_if=below(0), tasks=["stsb", "rte", "qnli"])
def lead_of_sep_from_cls_in_three_tasks(t: ResultTables) -> float:
    """On STS-B, RTE and QNLI, [CLS] does not attend to [SEP] most in the last layer."""
    return lead_of_feature(t, "sep", [*WORDS, "cls", "punctuation"], task=["stsb", "rte", "qnli"]).max()


@of_cls(
    "[CLS] attends to punctuation most, three tasks",
    at="section 4.5",
    true_if=above(0),
    tasks=["stsb", "rte", "qnli"],
    note="The authors found this by inspection. Neither their figure nor their code has punctuation.",
)
def lead_of_punctuation_from_cls(t: ResultTables) -> float:
    """On STS-B, RTE and QNLI, [CLS] attends to punctuation most in the last layer."""
    return lead_of_feature(t, "punctuation", [*WORDS, "cls", "sep"], task=["stsb", "rte", "qnli"]).min()


# Section 4.6: disabled heads and layers. The paper does not name the metrics of figures 8 and 9: MRPC and QQP fit F1,
# and STS-B fits a correlation. The fine-tuned models are not those of table 1.
of_disabled = partial(of_tasks, at="section 4.6", unit=POINTS)
FIGURE_8, FIGURE_8_HEADS, FIGURE_9 = (
    kovaleva.published(name).set_index(["task", "metric"]) for name in ("figure_8", "figure_8_heads", "figure_9")
)


def least_gain_of(t: ResultTables, disabled: str) -> float:
    """Return the gain of disabling the best head or layer, chosen on other examples, in the task where it is least."""
    rows = t.kovaleva_disabled_gains(disabled=disabled, selection="held_out", main_metric=True)
    return of_complete_tasks(rows, "gain").set_index("task").gain.min()


def gain_of_best(t: ResultTables, task: str, selection: str, disabled: str = "head") -> float:
    """Return the gain of disabling the best head or layer of a task."""
    where = {"task": task, "metric": METRICS[task], "disabled": disabled, "selection": selection}
    return t.kovaleva_disabled_gains(**where).gain.item()


def scores_by_task(t: ResultTables, table: str, column: str, how: str) -> pd.Series:
    """Return the least, greatest or mean score of a task without one of its heads or layers."""
    rows = of_complete_tasks(t.rows(table, metric=MEASURED), column)
    return rows.groupby(["task", "metric"])[column].agg(how)


@of_disabled(
    "In every task, disabling some head helps",
    at="section 4.6, figure 8",
    true_if=above(0),
    least=HALF_A_TENTH,
    note="The paper tests the best head on the examples that it was chosen on, which favors it. Here it is chosen on "
    "other examples.",
)
def disabling_a_head_helps(t: ResultTables) -> float:
    """In every task, there is a head without which the model does better."""
    return least_gain_of(t, "head")


for task, gain, margin, phrase in (
    ("stsb", 0.001, TENTH_OF_A_POINT, "where it gains least, disabling the best head gains 0.1 points"),
    ("mrpc", 0.012, ONE_POINT, "where it gains most, disabling the best head gains 1.2 points"),
):
    of_disabled(
        f"Gain on {TASK_LABELS[task]} of disabling the best head",
        name=f"gain_of_best_head_on_{task}",
        published=gain,
        margin=margin,
        statement=f"On {TASK_LABELS[task]}, {phrase}.",
        tasks=[task],
    )(partial(gain_of_best, task=task, selection="same_data"))
    of_disabled(
        f"On {TASK_LABELS[task]}, disabling the best head helps on held-out examples",
        true_if=above(0),
        least=HALF_A_TENTH,
        tasks=[task],
        name=f"gain_of_best_head_on_other_examples_of_{task}",
        statement=f"On {TASK_LABELS[task]}, disabling the best head helps, also on examples that were not used to "
        "choose it.",
    )(partial(gain_of_best, task=task, selection="held_out"))
for task in ("mrpc", "rte"):
    of_disabled(
        f"On {TASK_LABELS[task]}, disabling a head helps on average",
        name=f"mean_gain_of_heads_on_{task}",
        true_if=above(0),
        least=HALF_A_TENTH,
        statement=f"On {TASK_LABELS[task]}, disabling a head helps on average over all heads.",
        tasks=[task],
    )(partial(gain_of_best, task=task, selection="mean"))

OTHER_TRAINING = "The head changes with the seed of fine-tuning, and the paper's fine-tuned models were not released."
of_figure_8 = partial(of_tasks, at="figure 8", margin=TWO_POINTS)
of_figure_8(
    "Score without the most needed head, by task",
    name="scores_without_most_needed_head",
    published=FIGURE_8.lowest,
    statement="Figure 8 shows each task's score without the head whose disabling costs most.",
)(partial(scores_by_task, table="kovaleva_disabled_heads", column="value", how="min"))
of_figure_8(
    "Score without the most harmful head, by task",
    name="scores_without_most_harmful_head",
    published=FIGURE_8.highest,
    statement="Figure 8 shows each task's score without the head whose disabling helps most.",
)(partial(scores_by_task, table="kovaleva_disabled_heads", column="value", how="max"))
kovaleva.not_measured(
    "most_needed_heads",
    "Most needed head of each task",
    "The head without which the score of a task is lowest (MRPC 1-9, QQP 5-4, RTE 4-1 and others).",
    at="figure 8",
    provenance=DIGITIZED,
    absent=OTHER_TRAINING,
)
kovaleva.not_measured(
    "most_harmful_heads",
    "Most harmful head of each task",
    "The head without which the score of a task is highest (MRPC 5-3, QQP 7-5, RTE 3-5 and others).",
    at="figure 8",
    provenance=DIGITIZED,
    absent=OTHER_TRAINING,
)
of_figure_8(
    "Score without one head on average, by task",
    name="mean_scores_without_a_head",
    provenance=DIGITIZED,
    published=FIGURE_8_HEADS["mean"],
    statement="Figure 8 shows each task's score without one head, averaged over all heads.",
)(partial(scores_by_task, table="kovaleva_disabled_heads", column="value", how="mean"))
of_figure_8(
    "Score of the whole model, by task",
    name="scores_of_whole_model",
    provenance=OTHER,
    published=FIGURE_8_HEADS.baseline,
    statement="The whole model has this score on each task.",
    note="The paper does not print this number. It is the best score minus the gain in the text, or the commonest "
    "color of the figure.",
)(partial(scores_by_task, table="kovaleva_disabled_heads", column="baseline", how="mean"))


def without_layer(t: ResultTables, task: str) -> pd.DataFrame:
    """Return the rows of a task's scores without each layer."""
    return t.kovaleva_disabled_layers(task=task, metric=METRICS[task])


@of_tasks("Score on RTE without the first layer", at="figure 9", published=0.617, margin=THREE_POINTS, tasks=["rte"])
def score_on_rte_without_first_layer(t: ResultTables) -> float:
    """On RTE, the model scores .617 without its first layer."""
    return t.kovaleva_disabled_layers(task="rte", metric="accuracy", layer=1).value.item()


@of_disabled(
    "On RTE, disabling the first layer helps", published=0.032, margin=TWO_POINTS, true_if=above(0), tasks=["rte"]
)
def gain_on_rte_without_first_layer(t: ResultTables) -> float:
    """On RTE, disabling the first layer gains 3.2 points."""
    row = t.kovaleva_disabled_layers(task="rte", metric="accuracy", layer=1).iloc[0]
    return row.value - row.baseline


for task in METRICS:
    of_figure(
        f"Scores on {TASK_LABELS[task]} without each layer vary as published",
        name=f"scores_without_layers_on_{task}",
        statement=f"Figure 9 shows the score on {TASK_LABELS[task]} without each layer.",
        at="figure 9",
        margin=TWO_POINTS,
        published=kovaleva.curve("figure_9_disabled_layers", task),
        true_if=correlates(0.5),
        tasks=[task],
    )(lambda t, task=task: without_layer(t, task).set_index("layer").value)
of_tasks(
    "Score without the most needed layer, by task",
    name="scores_without_most_needed_layer",
    at="figure 9",
    published=FIGURE_9.lowest,
    margin=THREE_POINTS,
    statement="Figure 9 shows each task's score without the layer whose disabling costs most.",
)(partial(scores_by_task, table="kovaleva_disabled_layers", column="value", how="min"))
of_tasks(
    "Score without the least needed layer, by task",
    name="scores_without_least_needed_layer",
    at="figure 9",
    published=FIGURE_9.highest,
    margin=TWO_POINTS,
    statement="Figure 9 shows each task's score without the layer whose disabling costs least.",
    note="On QNLI and MNLI, no layer has the color at the top of the bar. There it is the score of the whole model, "
    ".002 above the best layer's.",
)(partial(scores_by_task, table="kovaleva_disabled_layers", column="value", how="max"))
for task in ("qnli", "mnli"):
    of_disabled(
        f"On {TASK_LABELS[task]}, disabling any layer costs points",
        name=f"gain_of_best_layer_on_{task}",
        published=-0.002,
        margin=LEAST_GAIN,
        true_if=below(0),
        least=LEAST_COST,
        tasks=[task],
        statement=f"On {TASK_LABELS[task]}, disabling a layer costs at least 0.2 points.",
        note="The text speaks of a drop of up to -0.2%, which fits the figure only as the cost of the layer that costs "
        "least. The same holds for MNLI."
        if task == "qnli"
        else "",
    )(partial(gain_of_best, task=task, selection="same_data", disabled="layer"))


# Section 5: discussion.
def cost_of_head(t: ResultTables, layer: int, head: int, **where: object) -> pd.Series:
    """Return the change of the score without a head, by task and metric."""
    rows = of_complete_tasks(t.kovaleva_disabled_heads(layer=layer, head=head, **where), "value")
    rows = rows.set_index(["task", "metric"])
    return rows.value - rows.baseline


for layer, head in ((1, 2), (7, 6)):
    of_tasks(
        f"Disabling head {layer}-{head}, which links frames, costs no accuracy",
        name=f"cost_of_frame_head_{layer}_{head}",
        at="section 5",
        true_if=above(-0.01),
        least=A_POINT_IS_NONE,
        names_heads=True,
        statement=f"Disabling head {layer}-{head}, one of the frame heads of section 4.2, costs no accuracy in any "
        "task.",
        note="The number is that of the task where disabling costs most. A cost below one point counts as none."
        if layer == 1
        else "",
    )(lambda t, layer=layer, head=head: cost_of_head(t, layer, head, metric=MEASURED).min())


@of_tasks(
    "STS-B and RTE need the same two heads most",
    at="section 5, figure 8",
    published=2,
    margin=EXACT,
    is_exact=True,
    tasks=["rte", "stsb"],
    note="The number counts how many of the two heads are the same. Heads that tie for the second rank count in "
    "part. The chance level is .03.",
)
def shared_needed_heads(t: ResultTables) -> float:
    """Without the same two heads, the model does worst on STS-B and on RTE."""
    return t.kovaleva_shared_heads(task_a="rte", task_b="stsb", worst=2).overlap.item()


ON_BOTH = {"task": ["stsb", "rte"]}
for layer, head in ((4, 1), (2, 12)):
    of_tasks(
        f"Disabling head {layer}-{head} costs points on STS-B and RTE",
        name=f"cost_of_head_{layer}_{head}",
        statement=f"Disabling head {layer}-{head} costs points on STS-B and on RTE.",
        at="section 5, figure 8",
        true_if=below(0),
        least=HALF_A_TENTH,
        names_heads=True,
        tasks=ON_BOTH["task"],
    )(lambda t, layer=layer, head=head: cost_of_head(t, layer, head, metric=["accuracy", "pearson"], **ON_BOTH).max())
for layer, head in ((4, 1), (2, 12)):
    of_tasks(
        f"Head {layer}-{head} attends to words that stand in both sentences",
        at="section 5",
        true_if=above(0),
        name=f"repeated_words_of_head_{layer}_{head}",
        names_heads=True,
        tasks=ON_BOTH["task"],
        unit=POINTS,
        statement=f"On STS-B and RTE, head {layer}-{head} attends to words that stand in both sentences.",
        note="The number is the attention to the same wordpiece in the other sentence minus that to the sentence's "
        "other wordpieces."
        if layer == 4
        else "",
    )(
        lambda t, layer=layer, head=head: t.kovaleva_repeated_words(
            model="finetuned", layer=layer, head=head, **ON_BOTH
        ).difference.min()
    )

# The authors' notebook (github.com/text-machine-lab/dark-secrets-of-BERT at c413ebe), on QQP before and after fine-
# tuning. Its map of cosines agrees with figure 5 within .004 on average.
of_notebook = partial(
    of_figure, at="official notebook", true_if=correlates(0.5), names_heads=True, tasks=["qqp"], unit=SHARE
)
HEADS = ["model", "layer", "head"]
NOTEBOOK = kovaleva.published("notebook_features")
PLURALS = {"sep": "[SEP]", "cls": "[CLS]", **{name: f"{name}s" for name in WORDS}, "negation": "negation"}
for feature in ("sep", "cls", "noun", "verb", "pronoun", "negation", "subject", "object"):
    of_notebook(
        f"On QQP, heads attend to {PLURALS[feature]} as published",
        name=f"notebook_map_of_{feature}",
        statement=f"The notebook shows the attention to {PLURALS[feature]} on QQP before and after fine-tuning, for "
        "all 144 "
        "heads.",
        published=NOTEBOOK[NOTEBOOK.feature == feature].set_index(HEADS).value,
        margin=SHARES if feature in ("sep", "cls") else TWO_POINTS,
        is_parsed=feature not in ("sep", "cls", "negation"),
    )(
        lambda t, feature=feature: (
            frequent(t, "kovaleva_features", task="qqp", variant="released", feature=feature).set_index(HEADS).attention
        )
    )
NOTEBOOK_PAIRS = kovaleva.published("notebook_pairs")
for pair in ("subject_verb", "verb_subject"):
    of_notebook(
        f"On QQP, heads attend from {pair.replace('_', ' to ')} as published",
        name=f"notebook_map_of_{pair}",
        statement=f"The notebook shows the attention from {pair.replace('_', ' to ')} on QQP before and after "
        "fine-tuning, "
        "for all 144 heads.",
        published=NOTEBOOK_PAIRS[NOTEBOOK_PAIRS.pair == pair].set_index(HEADS).value,
        margin=SHARES,
        is_parsed=True,
    )(
        lambda t, pair=pair: (
            frequent(t, "kovaleva_token_pairs", task="qqp", variant="released", pair=pair).set_index(HEADS).attention
        )
    )


@of_notebook(
    "On QQP, the last layer's heads attend from [CLS] as published",
    margin=HIGHEST_HEAD,
    is_parsed=True,
    published=kovaleva.published("notebook_from_cls").set_index(["feature", "head"]).value,
)
def notebook_map_from_cls(t: ResultTables) -> pd.Series:
    """The notebook shows each head's attention from [CLS] in the last layer on QQP, after fine-tuning."""
    return from_cls(t, task="qqp").set_index(["feature", "head"]).attention


# The abstract: patterns repeat, and heads and layers can be disabled. The patterns are those of rules, which need no
# labels.
of_abstract = partial(of_tasks, at="abstract, section 4.1")


def repetition(t: ResultTables, **where: str) -> pd.Series:
    """Return how often two maps of fine-tuned models have the same pattern, by tasks."""
    return t.kovaleva_pattern_repetition(model="finetuned", **where).set_index(["task_a", "task_b"]).share


@of_abstract(
    "Different heads have the same patterns",
    true_if=above(0.25),
    unit=SHARE,
    note="The number is how often maps of two heads have the same of five patterns, in the task where this is least. "
    "With equal shares of the patterns it would be .2; with the shares of figure 2 it is .29 to .41.",
)
def patterns_across_heads(t: ResultTables) -> float:
    """Few patterns are repeated across heads."""
    return repetition(t, tasks="same", heads="different").min()


@of_abstract(
    "Heads keep their patterns across tasks",
    true_if=above(0.1),
    unit=POINTS,
    note="The number is how much more often two maps have the same pattern if they are of one head than if they are of "
    "different heads, for the two tasks in which this is least.",
)
def patterns_across_tasks(t: ResultTables) -> float:
    """The same patterns are repeated across tasks."""
    same, different = (repetition(t, tasks="different", heads=heads) for heads in ("same", "different"))
    return (same - different).dropna().min()


for part in ("head", "layer"):
    of_tasks(
        f"In every task, some {part} can be disabled without loss",
        name=f"disabling_a_{part}_costs_nothing",
        statement=f"In every task, some {part} can be disabled without loss.",
        at="abstract, section 4.6",
        true_if=above(-0.01),
        least=A_POINT_IS_NONE,
        unit=POINTS,
        note="The number is the change of the score in the task where it is least, without the "
        f"{part} that is best to disable on other examples. A cost below one point counts as none. Scores are not "
        "measured "
        "on random weights, so there is no control.",
    )(partial(least_gain_of, disabled=part))
