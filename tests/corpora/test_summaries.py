"""Summaries of corpora, as people see them."""

import pytest

from bert_attention.corpora.summaries import (
    ArticleCounter,
    Summary,
    documents_summary,
    frames_summary,
    pairs_summary,
    read_summaries,
    segments_summary,
    summary_lines,
    task_inputs_summary,
    task_summary,
    trees_summary,
    vectors_summary,
    write_summaries,
)
from bert_attention.corpora.types import (
    AlignedPair,
    Article,
    Document,
    FramedSentence,
    FrameElement,
    Mention,
    PairTask,
    Segment,
    TaskExample,
    TaskInput,
)
from bert_attention.errors import InputError
from tests.treebanks import tree

DOGS = tree([2, 3, 0, 5, 3], ["nummod", "nsubj", "root", "det", "obj"], ["Two", "dogs", "chased", "the", "ball"])
TITLE = tree([0], forms=["Storm"])
LILY = tree([2, 0, 4, 5, 2], ["nsubj", "root", "poss", "amod", "obj"], ["Lily", "fed", "her", "old", "horse"])


def lines(summary):
    return list(summary_lines([summary]))


@pytest.mark.parametrize(
    ("paragraphs", "expected"),
    [
        ((("A dog barked.", "It slept."), ("Rain fell.",)), ["sentence 1: A dog barked.", "sentence 2: It slept."]),
        ((("One line",),), ["sentence 1: One line"]),
    ],
)
def test_running_text_is_counted_while_it_is_read(paragraphs, expected):
    counter = ArticleCounter()
    articles = [Article("a", paragraphs), Article("b", ((*["Snow."] * 3,),))]
    assert list(counter.counted(iter(articles))) == articles
    sentences = sum(map(len, paragraphs)) + 3
    first, left_out, *example = lines(counter.summary({"lists": 1, "tables": 20, "links": 0}))
    assert first == f"running text: 2 articles, {len(paragraphs) + 1} paragraphs, {sentences} sentences"
    assert left_out == "  left out: tables (20), lists (1)"
    assert example == [f"  {line}" for line in expected]


def test_segments_show_the_tokens_of_both_parts():
    one = Segment("a", ("the", "dog", "##s"), (), (True, True, False), ())
    two = Segment("a", ("w",) * 41, ("yes",), (True,) * 41, (True,))
    assert lines(segments_summary([one, two], {}, {"of the tokens are unknown": 0.0125}, "tiny")) == [
        "running text, for tiny: 2 segments, 1 article; 1.25% of the tokens are unknown",
        "  first part: the dog ##s",
    ]
    assert lines(segments_summary([two, one], {}, {}))[1:] == [
        f"  first part: {'w ' * 40}... (1 more)",
        "  second part: yes",
    ]


@pytest.mark.parametrize(
    ("sentences", "words", "heads"),
    [
        ([TITLE, DOGS], "Two dogs chased the ball",
         "Two is nummod of dogs; dogs is nsubj of chased; chased is root; the is det of ball; ball is obj of chased"),
        ([TITLE, TITLE], "Storm", "Storm is root"),
    ],
)  # fmt: skip
def test_a_tree_is_shown_as_words_and_heads(sentences, words, heads):
    found = lines(trees_summary("dev", sentences, {}))
    assert found[0] == f"treebank, dev: 2 sentences, {sum(len(each.words) for each in sentences)} words"
    assert found[1:] == [f"  words: {words}", f"  heads: {heads}"]
    assert len(lines(trees_summary("dev", sentences, {}, encoder="tiny"))) == 1


@pytest.mark.parametrize(
    ("mentions", "shown"),
    [
        ([("lily", 1), ("lily", 3), ("horse", 3, 4, 5)], "[Lily]1 fed [[her]1 old horse]2"),
        ([("a", 1, 2, 3, 4, 5), ("b", 5), ("c", 1, 4)], "[[Lily]2 fed her [old]2 [horse]3]1"),
    ],
)
def test_mentions_are_in_brackets_that_chains_number(mentions, shown):
    found = tuple(Mention(chain, tuple(words), words[0], "nominal") for chain, *words in mentions)
    document = Document("d", (TITLE, LILY), found)
    counts = f"coreference: 1 document, {len(mentions)} mentions, {len({chain for chain, *_ in mentions})} chains"
    assert lines(documents_summary([document], {})) == [counts, f"  mentions, numbered by chain: {shown}"]


@pytest.mark.parametrize(
    ("name", "classes", "label", "shown"), [("rte", ("entailment", "not"), 1, "not"), ("stsb", (), 2.5, "2.5")]
)
def test_a_task_is_shown_with_its_label(name, classes, label, shown):
    task = PairTask(name, classes, ("accuracy",), (TaskExample("It rains.", "Rain falls.", label),), ())
    title = {"rte": "task RTE", "stsb": "task STS-B"}[name]
    assert lines(task_summary(task, {"bad rows": 2})) == [
        f"{title}: 1 training example, 0 validation examples",
        "  left out: bad rows (2)",
        *("  first: It rains.", "  second: Rain falls.", f"  label: {shown}"),
    ]
    read = TaskInput("1", ("it", "rain"), ("wet",), (True, True), (True,), ((0, 2), (3, 7)), ((0, 3),), label, "0")
    assert lines(task_inputs_summary(task, [read], {}, "tiny")) == [
        f"{title}, for tiny: 1 example",
        *("  first part: it rain", "  second part: wet", f"  label: {shown}"),
    ]


def test_pairs_show_the_words_that_their_links_join():
    short = AlignedPair(("Ja",), ("Yes",), frozenset({(0, 0)}), frozenset({(0, 0)}))
    long = AlignedPair(
        ("das", "Haus", "ist", "sehr", "alt"),
        ("the", "house", "is", "old"),
        frozenset({(1, 1)}),
        frozenset({(4, 3), (1, 1), (0, 0)}),
    )
    assert lines(pairs_summary([short, long], {})) == [
        "word alignment: 2 pairs, 4 links, 2 sure links",
        *("  source: das Haus ist sehr alt", "  target: the house is old"),
        "  linked: das - the; Haus - house; alt - old",
    ]
    assert lines(pairs_summary([short], {}))[-1] == "  linked: Ja - Yes"


def test_frames_and_vectors():
    framed = FramedSentence("The cook fried fish.", "Cooking", (9, 14), (FrameElement("Food", 15, 19),))
    assert lines(frames_summary([framed, framed], {"long sentences": 3})) == [
        "frames: 2 sentences, 1 frame",
        "  left out: long sentences (3)",
        *("  sentence: The cook fried fish.", "  predicate and elements: fried (Cooking); fish (Food)"),
    ]
    unnamed = FramedSentence("The cook fried fish.", "", (9, 14), (FrameElement("", 15, 19),))
    assert lines(frames_summary([unnamed], {}))[::2] == [
        "frames: 1 sentence",
        "  predicate and elements: fried; fish",
    ]
    assert lines(vectors_summary(["a"] * 14, 50, 0.975)) == [
        "word vectors: 14 words, 50 dimensions; 97.5% of the treebank's words have a vector",
        f"  first words: {'a ' * 12}... (2 more)",
    ]


def test_summaries_are_read_as_written(tmp_path):
    path = tmp_path / "summaries.jsonl"
    summaries = [
        trees_summary("dev", [DOGS], {"sentences without a root": 1}, {"of the tokens are unknown": 0.5}, "tiny"),
        Summary("frames", {"sentences": 1}, example=[("sentence", "Das Wort »Haus«\u2028")]),
    ]
    write_summaries(summaries, path)
    assert read_summaries(path) == summaries
    path.write_text('{"corpus": "frames"}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"summaries\.jsonl, line 1: .*\n.*delete it"):
        read_summaries(path)
