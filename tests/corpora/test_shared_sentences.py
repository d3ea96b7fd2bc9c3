import numpy as np

from bert_attention.corpora.shared_sentences import grouped_by_sentences
from bert_attention.corpora.types import TaskExample, clusters_of_examples


def pairs(*texts):
    return [TaskExample(first, second, float(label)) for label, (first, second) in enumerate(texts)]


def test_pairs_that_a_chain_of_sentences_connects_are_adjacent_and_one_cluster():
    grouped = grouped_by_sentences(pairs("ab", "cd", "eb", "xy", "fe", "dz"))
    assert [(example.first, example.second) for example in grouped] == [
        *map(tuple, ("ab", "eb", "fe", "cd", "dz", "xy"))
    ]
    assert clusters_of_examples(grouped) == [0, 0, 0, 3, 3, 5]
    assert [example.group for example in grouped] == ["a", "a", "a", "c", "c", ""]


def test_clusters_are_those_of_a_plain_search():
    random = np.random.default_rng(0)
    examples = pairs(*(tuple(map(str, random.integers(0, 60, 2))) for _ in range(50)))
    expected = {example: {example} for example in examples}
    for example in examples:
        for other in examples:
            if {example.first, example.second} & {other.first, other.second}:
                joined = expected[example] | expected[other]
                expected.update(dict.fromkeys(joined, joined))
    grouped = grouped_by_sentences(examples)
    clusters = dict(zip([example.label for example in grouped], clusters_of_examples(grouped), strict=True))
    for example in examples:
        together = {other for other in examples if clusters[other.label] == clusters[example.label]}
        assert together == expected[example]


def test_single_sentences_and_examples_with_groups_stay_as_they_are():
    single = [TaskExample("a", None, 0.0), TaskExample("a", None, 1.0)]
    of_texts = [TaskExample("a", "b", 0.0, "text"), TaskExample("a", "c", 1.0)]
    assert grouped_by_sentences(single) == tuple(single)
    assert grouped_by_sentences(of_texts) == tuple(of_texts)
