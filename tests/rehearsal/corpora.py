"""Corpora in their publishers' layout and format: excerpts of real corpora, or corpora made for the tests."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterable
from itertools import groupby, islice, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq

from bert_attention.corpora.conllu import read_conllu
from bert_attention.corpora.corefud import read_corefud
from bert_attention.corpora.frames import read_framed
from bert_attention.corpora.types import Document
from tests.corpora.framenet_files import write_framenet

Files = dict[str, bytes]

_NEGATION = re.compile(r"\b(?:not|never|no)\b|n't\b")
_PARTS = ("Doer", "Deed", "Thing", "Reason", "Manner")  # names for frame elements
# Stanford's names for relations of Universal Dependencies.
_STANFORD = {"obj": "dobj", "obl": "prep", "nmod": "prep", "case": "pobj", "compound": "nn", "nummod": "num"}
_STANFORD |= {"nsubj:pass": "nsubjpass", "aux:pass": "auxpass", "nmod:poss": "poss", "flat": "nn"}
_ESCAPES = {"(": "-LRB-", ")": "-RRB-", '"': "''", "[": "-LSB-", "]": "-RSB-"}


def excerpt_of_conllu(path: Path, sentences: int) -> bytes:
    """The first sentences of a CoNLL-U file, with their comments."""
    blocks = path.read_text(encoding="utf-8").strip().split("\n\n")[:sentences]
    return ("\n\n".join(blocks) + "\n\n").encode()


def parquet(table: pa.Table) -> bytes:
    """A Parquet file as on the hub."""
    written = io.BytesIO()
    pq.write_table(table, written)
    return written.getvalue()


def glue_task(folder: Path, task: str, train: int, dev: int) -> Files:
    """The files of a task of GLUE, with the unlabeled part."""
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
    """The first rows, and as many rows with a negation: analyses read attention to negations in every task."""
    negated = [index for index, row in enumerate(rows.slice(0, 1000).to_pylist()) if _NEGATION.search(str(row))]
    return rows.take(sorted({*range(number // 2), *negated[: number // 2]}))


def wikitext(path: Path, articles: int) -> Files:
    """WikiText's raw variant, a row per line, without unknown words.

    Each article is two short sentences of a published article, so that many segments can be made of a small corpus.
    """
    sentences = [line.replace("<unk>", "Smith").split(" . ") for line in running_text([path]) if line[:2] != " ="]
    pairs = [f"{first.strip()} . {second.strip()} ." for parts in sentences for first, second in pairwise(parts[:-1])]
    short = [pair for pair in pairs if 12 <= len(pair.split()) <= 40][:articles]
    rows = [row for n, pair in enumerate(short) for row in (f" = Article {n} = \n", "", f" {pair} \n", "")]
    cuts = [0, len(rows) // 4, len(rows) // 2, len(rows)]
    return {
        f"wikitext-2-raw-v1/{name}-00000-of-00001.parquet": parquet(pa.table({"text": rows[start:end]}))
        for name, (start, end) in zip(("test", "train", "validation"), pairwise(cuts), strict=True)
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
    """Some items from all over a list."""
    return items[:: max(1, len(items) // number)][:number]


def framenet_archive(sentences: Path) -> bytes:
    """FrameNet as NLTK packs it, with the sentences of a JSON Lines file, and a frame and a unit for each target."""
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
    """Gzipped word vectors of 100 dimensions in word2vec's text format; shorter vectors have their numbers twice."""
    rows = [line.split(" ") for line in path.read_text(encoding="utf-8").splitlines()]
    lines = [f"{len(rows)} 100", *(" ".join([word, *(numbers * 2)[:100]]) for word, *numbers in rows)]
    return gzip.compress("\n".join([*lines, ""]).encode(), mtime=0)


def alignment_archive(folder: Path) -> bytes:
    """Hand-aligned sentences as they are packed, with files that no reader needs."""
    top = "German-English_WordAlignment"
    files = {f"{top}/{name}": (folder / name).read_bytes() for name in ("README", "test.de", "test.en", "de-en.wa")}
    return zipped(files | {f"{top}/de-en.ref.wa": b"1 1 1\n"})


# Licensed corpora, in the files that the README asks for.


def stanford_dependencies(path: Path, sentences: int) -> bytes:
    """Trees as Stanford Parser writes them with ``-conllx``: Penn Treebank's escapes, no lemmas."""
    text = ""
    for sentence in islice(read_conllu(path)[0], sentences):
        for number, word in enumerate(sentence.words, start=1):
            base = word.relation.partition(":")[0]
            relation = _STANFORD.get(word.relation) or _STANFORD.get(base, base)
            form = _ESCAPES.get(word.form, word.form)
            text += f"{number}\t{form}\t_\t{word.xpos}\t{word.xpos}\t_\t{word.head}\t{relation}\t_\t_\n"
        text += "\n"
    return text.encode()


def conll2012(folder: Path, documents: int) -> Files:
    """Documents in the columns of CoNLL-2012, in folders by genre, and the same as annotated by programs."""
    files = {}
    for number, file in enumerate(spread(sorted(folder.glob("*.conllu")), documents)):
        (document,) = read_corefud(file)[0]
        name = f"data/english/annotations/nw/wsj/{number:02d}/wsj_{number:04d}"
        text = _columns(document, f"nw/wsj/{number:02d}/wsj_{number:04d}").encode()
        files[f"{name}.v4_gold_conll"] = files[f"{name}.v4_auto_conll"] = text
    return files


def _columns(document: Document, name: str) -> str:
    chains = {chain: number for number, chain in enumerate(sorted({mention.chain for mention in document.mentions}))}
    brackets = defaultdict(list)
    for mention in document.mentions:
        first, last, chain = mention.words[0], mention.words[-1], chains[mention.chain]
        if last - first + 1 != len(mention.words):  # OntoNotes has no mentions in several pieces
            continue
        for index, form in [(first, f"({chain})")] if first == last else [(first, f"({chain}"), (last, f"{chain})")]:
            brackets[index].append(form)
    lines, start = [f"#begin document ({name}); part 000"], 0
    for sentence in document.sentences:
        size = len(sentence.words)
        for index, word in enumerate(sentence.words):
            parse = ("(TOP(S" if index == 0 else "") + "*" + ("))" if index == size - 1 else "")
            form, lemma = word.form.replace(" ", ""), word.lemma.replace(" ", "") or "-"
            marks = "|".join(brackets[start + index]) or "-"
            columns = (name, 0, index, form, word.xpos, parse, lemma, "-", "-", "-", "*", "*", marks)
            lines.append("   ".join(map(str, columns)))
        lines.append("")
        start += size
    return "\n".join([*lines, "#end document\n"])


def rwth(folder: Path) -> Files:
    """RWTH's gold alignments: in Latin-1, words counted from 1, some links only possible, an empty line at the end."""
    links = (folder / "de-en.wa").read_text(encoding="utf-8").splitlines()
    texts = [(folder / f"test.{side}").read_text(encoding="utf-8-sig").splitlines() for side in ("de", "en")]
    rows = []
    for line, *pair in zip(links, *texts, strict=True):
        sizes = [len(text.split()) for text in pair]
        found = [tuple(map(int, link.split("-"))) for link in line.split()]
        kept = [(source, target) for source, target in found if source < sizes[0] and target < sizes[1]]
        marks = ["-"] * 4 + ["p"]  # every fifth link is only possible
        rows.append(" ".join(f"{s + 1}{marks[number % 5]}{t + 1}" for number, (s, t) in enumerate(kept)))
    files = {"alignmentDeEn.talp": rows, "de": texts[0], "en": texts[1]}
    return {name: ("\n".join([*lines, "", ""])).encode("latin-1", "replace") for name, lines in files.items()}


def running_text(paths: Iterable[Path]) -> list[str]:
    """The lines of text files."""
    return [line for path in paths for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
