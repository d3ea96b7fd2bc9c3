import pytest

from bert_attention.corpora.alignments import diagonal_links, read_alignments, write_alignments
from bert_attention.corpora.types import AlignedPair
from bert_attention.errors import InputError
from tests.corpora.alignment_error_rate import alignment_error_rate

SOURCE = "das ist ein Haus\nich sehe\n"
TARGET = "this is a house\nI see\n"


def pair(source, target, sure, possible=frozenset()):
    return AlignedPair(tuple(source.split()), tuple(target.split()), frozenset(sure), frozenset(sure | possible))


PAIRS = [
    pair("das ist ein Haus", "this is a house", {(0, 0), (3, 3)}, {(1, 2)}),
    pair("ich sehe", "I see", {(1, 1)}),
]


@pytest.fixture
def files(tmp_path):
    """Function that writes the three files and returns their paths."""

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
        ("\ufeff0-0 3-3 1p2\n1-1\n", 0),
    ],
)
def test_all_notations_give_the_same_links(files, links, base, notation):
    assert read_alignments(*files(links), notation, base) == (PAIRS, {})
    marked = files(links, f"\ufeff{SOURCE}", f"\ufeff{TARGET}")  # byte-order marks
    assert read_alignments(*marked, notation, base) == (PAIRS, {})


@pytest.mark.parametrize(
    ("links", "options", "problem", "reason"),
    [
        ("0-0\n1-2\n", {}, "line 2: the link '1-2' points to target word 2, .* numbered 0 to 1", "links out of range"),
        ("0-0\n2-1\n", {}, "line 2: the link '2-1' .* source word 2, .*\n.* check base: 0", "links out of range"),
        ("1-1\n1-0\n", {"base": 1}, "line 2: the link '1-0' .* word 0, .* numbered 1 to 2", "links out of range"),
        ("SENT: 1\nS 0 0\nP 2 0\n", {}, "line 3: the link 'P 2 0' points to source word 2", "links out of range"),
        ("0-0\n1-1 0p0\n", {"notation": "pharaoh"}, "line 2: '0p0' is not a link in the notation", "malformed links"),
        ("0-0\n1-1 -1-0\n", {}, "line 2: '-1-0' is not a link in the notation", "malformed links"),
        (f"SENT: 0\nS 0 {'9' * 5000}\n", {}, "line 2: '.*' is not a link", "malformed links"),
        ("SENT: 1\nSENT: 2\n", {}, "gold.align, line 2: 'SENT: 2', but the text has 2 sentences", None),
        ("0-0\n", {}, "numbers of lines differ: .*de has 2, .*en has 2, .*gold.align has 1", None),
    ],
)
def test_a_bad_link_is_an_error_that_names_it_or_is_skipped_alone(files, links, options, problem, reason):
    paths = files(links)
    with pytest.raises(InputError, match=problem):
        read_alignments(*paths, **options, on_bad_input="error" if reason else "skip")
    if reason:
        pairs, left_out = read_alignments(*paths, **options, on_bad_input="skip")
        assert (len(pairs), left_out) == (2, {reason: 1})


@pytest.mark.parametrize(
    ("links", "source", "target", "problem", "reason"),
    [
        ("\n1-1\n", " \na b\n", TARGET, "text.de, line 1: the sentence is empty", "pairs with an empty sentence"),
        ("0-0\n0-0\n", "a b\n_ _\n", "c d\n_ _\n", "line 2: the words are blanked", "pairs without their text"),
    ],
)
def test_a_pair_without_words_is_an_error_that_names_it_or_is_skipped(files, links, source, target, problem, reason):
    with pytest.raises(InputError, match=problem):
        read_alignments(*files(links, source, target), base=0)
    pairs, left_out = read_alignments(*files(links, source, target), base=0, on_bad_input="skip")
    assert (len(pairs), left_out) == (1, {reason: 1})
    assert read_alignments(*files("0-0\n\n", "das Haus\n\n", "the house\n\n"))[1] == {"blank lines": 1}
    with pytest.raises(InputError, match=r"text.de: holds no sentence"):
        read_alignments(*files("", "", ""))


def test_alignments_are_read_in_other_encodings(files):
    paths = files("0-0\n", "schön\x85ja\xa010\n", "nice\n", encoding="latin-1")
    (found,), _ = read_alignments(*paths, encoding="latin-1")
    assert found.source == ("schön\x85ja\xa010",)  # no line or word ends at this control character or no-break space
    with pytest.raises(InputError, match=r"text.de, line 1: byte 0xf6 at column 4 is not UTF-8"):
        read_alignments(*paths)
    with pytest.raises(InputError, match=r"text.de: is not encoded in ascii"):
        read_alignments(*paths, encoding="ascii")
    with pytest.raises(InputError, match=r"encoding 'latin-99': is not a known encoding"):
        read_alignments(*paths, encoding="latin-99")


def test_pairs_are_written_and_read_back(tmp_path):
    paths = tmp_path / "s", tmp_path / "t", tmp_path / "l"
    for word in ("", "a b"):
        with pytest.raises(ValueError, match="cannot be written"):
            write_alignments([AlignedPair((word,), ("a",), frozenset(), frozenset())], *paths)
    assert list(tmp_path.iterdir()) == []
    write_alignments(PAIRS, *paths)
    assert [path.read_text() for path in paths] == [SOURCE, TARGET, "0-0 1p2 3-3\n1-1\n"]
    assert read_alignments(*paths) == (PAIRS, {})


def test_the_diagonal_links_short_sentences():
    def diagonal(source, target):
        return sorted(diagonal_links(pair("a " * source, "b " * target, set())), key=lambda link: link[1])

    assert diagonal(3, 3) == [(0, 0), (1, 1), (2, 2)]
    assert diagonal(2, 4) == [(0, 0), (0, 1), (1, 2), (1, 3)]  # 0, 0.5, 1, 1.5; rounded, 1.5 is the third word
    assert diagonal(5, 2) == [(0, 0), (2, 1)]  # 0, 2.5


def test_the_real_set_is_german_first_and_hard_for_the_diagonal(real_data):
    europarl = [real_data(f"word_alignment/{name}") for name in ("test.de", "test.en", "de-en.wa")]
    pairs, left_out = read_alignments(*europarl, on_bad_input="skip")
    assert (len(pairs), left_out) == (100, {"links out of range": 1})  # 12-16 in line 63, whose words are 0 to 12
    assert sum(len(each.sure) for each in pairs) == 1232
    assert pairs[0].source[0] == "herr"  # the file starts with a byte-order mark
    assert (pairs[0].source[4], pairs[0].target[3], (4, 3) in pairs[0].sure) == ("kommissar", "commissioner", True)
    assert alignment_error_rate(map(diagonal_links, pairs), pairs) == pytest.approx(0.668, abs=5e-4)


@pytest.mark.parametrize("links", ["1-1 2-2 3p3\n1-1\n", "SENT: 0\nS 1 2\nSENT: 1\nS 1 1\n"])
def test_links_without_word_0_need_a_base(files, links):
    paths = files(links)
    with pytest.raises(InputError, match=r"gold.align: no link names word 0.*\n  Remedy: say it: base=1, or base=0"):
        read_alignments(*paths)
    shifted = [{(i - 1, j - 1) for i, j in each.possible} for each in read_alignments(*paths, base=0)[0]]
    assert [each.possible for each in read_alignments(*paths, base=1)[0]] == shifted
    assert read_alignments(*files("\n\n"))[0][0].possible == frozenset()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_text_without_a_byte_order_mark_is_an_input_error(files, encoding):
    with pytest.raises(InputError, match=f"is not encoded in {encoding}"):
        read_alignments(*files("0-0\n1-1\n"), encoding=encoding)


@pytest.mark.parametrize("base", [1.0, True, "0"])
def test_the_base_is_a_whole_number(files, base):
    with pytest.raises(InputError, match="is not a valid number for the first word"):
        read_alignments(*files("0-0\n\n"), base=base)
