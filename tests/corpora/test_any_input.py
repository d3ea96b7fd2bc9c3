"""Files of any content: each is read, or one InputError says what is wrong, without another error or a hang.

The files are drawn around the formats: their own marks in any order, whole files with pieces exchanged, and any bytes.
"""

import json
import re
from functools import partial

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
from bert_attention.corpora.glue import read_labeled_lines, read_task
from bert_attention.corpora.jsonlines import read_articles, read_segments, read_task_inputs
from bert_attention.corpora.pattern_annotations import read_maps
from bert_attention.corpora.rated_texts import read_rated_texts
from bert_attention.corpora.running_text import read_running_text
from bert_attention.corpora.token_frequency import load_ranks, read_token_counts, save_ranks, token_ranks
from bert_attention.corpora.vectors import load_vectors
from bert_attention.errors import InputError

# All examples of a test share its folder, and each overwrites the file of the previous example.
quick = settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])

LONG = "9" * 5000
# Marks that no format expects everywhere.
ODD = ("", " ", "\t", "\n", "\r\n", "\x00", "\x85", "\u2028", "\ufeff", "\u00a0", "é", "٣", "²", "0", "-1", LONG)


def files_of(*marks):
    """Contents of files: marks of a format and odd marks in any order, or any bytes."""
    mark = st.one_of(st.sampled_from(marks), st.sampled_from(marks), st.sampled_from(ODD))
    text = st.lists(mark, max_size=40).map(lambda parts: "".join(parts).encode())
    few = st.lists(st.sampled_from(marks), max_size=2).map(lambda parts: "".join(parts).encode())
    return st.one_of(few, text, text, st.tuples(text, st.binary(max_size=20), text).map(b"".join))


def damaged(whole):
    """Copies of a whole file with pieces cut out, repeated or overwritten."""
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
WORDS = "1\tA\ta\tX\tX\t_\t0\troot\t_\t_\n", "2\tB\tb\tX\tX\t_\t1\tdep\t_\t_\n", f"1\tA\t_\t_\t_\t_\t{LONG}\tx\t_\t_\n"
PIECES = "\t_", "1-2", "1.1", "# newdoc\n", "Entity=(e1)", "(e1[1/2]", "e1[2/2])", "1\tA\t_\t_\t_\t_\t", "\t_\t_\t_\n"
BRACKET = f"1\tA\t_\t_\t_\t_\t0\tx\t_\tEntity=(e[{LONG}/2])\n"
TREES = st.one_of(damaged(TREE), files_of(*WORDS, *PIECES, "# global.Entity = eid\n", BRACKET))

CONLL = """#begin document (bc/a); part 000
bc/a 0 0 He PRP (TOP(S(NP*) - - - - * (0)
bc/a 0 1 saw VBD (VP* see - - - * -
bc/a 0 2 himself PRP (NP*)))) - - - - * (0)

#end document
"""
VECTORS = b"a 1 2\nb 3 -4e5\nc 5 6\n"
BINARY = b"3 1\na \x00\x00\x80?b \x00\x00\x00@c \x00\x00@@"
LINK_MARKS = (f"{LONG}-0\n", "0-0", "1p1", "0-0\n", "S 0 0\n", "P 1 1\n", "SENT: 0\n", "SENT: 1\n", f"SENT: {LONG}\n")
COUNTS = st.one_of(damaged(b"1 9 5\n2 3 7\n2 3 1\n"), files_of("1 9 5\n", "2 3 7\n", "1", "__label__pos ", "good\n"))

DUMP = b"""<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/"><page><title>A</title><ns>0</ns><revision>
<text>This is a ''long'' sentence, &amp;#233; with [[a|b]] and {{lang|de|c}}, which is a paragraph by itself.</text>
</revision></page></mediawiki>"""
WIKI_MARKS = ("&amp;#xD800;", "&amp;#1;", "[[", "]]", "''", "{|", "|}", "\n")
MARKUP = (*WIKI_MARKS, "{{" * 3000, "}}" * 3000, f"&amp;#{LONG};")
SENTENCE = "This is a sentence that is long enough to be a paragraph of the text."
TEXT_MARKS = (*WIKI_MARKS, *re.findall("<[^>]+>", DUMP.decode()), "{{", "}}", "&#xD800;", "<!--", "<b>", "\n\n")
PAGES = st.tuples(st.sampled_from([b"<title>A</title>", b"<title/>", b""]), st.lists(st.sampled_from(MARKUP))).map(
    lambda drawn: DUMP.replace(b"<title>A</title>", drawn[0]).replace(b"long", "".join(drawn[1]).encode())
)
TEXTS = st.one_of(PAGES, damaged(DUMP), files_of(*TEXT_MARKS, SENTENCE, " = A = \n", "<ns>0</ns>"))


def read_all(path, form="auto"):
    for article in read_running_text(path, form)[0]:
        json.dumps([article.title, article.paragraphs], ensure_ascii=False).encode()


def read_links(path, on_bad_input, notation):
    for name, content in (("s", "a b\nc\n"), ("t", "x y\nz\n")):
        path.with_name(name).write_text(content)
    read_alignments(path.with_name("s"), path.with_name("t"), path, notation, 0, on_bad_input)


# The reader of a path with `on_bad_input`, and the contents of the file.
READERS = {
    "conllu": (read_conllu, TREES),
    "corefud": (read_corefud, TREES),
    "conll2012": (
        read_conll2012,
        st.one_of(damaged(CONLL.encode()), files_of(*CONLL.splitlines(keepends=True), "(S*", "*)", "(0", "0)")),
    ),
    "vectors": (
        lambda path, _: load_vectors(path),
        st.one_of(
            *map(damaged, (VECTORS, b"3 2\n" + VECTORS, BINARY)),
            files_of("a 1 2\n", "3 2\n", "nan", "1e999", "100000000 10000\n"),
        ),
    ),
    **{
        f"links, {notation}": (
            partial(read_links, notation=notation),
            st.one_of(files_of(*LINK_MARKS), damaged(b"0-0 1-1\n0-0\n")),
        )
        for notation in ("auto", "pharaoh", "rwth")
    },
    **{
        f"text, {form}": (lambda path, _, form=form: read_all(path, form), TEXTS)
        for form in ("auto", "plain", "wikitext", "mediawiki")
    },
    "counts": (lambda path, _: read_token_counts(path), COUNTS),
    "labeled": (lambda path, on_bad_input: read_labeled_lines(path, "sst2", 0, on_bad_input), COUNTS),
    "rated": (lambda path, on_bad_input: read_rated_texts(path, "sst2", 0, on_bad_input), files_of("1\t2\ta\n", "\t")),
}


@pytest.mark.parametrize("reader", READERS)
@quick
@given(data=st.data())
def test_any_file_is_read_or_refused(tmp_path, reader, data):
    read, contents = READERS[reader]
    (tmp_path / "file").write_bytes(data.draw(contents))
    for on_bad_input in ("error", "skip"):
        is_read_or_refused(read, tmp_path / "file", on_bad_input)


@quick
@given(st.data())
def test_any_file_of_ranks_is_read_or_refused(tmp_path, data):
    save_ranks(token_ranks({1: 5, 2: 3}, 4), tmp_path / "ranks.npy")
    (tmp_path / "ranks.npy").write_bytes(data.draw(damaged((tmp_path / "ranks.npy").read_bytes())))
    is_read_or_refused(load_ranks, tmp_path / "ranks.npy")


VALUES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.just(10**400))
ANY_JSON = st.recursive(
    st.one_of(VALUES, st.sampled_from(["a", "", "\ud800"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "start", "end"]), inner),
    max_leaves=6,
)
RECORD = {"title": "A", "paragraphs": [["One.", "Two."]], "article": "A", "first": ["a"], "second": ["b"], "label": 1}
RECORD |= {"first_begins": [True], "second_begins": [True], "first_spans": [[0, 1]], "second_spans": [[0, 1]]}
RECORD |= {"text": "He runs home", "frame": "Motion", "target": [3, 7]}
RECORD |= {"elements": [{"name": "Goal", "start": 8, "end": 12}]}


@pytest.mark.parametrize("read", [read_articles, read_segments, read_task_inputs, read_framed])
@quick
@given(
    changes=st.dictionaries(st.sampled_from(sorted(RECORD)), ANY_JSON, max_size=3),
    content=files_of("{", '"text":', "[" * 100_000, "[", "]", "}"),
)
def test_any_json_lines_are_read_or_refused(tmp_path, read, changes, content):
    for line in (json.dumps(RECORD | changes).encode(), content):
        (tmp_path / "c.jsonl").write_bytes(line + b"\n")
        is_read_or_refused(read, tmp_path / "c.jsonl")


@pytest.mark.parametrize(
    ("read", "content", "problem"),
    [
        (read_conllu, f"{LONG}\tA\t_\t_\t_\t_\t0\tx\t_\t_\n", "line 1: has the id '9{40}', expected 1"),
        (read_conllu, f"1\tA\t_\t_\t_\t_\t{LONG}\tx\t_\t_\n", "line 1: the head .* is '9{40}', expected the number"),
        (
            read_conll2012,
            CONLL.replace("bc/a 0 0", f"bc/a 0 {LONG}"),
            "line 2: has the word number '9{40}' .*, expected 0",
        ),
        (read_token_counts, f"1 9 {LONG}\n", "line 1: '1 9 9{36}' is not three whole numbers"),
        (read_framed, json.dumps(RECORD).replace("[3, 7]", f"[3, {LONG}]"), "line 1: Exceeds the limit"),
        (load_vectors, f"{LONG} 2\na 1 2\n", "cannot be read as word vectors"),
        (load_vectors, f"a 1 {LONG}\n", "'a' holds a number that is not finite"),
    ],
)
def test_numbers_of_thousands_of_digits_are_refused_in_a_short_message(tmp_path, read, content, problem):
    (tmp_path / "file").write_text(content)
    with pytest.raises(InputError, match=problem) as refused:
        read(tmp_path / "file")
    assert len(refused.value.problem) < 300


COLUMNS = st.sampled_from(
    [
        *map(
            pa.array, (["A sentence.", None], [1, 0], [0.5, float("nan")], [b"\xff", b"b"], [["a"], None], [None] * 2)
        ),
        pa.array([b"\xff\xfe", b"b"]).view(pa.string()),
        pa.array([{"a": 1}, {"a": 2}]),
        pa.array([2**62, -(2**62)]).cast(pa.timestamp("us")),
        pa.array(["A sentence.", "B"]).dictionary_encode(),
    ]
)
NAMES = ["text", "label", "sentence1", "sentence2", "map", "attention", "layer"]


@quick
@given(columns=st.lists(st.tuples(st.sampled_from(NAMES), COLUMNS), min_size=1, max_size=7), data=st.data())
def test_any_parquet_is_read_or_refused(tmp_path, columns, data):
    names, arrays = zip(*columns, strict=True)
    file = tmp_path / "train-00000-of-00001.parquet"
    pq.write_table(pa.table(list(arrays), names=list(names)), file)
    for content in (file.read_bytes(), data.draw(damaged(file.read_bytes()))):
        for name in ("train", "validation"):
            (tmp_path / f"{name}-00000-of-00001.parquet").write_bytes(content)
        for task in ("mrpc", "stsb"):
            for on_bad_input in ("error", "skip"):
                is_read_or_refused(read_task, tmp_path, task, on_bad_input)
        is_read_or_refused(read_all, file)
        is_read_or_refused(read_maps, file)
