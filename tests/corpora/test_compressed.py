"""Files in other encodings, archives and documents, given to every reader of text."""

import bz2
import csv
import gzip
import io
import lzma
import os
import re
import tarfile
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bert_attention.corpora.alignments import read_alignments
from bert_attention.corpora.compressed import files_of, text_lines
from bert_attention.corpora.conll2012 import read_conll2012
from bert_attention.corpora.conllu import read_conllu
from bert_attention.corpora.corefud import read_corefud
from bert_attention.corpora.frames import read_framed
from bert_attention.corpora.glue import read_labeled_lines
from bert_attention.corpora.jsonlines import read_articles
from bert_attention.corpora.pattern_annotations import read_labels
from bert_attention.corpora.rated_texts import is_rated_texts, read_rated_texts
from bert_attention.corpora.running_text import read_running_text
from bert_attention.corpora.token_frequency import read_token_counts
from bert_attention.errors import InputError
from tests.annotated_maps import small_maps

TREE = "1\tCafés\tcafé\tNOUN\tNNS\t_\t2\tnsubj\t_\tEntity=(1)\n2\tclose\tclose\tVERB\tVBP\t_\t0\troot\t_\t_\n\n"
CONLL2012 = "#begin document (own); part 000\nown 0 0 Cafés NNS (TOP(NP*)) - - - - * -\n\n#end document\n"
LABELED = "".join(f"__label__{label} café {label} {number}\n" for label in ("pos", "neg") for number in range(4))
RATED = "".join(f"{number}\t{number / 2}\tcafé {number}\n" for number in range(1, 8))


def read_pairs(path, encoding="utf-8"):
    return read_alignments(path, path, path.with_name("links.txt"), encoding=encoding)


def read_ratings(path):
    assert is_rated_texts(path)
    return read_rated_texts(path, "tweets", 1)


# Readers, each with the text of a file that it reads.
READERS = {
    "running text": (
        lambda path: list(read_running_text(path)[0]),
        "The cafés close early. Nobody knows the reason.\n" * 9,
    ),
    "CoNLL-U": (read_conllu, TREE),
    "CoNLL-2012": (read_conll2012, CONLL2012),
    "CorefUD": (read_corefud, TREE),
    "articles": (read_articles, '{"title": "É", "paragraphs": [["Cafés close."]]}\n'),
    "frames": (read_framed, '{"text": "Cafés close", "target": "close", "elements": []}\n'),
    "counts": (read_token_counts, "1 9 5\n2 3 7\n"),
    "alignments": (read_pairs, "Cafés close .\n"),
    "labeled lines": (lambda path: read_labeled_lines(path, "sst2", 1), LABELED),
    "rated texts": (read_ratings, RATED),
    "labels": (lambda path: read_labels(path, small_maps(2)), "map,pattern,note\n1,block,é\n2,vertical,é\n"),
}


def zipped(text, name="text.txt"):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, text)
    return content.getvalue()


def tarred(text):
    content, data = io.BytesIO(), text.encode()
    with tarfile.open(fileobj=content, mode="w") as archive:
        member = tarfile.TarInfo("text.txt")
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    return content.getvalue()


def parquet(text):
    content = io.BytesIO()
    pq.write_table(pa.table({"words": [text]}), content)
    return content.getvalue()


def utf16(text):
    return text.encode("utf-16")


# Contents of a text's file, each with the problem and a part of the remedy.
WRONG = {
    "utf-16": (utf16, "is text in UTF-16, not in UTF-8", "iconv -f utf-16 -t utf-8 FILE > FILE.utf8"),
    "utf-16be": (
        lambda text: text.encode("utf-16be"),
        "is text in UTF-16BE, not in UTF-8",
        "iconv -f utf-16be -t utf-8",
    ),
    "utf-16le": (
        lambda text: text.encode("utf-16le"),
        "is text in UTF-16LE, not in UTF-8",
        "iconv -f utf-16le -t utf-8",
    ),
    "utf-32": (lambda text: text.encode("utf-32"), "is text in UTF-32, not in UTF-8", "iconv -f utf-32 -t utf-8"),
    "zip": (zipped, "is a zip archive", "give the file inside: unzip FILE"),
    "docx": (
        lambda text: zipped(text, "[Content_Types].xml"),
        "is a document of an office program",
        "save it as plain text",
    ),
    "epub": (
        lambda text: zipped(text, "mimetypeapplication/epub+zip"),
        "is a document of an office program",
        "save it",
    ),
    "tar": (tarred, "is a tar archive", "give the file inside: tar -xf FILE"),
    "tgz": (lambda text: gzip.compress(tarred(text)), "is a tar archive", "tar -xf FILE"),
    "txz": (lambda text: lzma.compress(tarred(text)), "is a tar archive", "tar -xf FILE"),
    "7z": (lambda text: b"7z\xbc\xaf\x27\x1c" + text.encode(), "is a 7z archive", "7z x FILE"),
    "pdf": (lambda text: b"%PDF-1.7\n" + text.encode(), "is a PDF", "pdftotext FILE"),
    "lz4": (
        lambda text: b"\x04\x22\x4d\x18" + text.encode(),
        "is compressed with lz4",
        "compress it as .gz, .bz2, .xz, .zst",
    ),
    "zeros": (lambda text: text.encode() + bytes(9), "is not text in UTF-8: it has bytes that are zero", "in UTF-8"),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", WRONG)
def test_the_error_of_every_reader_names_content_that_is_not_utf8(tmp_path, reader, kind):
    read, text = READERS[reader]
    encode, problem, remedy = WRONG[kind]
    (tmp_path / "links.txt").write_text("0-0\n")
    (tmp_path / "file").write_bytes(encode(text))
    with pytest.raises(InputError, match=rf"file: {re.escape(problem)}.*\n  Remedy: .*{re.escape(remedy)}"):
        read(tmp_path / "file")


@pytest.mark.parametrize("reader", [name for name in READERS if name != "running text"])
def test_a_parquet_file_is_not_text(tmp_path, reader):
    read, text = READERS[reader]
    (tmp_path / "links.txt").write_text("0-0\n")
    (tmp_path / "file").write_bytes(parquet(text))
    with pytest.raises(InputError, match="file: is a Parquet file"):
        read(tmp_path / "file")


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz", ".zst"])
def test_every_reader_decompresses(tmp_path, reader, ending):
    read, text = READERS[reader]
    compress = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
    compress[".zst"] = lambda content: pa.compress(content, codec="zstd", asbytes=True)
    (tmp_path / "links.txt").write_text("0-0\n")
    (tmp_path / "file.txt").write_text(text, encoding="utf-8")
    (tmp_path / f"file.txt{ending}").write_bytes(compress[ending](text.encode()))
    assert read(tmp_path / f"file.txt{ending}") == read(tmp_path / "file.txt")
    (tmp_path / f"file.txt{ending}").write_bytes(compress[ending](text.encode())[:-5])
    with pytest.raises(InputError, match=rf"file.txt{ending}: cannot be read \("):
        read(tmp_path / f"file.txt{ending}")


def test_the_command_for_utf16_decompresses_first(tmp_path):
    (tmp_path / "trees.conllu.xz").write_bytes(lzma.compress(TREE.encode("utf-16")))
    with pytest.raises(InputError, match=r"xz -dc FILE \| iconv -f utf-16 -t utf-8 > FILE.utf8"):
        read_conllu(tmp_path / "trees.conllu.xz")


def test_lines_have_no_line_ends_and_no_byte_order_mark(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_bytes("one\r\n\ufefftwo\n".encode("utf-8-sig"))
    assert list(text_lines(path)) == [(1, "one"), (2, "\ufefftwo")]


@pytest.mark.parametrize(
    ("compress", "ending", "remedy"),
    [(bytes, "", "iconv -f latin1 .* FILE >"), (gzip.compress, ".gz", r"gzip -dc FILE \|")],
)
def test_an_error_names_the_line_and_byte_that_is_not_utf8(tmp_path, compress, ending, remedy):
    path = tmp_path / f"latin1.txt{ending}"
    path.write_bytes(compress("first\nzweit \xe4\n".encode("latin1")))
    with pytest.raises(
        InputError, match=rf"{ending}, line 2: byte 0xe4 at column 7 is not UTF-8\n  Remedy: .*{remedy}"
    ):
        list(text_lines(path))


@pytest.mark.parametrize(
    ("encoding", "compress"), [("utf-16", bytes), ("utf-16", gzip.compress), ("latin-1", lzma.compress)]
)
def test_alignments_in_a_named_encoding_may_be_compressed(tmp_path, encoding, compress):
    for name, text in (("file", "Cafés close .\n"), ("links.txt", "0-0\n")):
        (tmp_path / name).write_bytes(compress(text.encode(encoding)))
    (pair,), _ = read_pairs(tmp_path / "file", encoding)
    assert pair.source == ("Cafés", "close", ".")


def test_labels_with_line_ends_inside_a_note_are_read(tmp_path):
    with open(tmp_path / "labels.csv", "w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows([("map", "pattern", "note"), (1, "block", "two\nlines"), (2, "vertical", "")])
    assert read_labels(tmp_path / "labels.csv", small_maps(2)) == {1: "block", 2: "vertical"}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", ["pipe", "zero\0byte", "half\ud800"])
def test_no_reader_opens_a_pipe_or_an_impossible_name(tmp_path, reader, name):
    (tmp_path / "links.txt").write_text("0-0\n")
    if name == "pipe":
        os.mkfifo(tmp_path / name)
    with pytest.raises(InputError, match=r"(pipe: is neither a file nor a folder|has a character that no path can)"):
        READERS[reader][0](tmp_path / name)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("line_end", ["\r", "\r\n"])
def test_line_ends_of_other_systems_change_nothing(tmp_path, reader, line_end):
    read, text = READERS[reader]
    (tmp_path / "links.txt").write_text("0-0\n")
    (tmp_path / "file").write_text(text, encoding="utf-8")
    expected = read(tmp_path / "file")
    (tmp_path / "file").write_text(text.replace("\n", line_end), encoding="utf-8", newline="")
    assert read(tmp_path / "file") == expected


@pytest.mark.parametrize("compress", [bytes, gzip.compress, lzma.compress])
@pytest.mark.parametrize("before", [10, 1000])
def test_zeros_are_refused_wherever_they_are(tmp_path, compress, before):
    (tmp_path / "file").write_bytes(compress(b"A line.\n" * before + b"a \0 b\n"))
    with pytest.raises(InputError, match="is not text in UTF-8: it has bytes that are zero"):
        list(text_lines(tmp_path / "file"))


def test_only_a_file_without_line_feeds_is_read_as_of_an_old_mac(tmp_path):
    long = "x" * 70_000
    for content, lines in ((f"{long}\r\n{long}\ra\n", [long, f"{long}\ra"]), (f"a\r{long}\rb", ["a", long, "b"])):
        (tmp_path / "file").write_text(content, newline="")
        assert [line for _, line in text_lines(tmp_path / "file")] == lines


def test_files_of_a_folder_are_each_read_once(tmp_path):
    for name in ("b.txt.gz", "a.txt", "a.txt~", "a.txt.bak", ".c.txt", "d.txt.orig"):
        (tmp_path / name).write_text("")
    assert files_of(tmp_path, ".txt") == files_of(tmp_path / "*", ".txt") == [tmp_path / "a.txt", tmp_path / "b.txt.gz"]
    with pytest.raises(InputError, match=r"holds no file \*.conllu, only a.txt, "):
        files_of(tmp_path, ".conllu")
    for same in ("a.txt.gz", "b.txt"):
        (tmp_path / same).write_text("")
        with pytest.raises(InputError, match=rf"holds {same[0]}.txt and {same[0]}.txt.gz, which would be read as two"):
            files_of(tmp_path, ".txt")
        (tmp_path / same).unlink()
    with pytest.raises(InputError, match=r"a\.txt twice"):
        files_of([tmp_path / "a.txt", tmp_path], ".txt")
