import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bert_attention.corpora.glue import read_task
from bert_attention.corpora.parquet_rows import BYTES, TEXT, WHOLE_NUMBERS, Limit, parquet_rows
from bert_attention.corpora.running_text import read_running_text
from bert_attention.errors import InputError

SMALL = Limit(rows=1000, size=1_000_000)


def repeated(value, rows):
    """Column that holds one value many times; a file stores the value once."""
    return pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), rows), pa.array([value]))


def write(path, columns, **options):
    pq.write_table(pa.table(columns), path, **options)
    return path


def rows(path, limit=SMALL, **kinds):
    return list(parquet_rows(path, kinds, limit, "give another"))


@pytest.mark.parametrize("encode", [lambda column: column, lambda column: column.dictionary_encode()])
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_values_come_in_the_order_of_the_kinds(tmp_path, encode, kind):
    texts = encode(pa.array(["a", None, "b é", "a"], kind))
    path = write(tmp_path / "t.parquet", {"n": [1, 2, None, 4], "other": [[1]] * 4, "t": texts})
    assert rows(path, t=TEXT, n=WHOLE_NUMBERS) == [("a", 1), (None, 2), ("b é", None), ("a", 4)]
    many = [f"{number % 7}" for number in range(900)]  # each group of rows has a dictionary of its own
    write(path, {"t": encode(pa.array(many, kind))}, row_group_size=100)
    assert [row for (row,) in rows(path, t=TEXT)] == many


@pytest.mark.parametrize(
    ("column", "kind", "problem"),
    [
        ([1, 2], TEXT, "its column c holds int64, not text"),
        (pa.array([1, 2]).dictionary_encode(), TEXT, "its column c holds int64, not text"),
        (["a"], BYTES, "its column c holds string, not bytes"),
        ([0.5], WHOLE_NUMBERS, "its column c holds double, not whole numbers"),
    ],
)
def test_the_error_names_a_column_of_another_kind(tmp_path, column, kind, problem):
    with pytest.raises(InputError, match=f"t.parquet: {problem}"):
        rows(write(tmp_path / "t.parquet", {"c": column}), c=kind)


def test_the_error_names_a_missing_or_duplicate_column_or_another_format(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table([["a"], ["b"]], names=["c", "c"]), path)
    with pytest.raises(InputError, match=r"t.parquet: has more than one column c\n  Remedy: give another"):
        rows(path, c=TEXT)
    with pytest.raises(InputError, match=r"t.parquet: has no column d; its columns are c, c\n  Remedy"):
        rows(path, d=TEXT)
    for damage in (lambda: path.write_text("c,d"), lambda: write(path, {"c": pa.array([b"\xff"]).view(pa.string())})):
        damage()
        with pytest.raises(InputError, match=r"t.parquet: is not a readable Parquet file"):
            rows(path, c=TEXT)


@pytest.mark.parametrize(
    ("column", "problem"),
    [
        (lambda: repeated("a", 1_000_000), "has 1000000 rows; the maximum is 1000"),
        (lambda: ["a" * 20_000_000], "has more than 0.001 GB"),
        (lambda: repeated("word " * 2000, 900), "has more than 0.001 GB, counting repeated texts in every row"),
    ],
)
def test_a_larger_file_than_allowed_is_an_error(tmp_path, column, problem):
    path = write(tmp_path / "t.parquet", {"t": column()}, compression="zstd")
    assert path.stat().st_size < 20_000
    with pytest.raises(InputError, match=f"t.parquet: {problem}"):
        rows(path, t=TEXT)


def test_a_line_that_many_rows_share_is_an_error_if_it_is_too_long(tmp_path):
    path = write(tmp_path / "t.parquet", {"text": repeated("word " * 200_000, 300)})
    with pytest.raises(InputError, match=r"of more than 50000 characters \(300\)"):
        list(read_running_text(path)[0])


def test_all_shards_of_a_split_share_one_limit(tmp_path, monkeypatch):
    monkeypatch.setattr("bert_attention.corpora.glue.LARGEST_SPLIT", Limit(rows=5, size=1000))
    for shard in range(2):
        write(tmp_path / f"train-0000{shard}-of-00002.parquet", {"sentence": ["a"] * 3, "label": [0] * 3})
    with pytest.raises(InputError, match="the shards of the split train have more than 5 rows"):
        read_task(tmp_path, "sst2")


@pytest.mark.parametrize("texts", [["a", None, "b é"], ["A long text that is not inlined in its view. " * 3]])
def test_views_of_strings_are_text(tmp_path, texts):
    path = tmp_path / "views.parquet"
    pq.write_table(pa.table({"t": pa.array(texts, pa.string_view())}), path)
    assert rows(path, t=TEXT) == [(text,) for text in texts]
