"""Damaged files of every format: each is read, or one InputError says what is wrong, without a hang."""

import io
import json
import re
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bert_attention.corpora import conllu, corefud, frames, glue, jsonlines, pattern_annotations, rated_texts, vectors
from bert_attention.corpora.alignments import read_alignments
from bert_attention.corpora.conll2012 import read_conll2012
from bert_attention.corpora.running_text import read_running_text
from bert_attention.corpora.token_frequency import load_ranks, read_token_counts
from bert_attention.errors import InputError
from tests.annotated_maps import small_maps, write_maps

# All examples of a test share its folder, and each overwrites the file of the previous example.
quick = settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])

LONG = "9" * 5000
ODD = ("", " ", "\t", "\n", "\r\n", "\x00", "\x85", "\u2028", "\ufeff", "\u00a0", "é", "٣", "²", "0", "-1", LONG)


@st.composite
def damaged(draw, *files):
    """Return one of the files, in which up to six ranges of tokens are replaced by other tokens or by any bytes."""
    tokens = re.findall(rb"\w+|\s|[^\w\s]", draw(st.sampled_from(files)))
    known = st.sampled_from(tokens) | st.sampled_from([odd.encode() for odd in ODD]) | st.binary(max_size=8)
    for start, size, new in draw(
        st.lists(st.tuples(st.integers(0, len(tokens)), st.integers(0, 9), st.lists(known, max_size=9)), max_size=6)
    ):
        tokens[start : start + size] = new
    return b"".join(tokens)


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
CONLL = """#begin document (bc/a); part 000
bc/a 0 0 He PRP (TOP(S(NP*) - - - - * (0)
bc/a 0 1 saw VBD (VP* see - - - * -
bc/a 0 2 himself PRP (NP*)))) - - - - * (0)

#end document
"""
DUMP = b"""<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/"><page><title>A</title><ns>0</ns><revision>
<text>This is a ''long'' sentence, &amp;#233; &amp;#xD800; &#1; with [[a|b]], {{lang|de|c}} &lt;b&gt; and {| |}, which
is a paragraph by itself.

DEEP == Heading ==</text></revision></page></mediawiki>"""
TEXTS = damaged(
    DUMP,
    DUMP.replace(b"DEEP", b"{{" * 3000 + b"}}" * 3000),
    b" = A = \n This is a sentence that is long enough to be a paragraph of the text . \n = = B = = \n",
    b"This is a sentence that is long enough\nto be a paragraph.\n\nOr [[b]] == {\n",
)
VECTORS = b"a 1 2\nb 3 -4e5\nc 5 nan\n"
BINARY = b"3 1\na \x00\x00\x80?b \x00\x00\x00@c \x00\x00@@"
RANKS = io.BytesIO()
np.save(RANKS, [3, 1, 2])


def read_all(path, form="auto"):
    for article in read_running_text(path, form)[0]:
        json.dumps([article.title, article.paragraphs], ensure_ascii=False).encode()


def read_links(path, on_bad_input, notation):
    for name, content in (("s", "a b\nc\n"), ("t", "x y\nz\n")):
        path.with_name(name).write_text(content)
    read_alignments(path.with_name("s"), path.with_name("t"), path, notation, 0, on_bad_input)


def sst2(read):
    return lambda path, on_bad_input: read(path, "sst2", 0, on_bad_input)


# Readers of a path with `on_bad_input`, each with contents of the file.
READERS = {
    "conllu": (conllu.read_conllu, damaged(TREE)),
    "corefud": (corefud.read_corefud, damaged(TREE)),
    "conll2012": (read_conll2012, damaged(CONLL.encode())),
    "vectors": (lambda path, _: vectors.load_vectors(path), damaged(VECTORS, b"3 2\n" + VECTORS, BINARY)),
    "counts": (lambda path, _: read_token_counts(path), damaged(b"1 9 5\n2 3 7\n2 3 1\n")),
    "ranks": (lambda path, _: load_ranks(path), damaged(RANKS.getvalue())),
    "labeled": (sst2(glue.read_labeled_lines), damaged(b"__label__pos good\n__label__neg bad\n")),
    "rated": (sst2(rated_texts.read_rated_texts), damaged(b"1\t2\ta\n2\t-1.5\tb\n")),
}
for notation in ("auto", "pharaoh", "rwth"):
    contents = damaged(b"0-0 1-1\n0-0\n", b"0-0 1p1\n0-0\n", b"SENT: 0\nS 0 0\nP 1 1\nSENT: 1\nS 0 0\n")
    READERS[f"links, {notation}"] = (partial(read_links, notation=notation), contents)
for form in ("auto", "plain", "wikitext", "mediawiki"):
    READERS[f"text, {form}"] = (lambda path, _, form=form: read_all(path, form), TEXTS)


@pytest.mark.parametrize("reader", READERS)
@quick
@given(data=st.data())
def test_any_file_is_read_or_is_an_input_error(tmp_path, reader, data):
    read, contents = READERS[reader]
    (tmp_path / "file").write_bytes(data.draw(contents))
    for on_bad_input in ("error", "skip"):
        is_read_or_refused(read, tmp_path / "file", on_bad_input)


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


@pytest.mark.parametrize(
    "read", [jsonlines.read_articles, jsonlines.read_segments, jsonlines.read_task_inputs, frames.read_framed]
)
@quick
@given(
    changes=st.dictionaries(st.sampled_from(sorted(RECORD)), ANY_JSON, max_size=3),
    content=damaged(json.dumps(RECORD).encode()) | st.just(b"[" * 100_000) | st.just(b'{"text":' * 100_000),
)
def test_any_json_lines_are_read_or_are_an_input_error(tmp_path, read, changes, content):
    for line in (json.dumps(RECORD | changes).encode(), content):
        (tmp_path / "c.jsonl").write_bytes(line + b"\n")
        is_read_or_refused(read, tmp_path / "c.jsonl")


@quick
@given(data=st.data())
def test_any_parquet_file_is_read_or_is_an_input_error(tmp_path, data):
    table, maps = tmp_path / "table", tmp_path / "maps"
    pq.write_table(pa.table({"text": ["A."], "sentence1": ["B."], "sentence2": ["C."], "label": [1]}), table)
    write_maps(small_maps(1), maps)
    content = data.draw(damaged(table.read_bytes(), maps.read_bytes()))
    for split in ("train", "validation"):
        (tmp_path / f"{split}-00000-of-00001.parquet").write_bytes(content)
    is_read_or_refused(glue.read_task, tmp_path, "mrpc", "skip")
    is_read_or_refused(read_all, tmp_path / "train-00000-of-00001.parquet")
    is_read_or_refused(pattern_annotations.read_maps, tmp_path / "train-00000-of-00001.parquet")
