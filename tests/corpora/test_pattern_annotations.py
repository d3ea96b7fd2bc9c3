import numpy as np
import pyarrow.parquet as pq
import pytest

from bert_attention.corpora.pattern_annotations import dequantize, read_labels, read_maps, read_passes
from bert_attention.errors import InputError
from tests.annotated_maps import quantized, small_maps, write_maps

MAPS = small_maps(3)


def test_maps_are_read_back_up_to_rounding(tmp_path):
    weights = np.linspace(0, 1, 100_001)
    back = dequantize(quantized(weights))
    assert back.dtype == np.float32
    assert (np.abs(back - weights) <= (2 * np.sqrt(weights) + 0.002) / 510 + 1e-7).all()
    write_maps(MAPS, tmp_path / "maps.parquet")
    for before, after in zip(MAPS, read_maps(tmp_path / "maps.parquet"), strict=True):
        assert {**vars(after), "attention": None} == {**vars(before), "attention": None}
        assert np.array_equal(after.attention, dequantize(quantized(before.attention)))


@pytest.mark.parametrize(
    ("column", "value", "problem"),
    [
        ("attention", b"12", "has 2 bytes of attention, expected 6 \\* 6"),
        ("attention", bytes(36), "the sum of a row of attention is 1.00 from 1"),
        ("separator", 6, "has separator 6, expected the index of the first \\[SEP\\], 2 to 5"),
        ("weights", "tuned", "has weights 'tuned'"),
        ("head", 0, "must be at least 1"),
        ("map", 1, "map 1 occurs twice"),
        ("task", None, "has no value in column task"),
    ],
)
def test_the_error_on_a_bad_map_names_its_row(tmp_path, column, value, problem):
    path = tmp_path / "maps.parquet"
    write_maps(MAPS, path)
    table = pq.read_table(path)
    rows = table.to_pylist()
    rows[1][column] = value
    pq.write_table(table.from_pylist(rows, schema=table.schema), path)
    with pytest.raises(InputError, match=f"row 2.*{problem}"):
        read_maps(path)
    write_maps([], path)
    with pytest.raises(InputError, match="holds no maps"):
        read_maps(path)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "lacks the columns map, pattern"),
        ("map,pattern\n1,block\n2,blok\n", "line 3: 'blok' is not a pattern; did you mean 'block'"),
        ("map,pattern\n2\n", "line 2: None is not a pattern"),
        ("map,pattern\n4,block\n", "line 2: there is no map '4'"),
        (f"map,pattern\n{'9' * 5000},block\n", "line 2: there is no map '9{40}'"),
        ("map,pattern\n1,block\n1,block\n", "line 3: map 1 is labeled a second time"),
    ],
)
def test_the_error_on_a_bad_label_names_its_line(tmp_path, content, problem):
    file = tmp_path / "labels.csv"
    file.write_text(content)
    with pytest.raises(InputError, match=problem):
        read_labels(file, MAPS)


def test_the_file_names_are_the_names_of_passes(tmp_path):
    for name, pattern in (("mine", "block"), ("theirs", "diagonal"), ("rules", "block")):
        # Spreadsheets write a byte-order mark, other columns and Windows' line ends.
        text = f"pattern,seconds,map\r\n{pattern},2.5,2\r\n"
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8-sig")
    mine, theirs, rules = (tmp_path / f"{name}.csv" for name in ("mine", "theirs", "rules"))
    assert read_passes([mine, theirs], MAPS) == {"mine": {2: "block"}, "theirs": {2: "diagonal"}}
    with pytest.raises(InputError, match=r"mine.csv: has the same name as another pass"):
        read_passes([mine, mine], MAPS)
    with pytest.raises(InputError, match=r"rules.csv: has the name of the labeler 'rules'"):
        read_passes([mine, rules], MAPS)
