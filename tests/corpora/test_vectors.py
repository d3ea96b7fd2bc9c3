import gzip
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors

import bert_attention
from bert_attention.corpora.vectors import embedding_matrix, load_vectors, running_words, save_glove, train_vectors
from bert_attention.errors import InputError

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
@pytest.mark.parametrize("zipped", [False, True])
def test_every_format_is_recognized(tmp_path, name, zipped):
    path = tmp_path / (f"{name}.gz" if zipped else name)
    path.write_bytes(gzip.compress(FILES[name]) if zipped else FILES[name])
    vectors = load_vectors(path)
    assert vectors.index_to_key == WORDS
    np.testing.assert_array_equal(vectors.vectors, NUMBERS)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"a 1 2\nb 1 2 3\n", r"v.txt, line 2: has 3 numbers after the word, not 2"),
        (b"a 1 2\nb 1\n", r"v.txt, line 2: has 1 numbers after the word, not 2"),
        (b"2 3\na 1 2 3\nb 1 2\n", r"v.txt, line 3: has 2 numbers after the word, not 3"),
        (b"a\nb\n", r"v.txt, line 1: has 0 numbers after the word, not at least one"),
        (b"a 1 2\n\n", r"v.txt, line 2: has 0 numbers after the word, not 2"),
        (b"a 1 2\nb 1 x\n", r"v.txt, line 2: could not convert string to float: 'x'"),
        (b"2 2\na 1 2\nb y 2\n", r"v.txt, line 3: could not convert string to float: 'y'"),
        (b"a 1 2\nb 1 nan\n", r"v.txt: the vector of 'b' holds a number that is not finite"),
        (b"3 2\na 1 2\nb 1 2\n", r"v.txt: has 2 words, but its first line says 3"),
        (b"1 2\na 1 2\nb 1 2\n", r"v.txt: has 2 words, but its first line says 1"),
        (b"", r"v.txt: holds no word vectors"),
        (b"2 3\n", r"v.txt: holds no word vectors"),
        (b"\x80\x04\x95 no text", r"v.txt: holds no word vectors"),
        (b"a\x00b 1 2\n", r"v.txt: holds no word vectors"),
        (FILES["word2vec.bin"][:-9], r"v.txt: cannot be read as word vectors"),
        (b"a 1 2\n\xe4 1 2\n", r"v.txt, line 2: 'utf-8' codec can't decode byte 0xe4"),
        (gzip.compress(FILES["glove.txt"], mtime=0), r"v.txt: is gzipped, but its name does not end in .gz"),
        (b"a 1 2\nb 1 2\na 3 4\n", "v.txt: has the word 'a' a second time in line 3"),
        (b"3 2\na 1 2\nb 1 2\na 3 4\n", "v.txt: has the word 'a' a second time in line 4"),
        (b"2 1\n" + 2 * (b"a " + np.float32(1.5).tobytes()), "v.txt: has a word twice"),
        (b"a 1 2\n 1 2\n", "v.txt: has the word '', which is empty"),
        (
            b"100000000 10000\na \xff\x80\x01\x02",
            "v.txt: has 100000000 words of 10000 numbers according to its first line",
        ),
        (b"1 2\na " + bytes(100_000), "v.txt: has 1 words of 2 numbers according to its first line"),
        (b"the 1 2 3\ncat 1 2 3\ndog 1 2\n", "v.txt, line 3: has 2 numbers after the word, not 3"),
        (b"the 1 2 3\ncat 1 2 3\ndog 1 2 3 4\n", "v.txt, line 3: has 4 numbers after the word, not 3"),
        (FILES["glove.txt"], "v.gz: is not gzipped, but its name does end in .gz"),
        (gzip.compress(FILES["word2vec.bin"], mtime=0)[:-12], r"v.gz: cannot be read as word vectors \(Compressed"),
    ],
)
def test_a_bad_file_is_named(tmp_path, content, problem):
    path = tmp_path / problem.partition(":")[0].partition(",")[0]
    path.write_bytes(content)
    with pytest.raises(InputError, match=rf"{problem}.*\n  Remedy: "):
        load_vectors(path)


def test_what_is_saved_is_read_back_to_five_decimals(tmp_path):
    numbers = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
    save_glove(vectors_of(WORDS[:2], NUMBERS[:2] / 3), tmp_path / "v.txt")
    assert (tmp_path / "v.txt").read_text() == "the 0.16667 -0.41667 1.00000\n, 0.00033 0.00000 0.66667\n"
    save_glove(vectors_of([". . .", *WORDS[1:]], numbers), tmp_path / "v.txt")  # GloVe 840B has words of several parts
    assert load_vectors(tmp_path / "v.txt").index_to_key == [". . .", *WORDS[1:]]
    save_glove(vectors_of(WORDS, numbers), tmp_path / "new" / "v.txt")
    vectors = load_vectors(tmp_path / "new" / "v.txt")
    assert vectors.index_to_key == WORDS
    np.testing.assert_allclose(vectors.vectors, numbers, atol=5.1e-6)


@pytest.mark.parametrize("word", ["a 1", "a\tb", "\ufeffa", ""])
def test_a_word_that_cannot_be_read_back_is_not_saved(tmp_path, word):
    with pytest.raises(ValueError, match="cannot be written"):
        save_glove(vectors_of([word], NUMBERS[:1]), tmp_path / "v.txt")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("He didn't, at 3.5 km!", "he did n't , at 3.5 km !"),
        ("The dog's bone; they'll go.", "the dog 's bone ; they 'll go ."),
        ("U.S. (1,234,567) well-known “Ärger”", "u . s . ( 1,234,567 ) well - known “ ärger ”"),
        ("can't won't", "ca n't wo n't"),
        ("", ""),
    ],
)
def test_words_of_running_text(text, words):
    assert running_words(text) == words.split()


# Two sets of words that never occur together.
PETS = ["The cat and the dog chase a mouse.", "A dog or a cat sleeps with the mouse.", "Cat, dog, mouse."]
STARS = ["Our sun, this moon, that planet rise.", "That moon orbits our planet near this sun.", "Sun moon planet!"]


@pytest.fixture(scope="module")
def trained():
    sentences = [sentence for pair in zip(PETS, STARS, strict=True) for sentence in pair] * 60
    return train_vectors(sentences, 12, seed=3), sentences


def test_words_that_stand_together_are_near_and_the_seed_decides_alone(trained):
    vectors, sentences = trained
    assert vectors.vectors.shape == (len(vectors), 12)
    for near, far in ((("cat", "dog"), "moon"), (("sun", "moon"), "dog")):
        assert vectors.similarity(*near) > vectors.similarity(near[0], far)
    again, other = (train_vectors([*sentences, "hapax"], 12, seed=seed) for seed in (3, 4))
    np.testing.assert_array_equal(again.vectors, vectors.vectors)  # the rare word changes nothing
    assert not np.array_equal(other.vectors, vectors.vectors)
    counts = [again.get_vecattr(word, "count") for word in again.index_to_key]
    assert counts == sorted(counts, reverse=True)


def test_pythons_salted_hashes_change_nothing():
    code = (
        "import hashlib; from bert_attention.corpora.vectors import train_vectors\n"
        f"vectors = train_vectors({(PETS + STARS) * 20!r}, 8, seed=1)\n"
        "print(vectors.index_to_key, hashlib.sha256(vectors.vectors.tobytes()).hexdigest())"
    )
    library = str(Path(bert_attention.__file__).parents[1])
    printed = [
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": salt, "PYTHONPATH": library},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for salt in ("1", "2")
    ]
    assert "cat" in printed[0]
    assert printed[0] == printed[1]


def test_a_text_without_frequent_words_is_an_error():
    with pytest.raises(InputError, match=r"no word occurs 3 times in its 1 sentences"):
        train_vectors(["Once upon a time"], 4, seed=0)
    with pytest.raises(InputError, match=r"no word occurs 3 times in its 0 sentences"):
        train_vectors([], 4, seed=0)


def test_rows_are_looked_up_in_lower_case_and_unknown_words_have_zeros():
    matrix, known = embedding_matrix(vectors_of(WORDS, NUMBERS), ["The", "unknown", "STRAßE", "the", ","])
    assert (matrix.dtype, known.dtype) == (np.float32, bool)
    np.testing.assert_array_equal(matrix, [NUMBERS[0], np.zeros(3), NUMBERS[2], NUMBERS[0], NUMBERS[1]])
    assert known.tolist() == [True, False, True, True, True]
    matrix, known = embedding_matrix(vectors_of(WORDS, NUMBERS), [])
    assert (matrix.shape, known.shape) == ((0, 3), (0,))


def test_real_glove_vectors(real_data):
    (path,) = real_data("glove").glob("*.txt")
    vectors = load_vectors(path)
    assert vectors.vectors.shape in ((5050, 50), (5050, 100))
    line = path.read_text(encoding="utf-8").splitlines()[0].split(" ")
    assert vectors.index_to_key[0] == line[0] == "the"
    np.testing.assert_allclose(vectors["the"], [float(number) for number in line[1:]], rtol=1e-6)
    assert "queen" in dict(vectors.most_similar("king", topn=2))


def test_a_gzipped_line_without_end_is_not_held(tmp_path, monkeypatch):
    monkeypatch.setattr("bert_attention.corpora.vectors.LONGEST_LINE", 1 << 20)
    (tmp_path / "v.gz").write_bytes(gzip.compress(b"a " + b"1" * (1 << 22)))
    with pytest.raises(InputError, match="line 1: has more than 1 MB"):
        load_vectors(tmp_path / "v.gz")


@pytest.mark.parametrize("header", ["", "6 3\n"])
@pytest.mark.parametrize("first", ["the", "as well as", "to you@host.org"])
def test_words_of_several_parts_are_read_from_the_right(tmp_path, header, first):
    """GloVe 840B has them."""
    path, words = tmp_path / "glove.txt", [first, ". . .", "at name@domain.com", "cat", "dog", "bird"]
    path.write_text(header + "".join(f"{word} 0.{place} 0.5 6\n" for place, word in enumerate(words)))
    vectors = load_vectors(path)
    assert vectors.index_to_key == words
    np.testing.assert_allclose(vectors[". . ."], [0.1, 0.5, 6])
    save_glove(vectors, tmp_path / "again.txt")
    assert load_vectors(tmp_path / "again.txt").index_to_key == vectors.index_to_key
