import bz2
import gzip
import io
import os
import runpy
import struct
import subprocess
import sys
import tarfile
import zipfile
from time import process_time
from types import SimpleNamespace

import numpy as np
import pytest
from gensim.models import KeyedVectors

from bert_attention.corpora.conllu import write_conllu
from bert_attention.corpora.vectors import (
    check_known_words,
    embedding_matrix,
    load_vectors,
    running_words,
    save_glove,
    train_vectors,
)
from bert_attention.errors import InputError
from tests.conftest import ROOT
from tests.treebanks import tree

WORDS = ["the", ",", "straße", "日本"]
NUMBERS = np.array([[0.5, -1.25, 3], [1e-3, 0, 2], [-7, 8, 9], [4, 5, 6]], dtype=np.float32)
TEXT = "".join(f"{word} {' '.join(map(str, row))}\n" for word, row in zip(WORDS, NUMBERS.tolist(), strict=True))
BINARY = [word.encode() + b" " + row.tobytes() for word, row in zip(WORDS, NUMBERS, strict=True)]
FILES = {
    "glove.txt": TEXT.encode(),
    "word2vec.txt": f"4 3\n{TEXT}".encode(),
    "word2vec.bin": b"4 3\n" + b"".join(BINARY),
    "lines.bin": b"4 3\n" + b"\n".join([*BINARY, b""]),
    "spaced.txt": TEXT.replace("\n", " \r\n").encode(),
    "marked.txt": TEXT.encode("utf-8-sig"),
    "marked.w2v.txt": f"4 3\n{TEXT}".encode("utf-8-sig"),
}


def vectors_of(words, numbers):
    vectors = KeyedVectors(numbers.shape[1])
    vectors.add_vectors(words, numbers)
    return vectors


@pytest.mark.parametrize("name", FILES)
def test_every_format_is_recognized(tmp_path, name):
    for ending, compress in (("", bytes), (".gz", gzip.compress), (".bz2", bz2.compress)):
        path = tmp_path / f"{name}{ending}"
        path.write_bytes(compress(FILES[name]))
        vectors = load_vectors(path)
        assert vectors.index_to_key == WORDS
        np.testing.assert_array_equal(vectors.vectors, NUMBERS)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"a 1 2\nb 1\n", r"v.txt, line 2: has 1 numbers after the word, not 2"),
        (b"a\nb\n", r"v.txt, line 1: has 0 numbers after the word, not at least one"),
        (b"a\t1\t2\nb\t3\t4\n", r"v.txt, line 1: has 0 numbers after the word"),  # gensim itself reads these tables as
        (b"2 2\na\t1\t2\nb\t3\t4\n", r"v.txt, line 2: has 0 numbers after the word"),  # vectors without dimensions
        (b"a 1 2\nb 1 x\n", r"v.txt, line 2: could not convert string to float: 'x'"),
        (b"a 1 2\nb 1 nan\n", r"v.txt: the vector of 'b' holds a number that is not finite"),
        (b"3 2\na 1 2\nb 1 2\n", r"v.txt: has 2 words, but its first line says 3"),
        (b"\x00\x04\x95 no text", r"v.txt: holds no word vectors"),
        (FILES["word2vec.bin"][:-9], r"v.txt: cannot be read as word vectors"),
        (b"a 1 2\n\xe4 1 2\n", r"v.txt, line 2: 'utf-8' codec can't decode byte 0xe4"),
        (b"a 1 2\nb 1 2\na 3 4\n", "v.txt: has the word 'a' a second time in line 3"),
        (b"2 1\n" + 2 * (b"a " + np.float32(1.5).tobytes()), "v.txt: has a word twice"),
        (b"a 1 2\n 1 2\n", "v.txt: has the word '', which is empty"),
        (gzip.compress(FILES["word2vec.bin"], mtime=0), r"v.txt: cannot be read as word vectors"),
        (b"1000000000000 10\na \xff\x80", r"v.txt: cannot be read as word vectors \(MemoryError"),
        (FILES["glove.txt"], "v.gz: is not compressed, although its name ends in .gz"),
        (gzip.compress(FILES["word2vec.bin"], mtime=0)[:-12], r"v.gz: cannot be read \(Compressed"),
    ],
)
def test_the_error_names_a_bad_file(tmp_path, content, problem):
    path = tmp_path / problem.partition(":")[0].partition(",")[0]
    path.write_bytes(content)
    with pytest.raises(InputError, match=rf"{problem}.*\n  Remedy: "):
        load_vectors(path)


def zipped(content):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("glove.50d.txt", content)
    return file.getvalue()


def in_tar(content):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        member = tarfile.TarInfo("glove.50d.txt")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return file.getvalue()


def npy(numbers):
    file = io.BytesIO()
    np.save(file, numbers)
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "problem", "remedy"),
    [
        ("cc.en.bin", struct.pack("<14i", 793712314, 12, 10, *range(11)), "is a fastText model", "give the .vec file"),
        ("glove.zip", zipped(TEXT), "is a zip archive", "unpack it"),
        ("glove.tar.gz", gzip.compress(in_tar(TEXT.encode())), "is a tar archive", "unpack it"),
        ("word2vec.model", b"\x80\x04\x95\x10", "is a Python pickle", "save_word2vec_format"),
        ("mini.h5", b"\x89HDF\r\n\x1a\n", "is an HDF5 file", "save_word2vec_format"),
        ("w2v.npy", npy(NUMBERS), "is a NumPy array without words", "save_word2vec_format"),
        ("glove.txt", TEXT.encode("utf-16"), "is text in UTF-16", "iconv -f utf-16"),
    ],
)
def test_the_error_on_another_format_has_its_own_remedy(tmp_path, name, content, problem, remedy):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=rf"{name}: {problem}.*\n  Remedy: .*{remedy}"):
        load_vectors(tmp_path / name)


def test_running_text_is_split_into_words():
    words = "he did n't , at 3.5 km ! they 'll like u . s . ( 1,234,567 ) well - known “ ärger ”"
    assert running_words("He didn't, at 3.5 km! They'll like U.S. (1,234,567) well-known “Ärger”") == words.split()


def test_saved_vectors_are_read_back_to_five_decimals(tmp_path):
    save_glove(vectors_of(WORDS[:2], NUMBERS[:2] / 3), tmp_path / "v.txt")
    assert (tmp_path / "v.txt").read_text() == "the 0.16667 -0.41667 1.00000\n, 0.00033 0.00000 0.66667\n"
    for word in ("a 1", "a\tb", "\ufeffa", ""):
        with pytest.raises(ValueError, match="cannot be written"):
            save_glove(vectors_of([word], NUMBERS[:1]), tmp_path / "bad.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["v.txt"]


@pytest.mark.parametrize("header", ["", "5 3\n"])
@pytest.mark.parametrize("first", ["the", "as well as", "to you@host.org"])
def test_words_can_have_several_parts_as_in_glove_840b(tmp_path, header, first):
    path, words = tmp_path / "glove.txt", [first, ". . .", "cat", "dog", "bird"]
    path.write_text(header + "".join(f"{word} 0.{number} 0.5 6\n" for number, word in enumerate(words)))
    vectors = load_vectors(path)
    assert vectors.index_to_key == words
    np.testing.assert_allclose(vectors[". . ."], [0.1, 0.5, 6])
    save_glove(vectors, path)
    assert load_vectors(path).index_to_key == words


# Two sets of words that never occur together, trained in processes with different salts of Python's hashes.
PETS = ["The cat and the dog chase a mouse.", "A dog or a cat sleeps with the mouse.", "Cat, dog, mouse."]
STARS = ["Our sun, this moon, that planet rise.", "That moon orbits our planet near this sun.", "Sun moon planet!"]
SENTENCES = [*(PETS + STARS) * 60, "hapax"]
TRAIN = f"""
import sys
from bert_attention.corpora.vectors import save_glove, train_vectors
save_glove(train_vectors({SENTENCES}, 12, 3), sys.argv[1])
"""


def test_neighboring_words_get_similar_vectors_that_depend_only_on_the_seed(tmp_path):
    for seed in (3, 4):
        save_glove(train_vectors(SENTENCES, 12, seed), tmp_path / f"{seed}.txt")
    environment = os.environ | {"PYTHONHASHSEED": "1", "PYTHONPATH": str(ROOT / "workflow")}
    subprocess.run([sys.executable, "-c", TRAIN, tmp_path / "again.txt"], env=environment, check=True)
    saved = [(tmp_path / f"{name}.txt").read_text() for name in (3, "again", 4)]
    assert saved[0] == saved[1] != saved[2]
    vectors = load_vectors(tmp_path / "3.txt")
    assert "hapax" not in vectors
    for near, far in ((("cat", "dog"), "moon"), (("sun", "moon"), "dog")):
        assert vectors.similarity(*near) > vectors.similarity(near[0], far)
    with pytest.raises(InputError, match=r"no word occurs 3 times in its 1 sentences"):
        train_vectors(["Once upon a time"], 4, seed=0)


ENGLISH = [tree([2, 3, 0, 3], ["det", "nsubj", "root", "punct"], ["The", "cat", "sleeps", "."])]
GERMAN = [tree([2, 3, 0], forms=["Die", "Katze", "schläft"]), tree([2, 3, 0], forms=["Das", "Haus", "steht"])]
# Vectors of a part of the words, the words of the trees, and the share of these that is known.
KNOWN = [
    (["the", "cat", "."], ENGLISH, 2 / 3),
    (["die", "das", "Katze", "Haus", "schläft"], GERMAN, 5 / 6),
    (["Die", "Katze"], GERMAN, 1 / 3),
    (["."], [tree([0], ["punct"], ["."])], 1),
]


@pytest.mark.parametrize(("words", "trees", "share"), KNOWN)
def test_the_share_of_known_words_of_a_treebank(words, trees, share):
    assert check_known_words(vectors_of(words, np.ones((len(words), 3))), trees, "v.txt") == pytest.approx(share)


@pytest.mark.parametrize(
    ("words", "trees", "problem"),
    [
        (["/c/en/the", "/c/en/cat", "/c/en/sleeps", "."], ENGLISH, "0% .* are '/c/en/the', .* words are 'The', 'cat'"),
        (["Katze_NOUN", "Haus_NOUN", "die"], GERMAN, "17% .* are 'Katze_NOUN', .* words are 'Katze', 'schläft', 'Das'"),
    ],
)
def test_vectors_of_other_words_are_an_error(words, trees, problem):
    with pytest.raises(InputError, match=rf"v.txt: has vectors for {problem}.*\n  Remedy: .* without prefixes or tags"):
        check_known_words(vectors_of(words, np.ones((len(words), 3))), trees, "v.txt")


def test_vectors_without_a_word_of_the_treebank_are_an_error_in_the_workflow(tmp_path):
    (tmp_path / "v.txt").write_text("/c/en/the 1 2\n/c/en/cat 3 4\n")
    write_conllu(ENGLISH, tmp_path / "dev.conllu")
    main = runpy.run_path(str(ROOT / "workflow/scripts/corpora/vectors.py"))["main"]
    job = SimpleNamespace(
        input=SimpleNamespace(treebank=[tmp_path / "dev.conllu"]),
        params=SimpleNamespace(origin={"source": f"path:{tmp_path}/v.txt", "sha256": None}),
        output=[tmp_path / "out.txt"],
    )
    with pytest.raises(InputError, match=r"v.txt: has vectors for 0% of the words"):
        main(job)
    assert not (tmp_path / "out.txt").exists()


def test_words_are_looked_up_as_written_and_then_in_lower_case():
    words = vectors_of(["arm", "Arm", "katze"], NUMBERS[:3])
    matrix, known = embedding_matrix(words, ["Arm", "arm", "ARM", "Katze", "Haus"])
    np.testing.assert_array_equal(matrix, NUMBERS[[1, 0, 0, 2, 0]] * [[1], [1], [1], [1], [0]])
    assert known.tolist() == [True, True, True, True, False]


def test_rows_are_looked_up_in_lower_case_and_unknown_words_have_zeros():
    matrix, known = embedding_matrix(vectors_of(WORDS, NUMBERS), ["The", "unknown", "STRAßE", "the", ","])
    assert (matrix.dtype, known.dtype) == (np.float32, bool)
    np.testing.assert_array_equal(matrix, [NUMBERS[0], np.zeros(3), NUMBERS[2], NUMBERS[0], NUMBERS[1]])
    assert known.tolist() == [True, False, True, True, True]


def test_real_glove_vectors(real_data):
    (path,) = real_data("glove").glob("*.txt")
    vectors = load_vectors(path)
    assert vectors.vectors.shape in ((5050, 50), (5050, 100))
    word, *numbers = path.read_text(encoding="utf-8").splitlines()[0].split(" ")
    np.testing.assert_allclose(vectors[word], list(map(float, numbers)), rtol=1e-6)
    assert "queen" in dict(vectors.most_similar("king", topn=2))


def test_an_endless_gzipped_line_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr("bert_attention.corpora.vectors.LONGEST_LINE", 1 << 20)
    (tmp_path / "v.gz").write_bytes(gzip.compress(b"a " + b"1" * (1 << 22)))
    with pytest.raises(InputError, match="line 1: has more than 1 MB"):
        load_vectors(tmp_path / "v.gz")


@pytest.mark.parametrize("content", [b"a 1 2\nb 1 2\n\n", b"\n2 2\na 1 2\n \r\nb 1 2\n\n\n"[1:]])
def test_blank_lines_are_skipped(tmp_path, content):
    (tmp_path / "v.txt").write_bytes(content)
    assert load_vectors(tmp_path / "v.txt").vectors.tolist() == [[1, 2], [1, 2]]


@pytest.mark.parametrize("word", ["a " + "9" * 60_000 + "x", "a ." + "9" * 60_000 + "x"])
def test_words_of_digits_take_linear_time(tmp_path, word):
    (tmp_path / "v.txt").write_text(f"b 1 2\nc 1 2\n{word} 1 2\n")
    started = process_time()
    assert len(load_vectors(tmp_path / "v.txt").vectors) == 3
    assert process_time() - started < 2
