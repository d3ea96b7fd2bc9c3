import pytest

from bert_attention.corpora.alignments import (
    diagonal_links,
    read_alignments,
    write_alignments,
)
from bert_attention.corpora.types import AlignedPair
from bert_attention.errors import InputError
from tests.corpora.alignment_error_rate import alignment_error_rate

SOURCE = "das ist ein Haus\nich sehe\n"
TARGET = "this is a house\nI see\n"
PAIRS = [
    AlignedPair(
        ("das", "ist", "ein", "Haus"),
        ("this", "is", "a", "house"),
        frozenset({(0, 0), (3, 3)}),
        frozenset({(0, 0), (3, 3), (1, 2)}),
    ),
    AlignedPair(("ich", "sehe"), ("I", "see"), frozenset({(1, 1)}), frozenset({(1, 1)})),
]


@pytest.fixture
def files(tmp_path):
    """A function that writes the three files and returns their paths."""

    def write(links, source=SOURCE, target=TARGET, encoding="utf-8"):
        paths = tmp_path / "text.de", tmp_path / "text.en", tmp_path / "gold.align"
        for path, text in zip(paths, (source, target, links), strict=True):
            path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        return paths

    return write


@pytest.mark.parametrize("notation", ["rwth", "auto"])
@pytest.mark.parametrize(
    ("links", "base"),
    [
        ("0-0 3-3 1p2\n1-1\n", 0),
        ("1-1 2p3 4-4\n2-2\n", 1),
        ("0-0  3-3\t1p2 0-0\r\n1-1\r\n", 0),
        ("SENT: 0\nS 0 0\nP 1 2\nS 3 3\n\nSENT: 1\nS 1 1\n\n", 0),
        ("SENT: 1\nS 2 2\nSENT: 0\nS 1 1\nP 2 3\nS 4 4\n", 1),
    ],
)
def test_all_notations_of_the_same_links(files, links, base, notation):
    assert read_alignments(*files(links), notation, base) == (PAIRS, {})


def test_pharaoh_links_are_all_sure(files):
    pairs, _ = read_alignments(*files("0-0 1-2\n\n"), "pharaoh")
    assert pairs[0].sure == pairs[0].possible == {(0, 0), (1, 2)}
    assert pairs[1].sure == pairs[1].possible == frozenset()


@pytest.mark.parametrize("link", ["0p0", "SENT:", "0?0", "0-", "-1-0", "a-b", "0-0-0", "²-0"])
def test_a_malformed_link_is_named_or_left_out_alone(files, link):
    paths = files(f"0-0\n1-1 {link}\n")
    with pytest.raises(InputError, match=r"gold.align, line 2: .* is not a link in the notation given") as caught:
        read_alignments(*paths, "pharaoh")
    assert repr(link) in str(caught.value)
    pairs, left_out = read_alignments(*paths, "pharaoh", on_bad_input="skip")
    assert [pair.sure for pair in pairs] == [{(0, 0)}, {(1, 1)}]
    assert left_out == {"malformed links": 1}


@pytest.mark.parametrize(
    ("links", "base", "problem"),
    [
        ("0-0\n1-2\n", 0, "line 2: the link '1-2' points to target word 2, but the words are numbered 0 to 1"),
        ("0-0\n2-1\n", 0, "line 2: the link '2-1' points to source word 2, but the words are numbered 0 to 1"),
        ("1-1\n1-0\n", 1, "line 2: the link '1-0' points to target word 0, but the words are numbered 1 to 2"),
        (
            "SENT: 1\nS 0 0\nP 2 0\n",
            0,
            "line 3: the link 'P 2 0' points to source word 2, but the words are numbered 0 to 1",
        ),
    ],
)
def test_a_link_out_of_range_is_named_or_left_out_alone(files, links, base, problem):
    paths = files(links)
    with pytest.raises(InputError) as caught:
        read_alignments(*paths, base=base)
    assert str(caught.value).startswith(f"{paths[2]}, {problem}\n")
    assert f"check which file is the source, check base: {base}" in str(caught.value)
    pairs, left_out = read_alignments(*paths, base=base, on_bad_input="skip")
    assert len(pairs) == 2
    assert left_out == {"links out of range": 1}


@pytest.mark.parametrize(
    ("links", "line"),
    [
        ("SENT: 0\nS 0 0\nS 1\n", 3),
        (f"SENT: 0\nS 0 {'9' * 5000}\n", 2),
        (f"SENT: {'9' * 5000}\n", 1),
        (f"{'9' * 5000}-0\n\n", 1),
    ],
)
def test_a_malformed_line_in_a_block_and_numbers_of_thousands_of_digits_are_named(files, links, line):
    with pytest.raises(InputError, match=rf"gold.align, line {line}: '.*' is not a link"):
        read_alignments(*files(links))


def test_a_block_of_no_sentence_is_named(files):
    with pytest.raises(InputError, match=r"gold.align, line 2: 'SENT: 2', but the text has 2 sentences"):
        read_alignments(*files("SENT: 1\nSENT: 2\n"))


@pytest.mark.parametrize(
    ("texts", "name"), [((" \nich sehe\n", TARGET), "text.de"), ((SOURCE, "\nI see\n"), "text.en")]
)
def test_an_empty_sentence_is_named_or_its_pair_left_out(files, texts, name):
    paths = files("\n1-1\n", *texts)
    with pytest.raises(InputError, match=rf"{name}, line 1: the sentence is empty"):
        read_alignments(*paths)
    assert read_alignments(*paths, on_bad_input="skip") == ([PAIRS[1]], {"pairs with an empty sentence": 1})


def test_lines_blank_in_all_files_are_left_out(files):
    paths = files("0-0 3-3 1p2\n\n1-1\n", "das ist ein Haus\n\nich sehe\n", "this is a house\n\nI see\n")
    assert read_alignments(*paths) == (PAIRS, {"blank lines": 1})


def test_files_of_different_length_are_an_error_even_when_skipping(files):
    with pytest.raises(InputError, match=r"the numbers of lines differ: .*de has 2, .*en has 2, .*gold.align has 1"):
        read_alignments(*files("0-0\n"), on_bad_input="skip")


def test_files_without_a_sentence_are_an_error(files):
    with pytest.raises(InputError, match=r"text.de: holds no sentence"):
        read_alignments(*files("", "", ""))


def test_a_byte_order_mark_is_dropped(files):
    paths = files("\ufeff0-0 3-3 1p2\n1-1\n", f"\ufeff{SOURCE}", f"\ufeff{TARGET}")
    assert read_alignments(*paths) == (PAIRS, {})


def test_latin1_is_read_where_it_is_named(files):
    paths = files("0-0\n", "schön\x85ja\n", "nice\n", encoding="latin-1")
    (pair,), _ = read_alignments(*paths, encoding="latin-1")
    assert pair.source == ("schön\x85ja",)  # no line or word ends at this control character
    with pytest.raises(InputError, match=r"text.de, line 1: byte 0xf6 at column 4 is not UTF-8"):
        read_alignments(*paths)
    with pytest.raises(InputError, match=r"text.de: is not encoded in ascii"):
        read_alignments(*paths, encoding="ascii")
    with pytest.raises(InputError, match=r"encoding 'latin-99': is not a known encoding"):
        read_alignments(*paths, encoding="latin-99")


def test_a_no_break_space_does_not_part_words(files):
    (pair,), _ = read_alignments(*files("0-0\n", "10\xa0000 Mark\n", "10,000 marks\n"))
    assert pair.source == ("10\xa0000", "Mark")


def test_what_is_written(tmp_path):
    paths = tmp_path / "s", tmp_path / "t", tmp_path / "l"
    write_alignments(PAIRS, *paths)
    assert [path.read_text() for path in paths] == [SOURCE, TARGET, "0-0 1p2 3-3\n1-1\n"]
    assert read_alignments(*paths) == (PAIRS, {})


@pytest.mark.parametrize("word", ["", "a b", "a\n"])
def test_a_word_that_cannot_be_read_back_is_not_written(tmp_path, word):
    with pytest.raises(ValueError, match="cannot be written"):
        write_alignments([AlignedPair((word,), ("a",), frozenset(), frozenset())], *map(tmp_path.joinpath, "stl"))
    assert list(tmp_path.iterdir()) == []


def test_error_rate_by_hand():
    """A = {00, 11, 12}, S = {00, 33}, P = S + {12}: 1 - (1 + 2) / (3 + 2); the second pair has no error."""
    hypotheses = [{(0, 0), (1, 1), (1, 2)}, {(1, 1)}]
    assert alignment_error_rate(hypotheses[:1], PAIRS[:1]) == pytest.approx(1 - 3 / 5)
    assert alignment_error_rate(hypotheses, PAIRS) == pytest.approx(1 - 5 / 7)  # over the corpus, not a mean of pairs


def test_the_diagonal_of_short_sentences():
    def diagonal(source, target):
        pair = AlignedPair(tuple("a" * source), tuple("b" * target), frozenset(), frozenset())
        return sorted(diagonal_links(pair), key=lambda link: link[1])

    assert diagonal(3, 3) == [(0, 0), (1, 1), (2, 2)]
    assert diagonal(2, 4) == [(0, 0), (0, 1), (1, 2), (1, 3)]  # 0, 0.5, 1, 1.5, which would be the third word
    assert diagonal(5, 2) == [(0, 0), (2, 1)]  # 0, 2.5


@pytest.fixture
def europarl(real_data):
    return [real_data(f"word_alignment/{name}") for name in ("test.de", "test.en", "de-en.wa")]


def test_the_real_set_is_german_first_and_hard_for_the_diagonal(europarl):
    pairs, left_out = read_alignments(*europarl, on_bad_input="skip")
    assert (len(pairs), left_out) == (100, {"links out of range": 1})  # 12-16 in line 63, whose words are 0 to 12
    assert sum(len(pair.sure) for pair in pairs) == 1232
    assert pairs[0].source[0] == "herr"  # the file starts with a byte-order mark
    assert (pairs[0].source[4], pairs[0].target[3]) == ("kommissar", "commissioner")
    assert (4, 3) in pairs[0].sure
    assert alignment_error_rate(map(diagonal_links, pairs), pairs) == pytest.approx(0.668, abs=5e-4)
