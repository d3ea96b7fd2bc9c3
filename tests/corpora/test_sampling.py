"""Random samples of corpora."""

from bert_attention.corpora.sampling import sample


def test_a_sample_keeps_the_order_and_repeats_nothing():
    drawn = sample(range(1000), 100, 7)
    assert drawn == sorted(set(drawn))
    assert len(drawn) == 100
    assert 300 < sum(drawn) / 100 < 700


def test_the_seed_decides():
    assert sample(range(1000), 10, 7, 0) == sample(range(1000), 10, 7, 0)
    assert sample(range(1000), 10, 7, 0) != sample(range(1000), 10, 7, 1)


def test_all_are_taken_where_there_are_no_more():
    assert sample("abc", None, 7) == sample("abc", 3, 7) == sample("abc", 9, 7) == ["a", "b", "c"]
