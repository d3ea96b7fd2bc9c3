import pytest

from bert_attention.corpora.rated_texts import is_rated_texts, read_rated_texts
from bert_attention.errors import InputError

LINES = ["1\t2.5\tGood.", "2\t-0.6\tBad\tfilm. ", "3\t0.5\tFilm.", "4\t-4\tAwful.", "5\t.51\tClichés?", "6\t1\tGood."]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "ratings.txt"
    path.write_bytes("\r\n".join(LINES).encode())
    return path


def labels(task):
    assert not {example.first for example in task.train} & {example.first for example in task.validation}
    return {example.first: example.label for example in (*task.train, *task.validation)}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("7\t1.5", "expected an id, a rating and a text, separated by tabs, found '7\\\\t1.5'"),
        ("7\tgood\tText.", "the rating 'good' is not a number from -4 to 4"),
        ("7\t-4.1\tText.", "the rating '-4.1' is not a number from -4 to 4"),
        ("7\t1\t ", "a sentence is empty"),
        ("7\t1\t_ __", "the words of a sentence are blanked out: '_ __'"),
    ],
)
def test_a_bad_line_is_an_error_that_names_it_or_is_skipped(file, line, problem):
    file.write_text("\n".join([LINES[0], line, *LINES[1:]]) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"ratings.txt, line 2: {problem}"):
        read_rated_texts(file, "tweets", 1)
    task, left_out = read_rated_texts(file, "tweets", 1, "skip")
    assert (len(labels(task)), left_out.total()) == (5, 1)


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_ratings_become_scores_or_classes(file, tmp_path, encoding):
    file.write_bytes("\r\n".join(LINES).encode(encoding))
    task, left_out = read_rated_texts(file, "sst2", 1)
    assert labels(task) == {"Good.": 1, "Bad\tfilm.": 0, "Awful.": 0, "Clich\u00e9s?": 1}
    assert left_out == {"texts with a rating of at most 0.5 in size": 1}
    task, left_out = read_rated_texts(file, "tweets", 1)
    assert (labels(task)["Film."], len(task.train) + len(task.validation), left_out) == (0.5, 6, {})
    with pytest.raises(InputError, match="ratings from -4 to 4, but stsb is another kind of task"):
        read_rated_texts(file, "stsb", 1)
    (tmp_path / "labeled").write_text("__label__pos good\n")
    assert (is_rated_texts(file), is_rated_texts(tmp_path / "labeled")) == (True, False)
