"""Whatever a corpus's file holds: it is read, or one InputError says what is wrong. No other error, and no hang.

Files are drawn around the formats: their own marks in any order, whole files with pieces exchanged, and any bytes.
"""

import json
import re
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bert_attention.corpora.alignments import read_alignments
from bert_attention.corpora.conll2012 import read_conll2012
from bert_attention.corpora.conllu import read_conllu
from bert_attention.corpora.corefud import read_corefud
from bert_attention.corpora.frames import read_framed
from bert_attention.corpora.glue import read_labelled_lines, read_task
from bert_attention.corpora.jsonlines import read_articles, read_segments, read_task_inputs
from bert_attention.corpora.pattern_annotations import read_maps
from bert_attention.corpora.running_text import read_running_text
from bert_attention.corpora.token_frequency import load_ranks, read_token_counts, save_ranks, token_ranks
from bert_attention.corpora.vectors import load_vectors
from bert_attention.errors import InputError

# A function's folder serves all its examples: each overwrites the file of the last.
quick = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])

LONG_NUMBER = "9" * 5000
# Marks that no format expects where they may come.
ODD = ("", " ", "\t", "\n", "\r\n", "\x00", "\x85", "\u2028", "\ufeff", "\u00a0", "é", "٣", "²", "0", "-1", LONG_NUMBER)


def files_of(*marks):
    """Contents of files: marks of a format and odd ones in any order, or any bytes."""
    mark = st.one_of(st.sampled_from(marks), st.sampled_from(marks), st.sampled_from(ODD))
    text = st.lists(mark, max_size=40).map(lambda parts: "".join(parts).encode())
    few = st.lists(st.sampled_from(marks), max_size=2).map(lambda parts: "".join(parts).encode())
    return st.one_of(few, text, text, st.tuples(text, st.binary(max_size=20), text).map(b"".join))


def damaged(whole):
    """A whole file with pieces of it cut out, repeated or overwritten."""
    place = st.integers(0, len(whole))
    piece = st.one_of(st.binary(max_size=8), st.sampled_from([odd.encode() for odd in ODD]))
    return st.tuples(place, place, piece).map(lambda drawn: whole[: drawn[0]] + drawn[2] + whole[drawn[1] :])


def is_read_or_refused(read, *arguments):
    try:
        read(*arguments)
    except InputError as error:
        assert error.problem
        assert error.remedy


TREE = b"""# newdoc id = d
# global.Entity = eid-etype
# sent_id = 1
1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_
1\tde\tde\tADP\tIN\t_\t2\tcase\t_\tEntity=(e1-person
2\tle\tle\tPRON\tPRP\t_\t0\troot\t_\tEntity=e1)(e2[1/2]-x)
2.1\tx\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1-person)
3\tla\tla\tPRON\tPRP\t_\t2\tdep\t_\tEntity=(e2[2/2]-x)|SpaceAfter=No

"""
TREE_MARKS = (
    "1\tA\ta\tX\tX\t_\t0\troot\t_\t_\n",
    "2\tB\tb\tX\tX\t_\t1\tdep\t_\t_\n",
    "\t_",
    "1-2",
    "1.1",
    "# newdoc\n",
)
TREE_MARKS += (
    f"1\tA\t_\t_\t_\t_\t{LONG_NUMBER}\tx\t_\t_\n",
    f"1\tA\t_\t_\t_\t_\t0\tx\t_\tEntity=(e[{LONG_NUMBER}/2])\n",
)
TREE_MARKS += ("# global.Entity = eid\n", "Entity=(e1)", "(e1[1/2]", "e1[2/2])", "1\tA\t_\t_\t_\t_\t", "\t_\t_\t_\n")


@pytest.mark.parametrize("on_bad_input", ["error", "skip"])
@pytest.mark.parametrize("read", [read_conllu, read_corefud])
@quick
@given(content=st.one_of(damaged(TREE), files_of(*TREE_MARKS)))
def test_trees(tmp_path, read, on_bad_input, content):
    (tmp_path / "c.conllu").write_bytes(content)
    is_read_or_refused(read, tmp_path / "c.conllu", on_bad_input)


CONLL = b"""#begin document (bc/a); part 000
bc/a 0 0 He PRP (TOP(S(NP*) - - - - * (0)
bc/a 0 1 saw VBD (VP* see - - - * -
bc/a 0 2 himself PRP (NP*)))) - - - - * (0)

#end document
"""


@pytest.mark.parametrize("on_bad_input", ["error", "skip"])
@quick
@given(content=st.one_of(damaged(CONLL), files_of(*CONLL.decode().splitlines(keepends=True), "(S*", "*)", "(0", "0)")))
def test_conll2012(tmp_path, on_bad_input, content):
    (tmp_path / "a_conll").write_bytes(content)
    is_read_or_refused(read_conll2012, tmp_path / "a_conll", on_bad_input)


ANY_JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.just(10**400), st.sampled_from(["a", "", "\ud800"])
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["name", "start", "end"]), inner)
    ),
    max_leaves=6,
)
KEYS = ["title", "paragraphs", "article", "first", "second", "first_spans", "second_spans", "label"]
KEYS += ["text", "frame", "target", "elements"]
RECORDS = {
    "title": "A",
    "paragraphs": [["One.", "Two."]],
    "article": "A",
    "first": ["a"],
    "second": ["b"],
    "first_spans": [[0, 1]],
    "second_spans": [[0, 1]],
    "label": 1,
    "text": "He runs home",
    "frame": "Motion",
    "target": [3, 7],
    "elements": [{"name": "Goal", "start": 8, "end": 12}],
}


@pytest.mark.parametrize(
    ("read", "content", "problem"),
    [
        (read_conllu, f"{LONG_NUMBER}\tA\t_\t_\t_\t_\t0\tx\t_\t_\n", "line 1: has the id '9{40}', expected 1"),
        (read_conllu, f"1\tA\t_\t_\t_\t_\t{LONG_NUMBER}\tx\t_\t_\n", r"line 1: the head .* is '9{40}', not a number"),
        (
            read_conll2012,
            CONLL.decode().replace("bc/a 0 0", f"bc/a 0 {LONG_NUMBER}"),
            "line 2: has the word number '9{40}' .*, expected 0",
        ),
        (read_token_counts, f"1 9 {LONG_NUMBER}\n", r"line 1: '1 9 9{36}' is not three whole numbers"),
        (read_framed, json.dumps(RECORDS).replace("[3, 7]", f"[3, {LONG_NUMBER}]"), "line 1: Exceeds the limit"),
        (load_vectors, f"{LONG_NUMBER} 2\na 1 2\n", "cannot be read as word vectors"),
        (load_vectors, f"a 1 {LONG_NUMBER}\n", "'a' holds a number that is not finite"),
    ],
)
def test_numbers_of_thousands_of_digits_are_refused_in_a_short_message(tmp_path, read, content, problem):
    (tmp_path / "file").write_text(content)
    with pytest.raises(InputError, match=problem) as refused:
        read(tmp_path / "file")
    assert len(refused.value.problem) < 300


@pytest.mark.parametrize("read", [read_articles, read_segments, read_task_inputs, read_framed])
@quick
@given(
    changes=st.dictionaries(st.sampled_from(KEYS), ANY_JSON, max_size=3),
    content=files_of("{", '"text":', "[" * 100_000, "[", "]", "}"),
)
def test_json_lines(tmp_path, read, changes, content):
    for line in (json.dumps(RECORDS | changes).encode(), content):
        (tmp_path / "c.jsonl").write_bytes(line + b"\n")
        is_read_or_refused(read, tmp_path / "c.jsonl")


VECTORS = b"a 1 2\nb 3 -4e5\nc 5 6\n"
BINARY = b"3 1\na \x00\x00\x80?b \x00\x00\x00@c \x00\x00@@"


@quick
@given(
    st.one_of(
        damaged(VECTORS),
        damaged(b"3 2\n" + VECTORS),
        damaged(BINARY),
        files_of("a 1 2\n", "3 2\n", "nan", "1e999", "100000000 10000\n"),
    )
)
def test_vectors(tmp_path, content):
    (tmp_path / "v.txt").write_bytes(content)
    is_read_or_refused(load_vectors, tmp_path / "v.txt")


@pytest.mark.parametrize("notation", ["auto", "pharaoh", "rwth"])
@quick
@given(
    links=st.one_of(
        files_of(
            f"{LONG_NUMBER}-0\n",
            "0-0",
            "1p1",
            "0-0\n",
            "S 0 0\n",
            "P 1 1\n",
            "SENT: 0\n",
            "SENT: 1\n",
            f"SENT: {LONG_NUMBER}\n",
        ),
        damaged(b"0-0 1-1\n"),
    ),
    text=files_of("a b\n", "c\n"),
)
def test_links(tmp_path, notation, links, text):
    for name, content in (("s", text), ("t", b"x y\n"), ("links", links)):
        (tmp_path / name).write_bytes(content)
    for skip in ("error", "skip"):
        is_read_or_refused(read_alignments, *(tmp_path / name for name in ("s", "t", "links")), notation, 0, skip)


DUMP = b"""<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/"><page><title>A</title><ns>0</ns><revision>
<text>This is a ''long'' sentence, &amp;#233; with [[a|b]] and {{lang|de|c}}, which is a paragraph by itself.</text>
</revision></page></mediawiki>"""
WIKI_MARKS = ("&amp;#xD800;", "&amp;#1;", "[[", "]]", "''", "{|", "|}", "\n")
MARKUP = (*WIKI_MARKS, "{{" * 3000, "}}" * 3000, f"&amp;#{LONG_NUMBER};")
SENTENCE = "This is a sentence that is long enough to be a paragraph of the text."
TEXT_MARKS = (*WIKI_MARKS, *re.findall("<[^>]+>", DUMP.decode()), "{{", "}}", "&#xD800;", "<!--", "<b>", "\n\n")
TEXT_MARKS += (SENTENCE, " = A = \n", "<ns>0</ns>")
PAGES = st.tuples(st.sampled_from([b"<title>A</title>", b"<title/>", b""]), st.lists(st.sampled_from(MARKUP))).map(
    lambda drawn: DUMP.replace(b"<title>A</title>", drawn[0]).replace(b"long", "".join(drawn[1]).encode())
)


@pytest.mark.parametrize("form", ["auto", "plain", "wikitext", "mediawiki"])
@quick
@given(content=st.one_of(PAGES, damaged(DUMP), files_of(*TEXT_MARKS)))
def test_running_text(tmp_path, form, content):
    (tmp_path / "text").write_bytes(content)
    is_read_or_refused(read_all, tmp_path / "text", form)


def read_all(path, form="auto"):
    articles, _ = read_running_text(path, form)
    for article in articles:
        assert isinstance(article.title, str)
        json.dumps([article.title, article.paragraphs], ensure_ascii=False).encode()


@quick
@given(
    content=st.one_of(damaged(b"1 9 5\n2 3 7\n2 3 1\n"), files_of("1 9 5\n", "2 3 7\n", "1", "__label__pos ", "good\n"))
)
def test_counts_and_labelled_lines(tmp_path, content):
    (tmp_path / "counts").write_bytes(content)
    is_read_or_refused(read_token_counts, tmp_path / "counts")
    for skip in ("error", "skip"):
        is_read_or_refused(read_labelled_lines, tmp_path / "counts", "sst2", 0, skip)


@quick
@given(st.data())
def test_ranks(tmp_path, data):
    save_ranks(token_ranks(Counter({1: 5, 2: 3}), 4), tmp_path / "ranks.npy")
    (tmp_path / "ranks.npy").write_bytes(data.draw(damaged((tmp_path / "ranks.npy").read_bytes())))
    is_read_or_refused(load_ranks, tmp_path / "ranks.npy")


COLUMNS = st.sampled_from(
    [
        pa.array(["A sentence.", None]),
        pa.array([1, 0]),
        pa.array([0.5, float("nan")]),
        pa.array([b"\xff", b"b"]),
        pa.array([b"\xff\xfe", b"b"]).view(pa.string()),
        pa.array([["a"], None]),
        pa.array([{"a": 1}, {"a": 2}]),
        pa.array([2**62, -(2**62)]).cast(pa.timestamp("us")),
        pa.array([None, None]),
        pa.array(["A sentence.", "B"]).dictionary_encode(),
    ]
)
NAMES = ["text", "label", "sentence1", "sentence2", "map", "attention", "layer"]


@quick
@given(columns=st.lists(st.tuples(st.sampled_from(NAMES), COLUMNS), min_size=1, max_size=7), data=st.data())
def test_parquet(tmp_path, columns, data):
    names, arrays = zip(*columns, strict=True)
    file = tmp_path / "train-00000-of-00001.parquet"
    pq.write_table(pa.table(list(arrays), names=list(names)), file)
    for content in (file.read_bytes(), data.draw(damaged(file.read_bytes()))):
        for name in ("train", "validation"):
            (tmp_path / f"{name}-00000-of-00001.parquet").write_bytes(content)
        for task in ("mrpc", "stsb"):
            is_read_or_refused(read_task, tmp_path, task, "error")
            is_read_or_refused(read_task, tmp_path, task, "skip")
        is_read_or_refused(read_all, file)
        is_read_or_refused(read_maps, file)
