"""Corpora in the layout and format in which their publishers have them: excerpts of real ones, or made on the spot."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from itertools import groupby, islice, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq

from bert_attention.corpora.conllu import read_conllu
from bert_attention.corpora.corefud import read_corefud
from bert_attention.corpora.frames import read_framed
from bert_attention.corpora.types import Document, Sentence
from tests.corpora.framenet_files import write_framenet

Files = dict[str, bytes]

_FEWEST, _MOST = 12, 40  # words of an article of running text
_NEGATION = re.compile(r"\b(?:not|never|no)\b|n't\b")
_PARTS = ("Doer", "Deed", "Thing", "Reason", "Manner")  # names for elements whose own are not known
# Stanford's names for relations that Universal Dependencies call otherwise.
_STANFORD = {
    "obj": "dobj",
    "obl": "prep",
    "nmod": "prep",
    "case": "pobj",
    "nsubj:pass": "nsubjpass",
    "aux:pass": "auxpass",
    "nmod:poss": "poss",
    "compound": "nn",
    "nummod": "num",
    "flat": "nn",
}
_ESCAPES = {"(": "-LRB-", ")": "-RRB-", '"': "''", "[": "-LSB-", "]": "-RSB-"}


def excerpt_of_conllu(path: Path, sentences: int) -> bytes:
    """The first sentences of a CoNLL-U file, with their comments."""
    blocks = path.read_text(encoding="utf-8").strip().split("\n\n")[:sentences]
    return ("\n\n".join(blocks) + "\n\n").encode()


def parquet(table: pa.Table) -> bytes:
    """A table as the hub has it."""
    written = io.BytesIO()
    pq.write_table(table, written)
    return written.getvalue()


def glue_task(folder: Path, task: str, train: int, dev: int) -> Files:
    """The files of a task of GLUE: its parts, the unlabeled one too."""
    files = {}
    for file in sorted(folder.glob("*.parquet")):
        rows = _excerpt_of_task(pq.read_table(file), train if file.name.startswith("train") else dev)
        files[f"{task}/{file.name}"] = parquet(rows)
        if file.name.startswith("validation"):
            label = rows.schema.get_field_index("label")
            hidden = rows.set_column(label, rows.field(label), pa.array([-1] * rows.num_rows, rows.field(label).type))
            files[f"{task}/{file.name.replace('validation', 'test')}"] = parquet(hidden)
            if "_matched" in file.name:
                files[f"{task}/{file.name.replace('_matched', '_mismatched')}"] = parquet(rows)
    return files


def _excerpt_of_task(rows: pa.Table, number: int) -> pa.Table:
    """The first rows, and as many with a negation: analyses ask for attention to it in every task."""
    negated = [place for place, row in enumerate(rows.slice(0, 1000).to_pylist()) if _NEGATION.search(str(row))]
    return rows.take(sorted({*range(number // 2), *negated[: number // 2]}))


def wikitext(path: Path, articles: int) -> Files:
    """WikiText's raw variant, a row a line; it has no unknown words.

    Each article is two short sentences of a published one: even so, a thousand segments have to be made of them.
    """
    sentences = [line.replace("<unk>", "Smith").split(" . ") for line in running_text([path]) if line[:2] != " ="]
    pairs = [f"{first.strip()} . {second.strip()} ." for parts in sentences for first, second in pairwise(parts[:-1])]
    short = [pair for pair in pairs if _FEWEST <= len(pair.split()) <= _MOST][:articles]
    rows = [row for n, pair in enumerate(short) for row in (f" = Article {n} = \n", "", f" {pair} \n", "")]
    cuts = [0, len(rows) // 4, len(rows) // 2, len(rows)]
    names = ("test", "train", "validation")
    return {
        f"wikitext-2-raw-v1/{name}-00000-of-00001.parquet": parquet(pa.table({"text": rows[start:end]}))
        for name, start, end in zip(names, cuts, cuts[1:], strict=False)
    }


def zipped(files: Files) -> bytes:
    """A zip archive, with entries for the folders as well."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for folder in sorted({f"{parent}/" for name in files for parent in Path(name).parents} - {"./"}):
            archive.writestr(folder, b"")
        for name, content in files.items():
            archive.writestr(name, content)
    return written.getvalue()


def ontogum_archive(folder: Path, commit: str, documents: int) -> bytes:
    """The repository of GUM as GitHub packs it."""
    top = f"gum-{commit}"
    files = {f"{top}/README.md": b"# GUM", f"{top}/dep/GUM_academic_art.conllu": b"not read"}
    files |= {f"{top}/coref/ontogum/README.md": b"# OntoGUM", f"{top}/coref/ontogum/conll/a.conll": b"not read"}
    for file in spread(sorted(folder.glob("*.conllu")), documents):
        files[f"{top}/coref/ontogum/conllu/{file.name}"] = file.read_bytes()
    return zipped(files)


def spread(items: list, number: int) -> list:
    """Some of a list, from all over it."""
    return items[:: max(1, len(items) // number)][:number]


def framenet_archive(sentences: Path) -> bytes:
    """FrameNet as NLTK packs it, with the sentences of a file of JSON lines; a frame and a unit for each target."""
    framed = sorted(read_framed(sentences)[0], key=lambda one: one.text[slice(*one.target)].lower())
    units, sets = {}, {}
    for number, (target, group) in enumerate(groupby(framed, key=lambda one: one.text[slice(*one.target)].lower())):
        unit = (number + 100, f"{target}.v", f"Doing_{number % 30}")
        sets[unit[2]] = _PARTS[:1]
        units[unit] = [
            (
                one.text,
                [("Target", *one.target)],
                [(name, element.start, element.end) for name, element in zip(_PARTS, one.elements, strict=False)],
            )
            for one in group
        ]
    types = {frame: {name: "Peripheral" if name == "Manner" else "Core" for name in _PARTS} for frame in sets}
    with TemporaryDirectory() as folder:
        top = Path(folder)
        write_framenet(top / "framenet_v17", types, sets, units, {})
        (top / "framenet_v17" / "README.txt").write_text("FrameNet\n")
        return zipped({str(file.relative_to(top)): file.read_bytes() for file in top.rglob("*.*")})


def glove_of_gensim(path: Path) -> bytes:
    """Word vectors of 100 dimensions in word2vec's text format, gzipped; shorter ones have their numbers twice."""
    rows = [line.split(" ") for line in path.read_text(encoding="utf-8").splitlines()]
    lines = [f"{len(rows)} 100", *(" ".join([word, *(numbers * 2)[:100]]) for word, *numbers in rows)]
    return gzip.compress("\n".join([*lines, ""]).encode(), mtime=0)


def alignment_archive(folder: Path) -> bytes:
    """Hand-aligned sentences as they are packed, with files that nobody reads."""
    top = "German-English_WordAlignment"
    files = {f"{top}/{name}": (folder / name).read_bytes() for name in ("README", "test.de", "test.en", "de-en.wa")}
    return zipped(files | {f"{top}/de-en.ref.wa": b"1 1 1\n"})


# Licensed corpora, in the files that the README asks for.


def stanford_dependencies(path: Path, sentences: int) -> bytes:
    """Trees as Stanford Parser writes them with ``-conllx``: Penn Treebank's escapes, no lemmas."""
    blocks = []
    for sentence in islice(read_conllu(path)[0], sentences):
        rows = [
            (
                place,
                _ESCAPES.get(word.form, word.form),
                "_",
                word.xpos,
                word.xpos,
                "_",
                word.head,
                _stanford(word.relation),
            )
            for place, word in enumerate(sentence.words, start=1)
        ]
        blocks.append("\n".join("\t".join(map(str, (*row, "_", "_"))) for row in rows))
    return ("\n\n".join(blocks) + "\n\n").encode()


def _stanford(relation: str) -> str:
    return _STANFORD.get(relation) or _STANFORD.get(
        relation.split(":", maxsplit=1)[0], relation.split(":", maxsplit=1)[0]
    )


def conll2012(folder: Path, documents: int) -> Files:
    """Documents in the columns of CoNLL-2012, in folders by genre, and the same as annotated by programs."""
    files = {}
    for number, file in enumerate(spread(sorted(folder.glob("*.conllu")), documents)):
        (document,) = read_corefud(file)[0]
        name = f"data/english/annotations/nw/wsj/{number:02d}/wsj_{number:04d}"
        text = "\n".join(_columns(document, f"nw/wsj/{number:02d}/wsj_{number:04d}")).encode()
        files[f"{name}.v4_gold_conll"] = files[f"{name}.v4_auto_conll"] = text
    return files


def _columns(document: Document, name: str) -> Iterator[str]:
    yield f"#begin document ({name}); part 000"
    brackets = _brackets(document)
    chains = {chain: number for number, chain in enumerate(sorted({one.chain for one in document.mentions}))}
    start = 0
    for sentence in document.sentences:
        for place, (word, bit) in enumerate(zip(sentence.words, _parse_bits(sentence), strict=True)):
            marks = [form.format(chains[chain]) for form, chain in brackets.get(start + place, [])]
            columns = (name, 0, place, word.form.replace(" ", ""), word.xpos, bit, word.lemma.replace(" ", "") or "-")
            yield "   ".join(map(str, (*columns, "-", "-", "-", "*", "*", "|".join(marks) or "-")))
        yield ""
        start += len(sentence.words)
    yield "#end document\n"


def _parse_bits(sentence: Sentence) -> list[str]:
    bits = ["*"] * len(sentence.words)
    bits[0] = "(TOP(S" + bits[0]
    bits[-1] += "))"
    return bits


def _brackets(document: Document) -> dict[int, list[tuple[str, str]]]:
    """Forms of brackets with their chains, by word."""
    brackets: dict[int, list[tuple[str, str]]] = {}
    for mention in document.mentions:
        first, last = mention.words[0], mention.words[-1]
        if last - first + 1 != len(mention.words):  # OntoNotes has none in several pieces
            continue
        forms = [(first, "({})")] if first == last else [(first, "({}"), (last, "{})")]
        for place, form in forms:
            brackets.setdefault(place, []).append((form, mention.chain))
    return brackets


def rwth(folder: Path) -> Files:
    """RWTH's gold alignments: in Latin-1, words counted from 1, some links only possible, an empty line at the end."""
    links = (folder / "de-en.wa").read_text(encoding="utf-8").splitlines()
    texts = [(folder / f"test.{side}").read_text(encoding="utf-8-sig").splitlines() for side in ("de", "en")]
    rows = [_talp(line, *map(len, map(str.split, pair))) for line, *pair in zip(links, *texts, strict=True)]
    files = {"alignmentDeEn.talp": rows, "de": texts[0], "en": texts[1]}
    return {name: ("\n".join([*lines, "", ""])).encode("latin-1", "replace") for name, lines in files.items()}


def _talp(line: str, sources: int, targets: int) -> str:
    pairs = [tuple(map(int, link.split("-"))) for link in line.split()]
    kept = [(source, target) for source, target in pairs if source < sources and target < targets]
    return " ".join(
        f"{source + 1}{'p' if place % 5 == 4 else '-'}{target + 1}" for place, (source, target) in enumerate(kept)
    )


def running_text(paths: Iterable[Path]) -> list[str]:
    """The lines of text files."""
    return [line for path in paths for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
