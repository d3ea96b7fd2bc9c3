"""Mutated files for every reader: each is read or refused by an InputError, in time, and never read wrong.

    python -m benchmarks.fuzz --inputs 1000000 --seed 1 --processes 1

Each input is a small valid file in which parts are deleted, repeated, swapped or replaced. Some inputs are checked
further: with a plain reader of the same format, in other forms of the same content (compressed, with CRLF, with a
byte-order mark), and with a part repeated up to 120 kB, 240 kB and 1 MB. ``--only conllu --number 17`` repeats one
input. ``--write`` writes the table of docs/checks.md into docs/fuzz.json.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import io
import json
import random
import re
import resource
import signal
import sys
import tarfile
import tempfile
import time
import traceback
import zipfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from pathlib import Path
from warnings import simplefilter

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from bert_attention.corpora import glue, jsonlines, labeled_tables, pattern_annotations, rated_texts, vectors
from bert_attention.corpora.alignments import read_alignments
from bert_attention.corpora.compressed import COMPRESSIONS
from bert_attention.corpora.conll2012 import read_conll2012
from bert_attention.corpora.conllu import documents_of, read_conllu, words_of_corpus
from bert_attention.corpora.corefud import read_corefud
from bert_attention.corpora.frames import read_framed
from bert_attention.corpora.running_text import read_running_text
from bert_attention.corpora.texts import texts_of_articles
from bert_attention.corpora.token_frequency import load_ranks, read_token_counts
from bert_attention.downloads.sources import parse_source
from bert_attention.downloads.unpacking import unpack
from bert_attention.errors import InputError
from bert_attention.manifest import check_files
from bert_attention.running.edition_checks import validated
from bert_attention.statistics.jackknife import Replicates
from bert_attention.statistics.sum_files import read_sums, write_sums
from bert_attention.statistics.tables import read_replicates, write_table
from bert_attention.tables import columns_of
from bert_attention.yaml_files import check_keys_once

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "docs" / "fuzz.json"
LONGEST = 10.0  # seconds for an input of at most 1 MB
MOST_MEMORY = 1 << 30  # bytes beyond those before the input
_PART = 100_000  # inputs with one seed; each further part has the next seed
_BATCH = 0.5  # seconds for one reader, before the next has its turn
_OFTEN, _RARELY = 4, 500  # one input in so many is also read in another form, or made long

_ODD = [
    "",
    " ",
    "\t",
    "\n",
    "\r",
    "\r\n",
    "\0",
    "\f",
    "\v",
    "\x1c",
    "\x85",
    "\u2028",
    "\u2029",
    "\ufeff",
    "\u00a0",
    "é",
]
_ODD += [
    "٣",
    "²",
    "0",
    "-1",
    "1e999",
    "nan",
    "9" * 5000,
    "_",
    '"',
    "'",
    "(",
    ")",
    "[[",
    "{{",
    "{|",
    "<b>",
    "<!--",
    "-->",
]
ODD = [text.encode() for text in _ODD] + [b"\xff", b"\xc3", b"\xed\xa0\x80"]


@dataclass(frozen=True)
class Reader:
    """A reader: valid files, a function that reads a path, and an independent reading of a text that is accepted."""

    read: Callable[[Path], object]
    seeds: Sequence[bytes]
    plain: Callable[[str], object] | None = None
    is_text: bool = True


@dataclass
class Outcome:
    """Numbers of the inputs of one reader: all, read, refused; the failures, and the longest time in seconds."""

    inputs: int = 0
    read: int = 0
    refused: int = 0
    slowest: float = 0.0
    failures: list[str] = field(default_factory=list)


class FailureError(Exception):
    """An input on which a reader does not keep its contract."""


def mutated(content: bytes, draw: random.Random) -> bytes:
    """Return a file in which up to six parts are deleted, repeated, moved or replaced, or bits are flipped."""
    pieces = re.findall(draw.choice((rb"\w+|\s|[^\w\s]", rb"[^\n]*\n?", rb"(?s).")), content)
    for _ in range(draw.choice((0, 1, 1, 1, 2, 3, 6))):
        start = draw.randint(0, len(pieces))
        end = start + draw.choice((0, 1, 1, 2, 9))
        taken = draw.randint(0, len(pieces))
        known = pieces[taken : taken + draw.choice((1, 1, 3, 9))]
        new = draw.choice(([], known, pieces[start:end] * 2, [draw.choice(ODD)], [draw.randbytes(draw.randint(1, 4))]))
        pieces[start:end] = new
    cut = draw.randint(0, len(pieces)) if draw.random() < 0.05 else None
    return b"".join(pieces[:cut])


def lengthened(content: bytes, size: int, draw: random.Random) -> bytes:
    """Return a file in which a part is repeated until it has about this size."""
    pieces = re.findall(rb"\w+|\s|[^\w\s]", content)
    start = draw.randint(0, len(pieces))
    part = b"".join(pieces[start : start + draw.choice((1, 2, 3, 5, 20, 200))])
    part = draw.choice((part, part + draw.choice(ODD), draw.choice(ODD))) or b"a"
    at = draw.choice((start, 0, len(pieces)))
    return b"".join([*pieces[:at], part * (size // len(part)), *pieces[at:]])


@contextmanager
def _time_limit() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise FailureError(f"takes more than {LONGEST:g} s")

    signal.signal(signal.SIGVTALRM, stop)  # counts the time of this process, whatever else runs
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def attempt(reader: Reader, path: Path) -> tuple[object, float]:
    """Return what a reader returns, or InputError if it refuses the file, and the seconds; else raise FailureError."""
    begun = time.process_time()
    try:
        with _time_limit():
            found = reader.read(path)
    except InputError as error:
        if not error.problem or not error.remedy:
            raise FailureError("an InputError without a problem or a remedy") from None
        found = InputError
    except FailureError:
        raise
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        raise FailureError(f"{type(error).__name__}: {str(error)[:100]} ({where})") from None
    return found, time.process_time() - begun


def check(reader: Reader, content: bytes, path: Path, draw: random.Random) -> tuple[object, float]:
    """Check one input, and return what the reader returned and the longest time, or raise FailureError."""
    path.write_bytes(content)
    found, seconds = attempt(reader, path)
    if reader.plain and found is not InputError and found != (plain := reader.plain(content.decode())):
        raise FailureError(f"read {str(found)[:200]} instead of {str(plain)[:200]}")
    if reader.is_text and draw.random() < 1 / _OFTEN:
        ending, form = draw.choice(_forms(content))
        changed = path.with_name(path.name + (ending if ending in COMPRESSIONS else ""))
        changed.write_bytes(form)
        if (other := attempt(reader, changed)[0]) != found:
            raise FailureError(f"{ending} changes what is read: {str(found)[:200]} to {str(other)[:200]}")
    if reader.is_text and draw.random() < 1 / _RARELY:
        seconds = max(seconds, _check_time(reader, content, path, draw.random()))
    return found, seconds


def _forms(content: bytes) -> list[tuple[str, bytes]]:
    """Return the same content in other forms, each with the ending of its file's name.

    The forms are compressed and, for text with line feeds, as other systems write it.
    """
    forms = [(".gz", gzip.compress(content, 1)), (".bz2", bz2.compress(content, 1))]
    try:
        is_plain = "\ufeff" not in content.decode()
    except UnicodeDecodeError:
        return forms
    if is_plain and b"\n" in content and not re.search(rb"[\x00-\x08\r-\x1f]", content):  # such bytes may be vectors
        forms.append((".crlf", content.replace(b"\n", b"\r\n")))
        forms.append((".bom", b"\xef\xbb\xbf" + content))
    return forms


def _check_time(reader: Reader, content: bytes, path: Path, seed: float) -> float:
    """Return the time for a long input; raise FailureError if twice the size takes more than four times as long."""
    seconds = []
    for size in (120_000, 240_000, 960_000):
        path.write_bytes(lengthened(content, size, random.Random(seed)))
        seconds.append(attempt(reader, path)[1])
        if seconds[-1] > 1 and len(seconds) == 2 and seconds[1] > 4 * seconds[0]:
            raise FailureError(f"240 kB take {seconds[1]:.1f} s, 120 kB {seconds[0]:.1f} s")
    return max(seconds)


def run(names: Sequence[str], seed: int, inputs: int, number: int | None = None) -> dict[str, Outcome]:
    """Check so many inputs in total, by turns, or only one number of each reader; return the outcomes by reader."""
    outcomes = {name: Outcome() for name in names}
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        while sum(outcome.inputs for outcome in outcomes.values()) < inputs:
            for name, outcome in outcomes.items():
                until = time.monotonic() + _BATCH
                while time.monotonic() < until and sum(each.inputs for each in outcomes.values()) < inputs:
                    index = outcome.inputs if number is None else number
                    _one_input(name, f"{seed} {name} {index}", Path(folder, name.replace(" ", "_")), outcome)
                    if number is not None:
                        break
    return outcomes


def _one_input(name: str, seed: str, path: Path, outcome: Outcome) -> None:
    reader, draw = READERS[name], random.Random(seed)
    outcome.inputs += 1
    try:
        found, seconds = check(reader, mutated(draw.choice(reader.seeds), draw), path, draw)
        outcome.read += found is not InputError
        outcome.refused += found is InputError
        outcome.slowest = max(outcome.slowest, seconds)
    except FailureError as failure:
        outcome.failures.append(f"{seed}: {failure}")


# ---- the readers ----

TREE = b"""# newdoc id = d
# global.Entity = eid-etype
# sent_id = 1
1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_
1\tde\tde\tADP\tIN\t_\t2\tcase\t_\tEntity=(e1-person
2\tle\tle\tPRON\tPRP\t_\t0\troot\t_\tEntity=e1)(e2[1/2]-x)
2.1\tx\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1-person)
3\tla\tla\tPRON\tPRP\t_\t2\tdep\t_\tEntity=(e2[2/2]-x)|SpaceAfter=No

# newdoc id = e
1\tIt\tit\tPRON\tPRP\t_\t2\tnsubj\t_\tEntity=(e1)
2\trains\train\tVERB\tVBZ\t_\t0\troot\t_\t_

"""
CONLL2012 = b"""#begin document (bc/a); part 000
bc/a 0 0 He PRP (TOP(S(NP*) - - - - * (0)
bc/a 0 1 saw VBD (VP* see - - - * -
bc/a 0 2 himself PRP (NP*)))) - - - - * (0)

#end document
"""
PROSE = "The old mill stands by the river, and nobody has used it for years. "
DUMP = f"""<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/"><page><title>A</title><ns>0</ns><revision>
<text>This is a ''long'' sentence, &amp;#233; &amp;#xD800; with [[a|b]], {{{{lang|de|c}}}} &lt;b&gt;x&lt;/b&gt;
and {{| |}}.

{PROSE * 3}

== Heading ==
* {PROSE}</text></revision></page></mediawiki>""".encode()
WIKITEXT = f" = A = \n {PROSE}\n = = B = = \n {PROSE * 2}\n = C = \n {PROSE}\n".encode()
TEXTS = [
    f"{PROSE}\n{PROSE}\n\n{PROSE * 2}\n".encode(),
    f"{PROSE}\n".encode() * 9,
    f"{PROSE}\n".encode() * 9 + b"\n" + f"{PROSE}\n".encode() * 9,
]
RECORD = {"title": "A", "paragraphs": [["One.", "Two."]], "article": "A", "first": ["a"], "second": ["b"], "label": 1}
RECORD |= {"first_begins": [True], "second_begins": [True], "first_spans": [[0, 1]], "second_spans": [[0, 1]]}
RECORD |= {"text": "He runs home", "frame": "Motion", "target": [3, 7], "group": "A"}
FRAMES = [
    RECORD | {"elements": [{"name": "Goal", "start": 8, "end": 12}]},
    {"text": "He runs", "target": "runs", "elements": ["He"]},
]


def _json(*records: dict) -> list[bytes]:
    return ["".join(json.dumps(record) + "\n" for record in records).encode()]


def _parquet(**columns: list) -> bytes:
    content = io.BytesIO()
    pq.write_table(pa.table(columns), content)
    return content.getvalue()


def _archive(mode: str) -> bytes:
    content = io.BytesIO()
    if mode == "zip":
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("d/a.txt", PROSE * 20)
        return content.getvalue()
    with tarfile.open(fileobj=content, mode=mode) as tar:
        entry = tarfile.TarInfo("d/a.txt")
        entry.size = 20 * len(PROSE)
        tar.addfile(entry, io.BytesIO(PROSE.encode() * 20))
    return content.getvalue()


def _written(write: Callable[[Path], None], name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder, name))
        return Path(folder, name).read_bytes()


def _ranks() -> bytes:
    content = io.BytesIO()
    np.save(content, [3, 1, 2])
    return content.getvalue()


def _sums() -> bytes:
    sums = [("", ({"t:n": np.arange(3), "t:x": np.ones((3, 2))}, range(6), [2, 2, 2]))]
    return _written(lambda path: write_sums(sums, path), "sums")


@cache
def _table() -> tuple[bytes, bytes]:
    """Return a result table and its replicates."""
    rows = pd.DataFrame({column: [1.0, 2.0] for column in columns_of("clark_entropy")})
    with tempfile.TemporaryDirectory() as folder:
        write_table(Replicates(rows, [rows] * 8), Path(folder, "clark_entropy.csv"))
        return tuple(Path(folder, f"clark_entropy.{ending}").read_bytes() for ending in ("csv", "parquet"))


def _text(path: Path, form: str = "auto") -> object:
    articles, left_out = read_running_text(path, form)
    found = list(articles)
    json.dumps(texts_of_articles(found), ensure_ascii=False).encode()
    return (
        [re.sub(r"\A\S+ ", "", article.title) if form != "wikitext" else article for article in found],
        found and [article.paragraphs for article in found],
        +left_out,
    )


def _links(path: Path, notation: str) -> object:
    for name, content in (("s", "a b\nc\n"), ("t", "x y\nz\n")):
        path.with_name(name).write_text(content)
    pairs, _ = read_alignments(path.with_name("s"), path.with_name("t"), path, notation)
    return [sorted(pair.possible) for pair in pairs]


def _plain_links(text: str) -> object:
    return [
        sorted({tuple(map(int, re.split("[-p]", link))) for link in re.split("[ \t\r]+", line.strip("\ufeff")) if link})
        for line in _rows(text)
    ]


def _rows(text: str) -> list[str]:
    lines = (text if "\n" in text else text.replace("\r", "\n")).removeprefix("\ufeff").split("\n")
    return lines if lines[-1] else lines[:-1]


def _trees(path: Path) -> object:
    return [[(word.form, word.head) for word in tree.words] for tree in read_conllu(path)[0]]


def _plain_trees(text: str) -> object:
    rows = [row.rstrip("\r").split("\t") for row in _rows(text) if not row.startswith("#")]
    trees: list[list] = [[]]
    for row in rows:
        if not "".join(row).strip():
            trees.append([])
        elif row[0].isdecimal():
            trees[-1].append((row[1], int(row[6])))
    return [tree for tree in trees if tree]


def _counts(path: Path) -> object:
    return read_token_counts(path, 10)


def _plain_counts(text: str) -> object:
    return {int(row.split()[2]): int(row.split()[1]) for row in _rows(text)}


def _vectors(path: Path) -> object:
    found = vectors.load_vectors(path)
    return found.index_to_key, found.vectors.tolist()


def _task(path: Path) -> object:
    folder = path.with_suffix(".task")
    folder.mkdir(exist_ok=True)
    for split in ("train", "validation"):
        (folder / f"{split}-00000-of-00001.parquet").write_bytes(path.read_bytes())
    return glue.read_task(folder, "mrpc", "skip")


def _half(read: Callable, path: Path) -> object:
    return read(path, "sst2", 0, "skip")


def _own_task(path: Path, suffix: str) -> object:
    table = path.with_suffix(suffix)
    table.write_bytes(path.read_bytes())
    return labeled_tables.read_labeled_table(table, "own", labeled_tables.Columns(), 0, "skip")


def _unpacked(path: Path) -> object:
    folder = path.with_suffix(".unpacked")
    unpack(path, "d/a.txt", folder)
    content = (folder / "d" / "a.txt").read_bytes()
    if not path.read_bytes().startswith(b"d/") and content != PROSE.encode() * 20:  # a plain tar has no checksum
        raise FailureError("unpacked another content")
    return len(content)


def _manifest(path: Path) -> object:
    folder = path.with_suffix(".folder")
    folder.mkdir(exist_ok=True)
    (folder / "a").write_bytes(b"")
    (folder / "SHA256SUMS").write_bytes(path.read_bytes())
    return check_files(folder)


def _source(path: Path) -> object:
    return parse_source(path.read_bytes().decode("utf-8", "surrogateescape"))


@cache
def _config() -> dict:
    return yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))


def _edition(path: Path) -> object:
    try:
        overlay = yaml.safe_load(path.read_bytes())
    except (yaml.YAMLError, UnicodeError, ValueError, RecursionError):  # Snakemake refuses the file
        return InputError
    check_keys_once([path])
    return bool(validated(_config() | overlay)) if isinstance(overlay, dict) else InputError


def _table_file(path: Path) -> object:
    folder = path.with_suffix(".tables")
    folder.mkdir(exist_ok=True)
    (folder / "clark_entropy.csv").write_bytes(_table()[0])
    (folder / "clark_entropy.parquet").write_bytes(path.read_bytes())
    return len(read_replicates(folder / "clark_entropy.csv").whole)


MAPS = [pattern_annotations.PatternMap(1, "m", "pretrained", "rte", 1, 1, 1, 2, np.eye(5, dtype=np.float32))]
VECTORS = [b"a 1 2\nb 3 -4e5\nc 5 0.25\n", b"3 2\na 1 2\nb 3 4\nc 5 6\n"]
LINKS = [b"0-0 1-1\n0-0\n", b"0-0 1p1\n0-0\n"]
BLOCKS = b"SENT: 0\nS 0 0\nP 1 1\nSENT: 1\nS 0 0\n"

READERS = {
    "trees": Reader(_trees, [TREE, TREE * 2], _plain_trees),
    "words and documents": Reader(lambda path: (words_of_corpus(path), documents_of(path)), [TREE]),
    "coreference (CorefUD)": Reader(read_corefud, [TREE]),
    "coreference (CoNLL-2012)": Reader(read_conll2012, [CONLL2012]),
    "alignments": Reader(partial(_links, notation="auto"), LINKS, _plain_links),
    "alignments (RWTH)": Reader(partial(_links, notation="rwth"), [*LINKS, BLOCKS]),
    "word vectors": Reader(_vectors, VECTORS),
    "word vectors (binary)": Reader(_vectors, [b"3 1\na \x00\x00\x80?b \x00\x00\x00@c \x00\x00@@"], is_text=False),
    "tasks (Parquet)": Reader(
        _task, [_parquet(sentence1=["B."] * 4, sentence2=["C."] * 4, label=[1, 0, 1, 0])], is_text=False
    ),
    "labeled sentences": Reader(
        partial(_half, glue.read_labeled_lines), [b"".join(b"__label__pos good %d\n" % n for n in range(9))]
    ),
    "tasks of one's own": Reader(
        partial(_own_task, suffix=".csv"),
        [b"text,label\n" + b"".join(b'"a ""%d"",\n",%d\n' % (n, n % 2) for n in range(9))],
    ),
    "rated texts": Reader(
        partial(_half, rated_texts.read_rated_texts), [b"".join(b"%d\t-2.5\ttext %d\n" % (n, n) for n in range(9))]
    ),
    "articles": Reader(jsonlines.read_articles, _json(RECORD, RECORD)),
    "segments": Reader(jsonlines.read_segments, _json(RECORD, RECORD)),
    "inputs of tasks": Reader(jsonlines.read_task_inputs, _json(RECORD, RECORD)),
    "frames": Reader(read_framed, _json(*FRAMES)),
    "token counts": Reader(_counts, [b"1 9 5\n2 3 7\n2 3 1\n"], _plain_counts),
    "token ranks": Reader(lambda path: load_ranks(path).tolist(), [_ranks()], is_text=False),
    "labels of maps": Reader(lambda path: pattern_annotations.read_labels(path, MAPS), [b"map,pattern\n1,block\n"]),
    "documents (Parquet)": Reader(_text, [_parquet(text=[PROSE * 3, PROSE], title=["A", "A"])], is_text=False),
    "text": Reader(_text, TEXTS),
    "text (WikiText)": Reader(partial(_text, form="wikitext"), [WIKITEXT]),
    "text (dump)": Reader(_text, [DUMP]),
    "archives": Reader(_unpacked, [_archive(mode) for mode in ("zip", "w:gz", "w:bz2", "w:xz")], is_text=False),
    "manifests": Reader(
        _manifest, [b"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a\n"], is_text=False
    ),
    "sources": Reader(
        _source,
        [b"path:a/b.txt sha256:" + b"0" * 64, b"https://h/a.zip!a.txt", b"wheel:p-{1..2}@1!f.{1..2}!x"],
        is_text=False,
    ),
    "editions": Reader(
        _edition,
        [b"edition: mine\npapers: [clark]\nseed: 7\n", b"models:\n  - {name: a, source: 'path:b', mlm_head: fit}\n"],
        is_text=False,
    ),
    "sums": Reader(lambda path: len(list(read_sums([path], "t", [""]))), [_sums()], is_text=False),
    "replicates": Reader(_table_file, [_table()[1]], is_text=False),
}


def main() -> None:
    """Run the program with the arguments of the command line; exit with status 1 if an input fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=100_000, help="number of inputs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--only", choices=READERS, help="a single reader")
    parser.add_argument("--number", type=int, help="a single input of it")
    parser.add_argument("--write", action="store_true", help="write docs/fuzz.json")
    options = parser.parse_args()
    names = [options.only] if options.only else list(READERS)
    share = 1 if options.number is not None else min(options.inputs, _PART)
    seeds = [options.seed + part for part in range(1 if options.number is not None else -(-options.inputs // share))]
    with ProcessPoolExecutor(options.processes, initializer=limit_memory) as pool:
        parts = list(pool.map(partial(run, names, inputs=share, number=options.number), seeds))
    total = {name: _joined([part[name] for part in parts]) for name in names}
    print(f"{'reader':26} {'inputs':>9} {'read':>9} {'refused':>9} {'failed':>7} {'slowest (s)':>11}")
    for name, outcome in total.items():
        numbers = f"{outcome.inputs:9} {outcome.read:9} {outcome.refused:9} {len(outcome.failures):7}"
        print(f"{name:26} {numbers} {outcome.slowest:11.2f}")
        print(*(f"    {failure}" for failure in outcome.failures[:20]), sep="\n", end="\n" if outcome.failures else "")
    if options.write:
        content = {"seed": options.seed, "readers": {name: asdict(outcome) for name, outcome in total.items()}}
        TABLE.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    sys.exit(any(outcome.failures for outcome in total.values()))


def limit_memory() -> None:
    """Limit the memory of this process to what it uses now and ``MOST_MEMORY``, and hide warnings."""
    simplefilter("ignore")
    used = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MOST_MEMORY, resource.RLIM_INFINITY))


def _joined(outcomes: Sequence[Outcome]) -> Outcome:
    return Outcome(
        *(sum(getattr(outcome, name) for outcome in outcomes) for name in ("inputs", "read", "refused")),
        max(outcome.slowest for outcome in outcomes),
        [failure for outcome in outcomes for failure in outcome.failures],
    )


if __name__ == "__main__":
    main()
