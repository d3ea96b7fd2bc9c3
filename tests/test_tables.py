import pandas as pd
import pytest

from bert_attention.errors import InputError
from bert_attention.results import results
from bert_attention.tables import read_table, write_table

ROW = {"layer": 1, "head": 2, "source": "all", "entropy": 1 / 3, "uniform": 2.0, "n": 5}


def test_contract_columns_come_first_and_numbers_are_rounded(tmp_path):
    path = tmp_path / "clark_entropy.csv"
    write_table(pd.DataFrame([{"extra": 1.5, **ROW}]), path)
    assert path.read_text() == "layer,head,source,entropy,uniform,n,extra\n1,2,all,0.333333,2,5,1.5\n"
    assert tuple(read_table(path).columns[:6]) == results().tables["clark_entropy"].columns


def test_a_table_without_a_contract_column_or_rows_is_not_written(tmp_path):
    table = pd.DataFrame([ROW])
    with pytest.raises(KeyError, match="uniform"):
        write_table(table.drop(columns="uniform"), tmp_path / "clark_entropy.csv")
    with pytest.raises(ValueError, match="no rows"):
        write_table(table[:0], tmp_path / "clark_entropy.csv")
    with pytest.raises(KeyError, match="clark_unheard_of"):
        write_table(table, tmp_path / "clark_unheard_of.csv")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", ["", "layer,head\n1,2\n", "a,b\n1,2,3\n4\n"])
def test_a_damaged_table_is_named(tmp_path, content):
    path = tmp_path / "clark_entropy.csv"
    path.write_text(content)
    with pytest.raises(InputError, match=r"clark_entropy\.csv"):
        read_table(path)


def test_half_a_table_is_not_read(tmp_path):
    """Its last row would be a row with a shorter number and without the rest: 10.9 (8.7-0.0)."""
    row = {"features": "attention", "correct": 0.5, "low": 0.4, "high": 0.6, "n": 5}
    contract = results().tables["clark_probes"].columns
    table = pd.DataFrame([{column: row.get(column, 0.123456) for column in contract}] * 9)
    path = tmp_path / "clark_probes.csv"
    write_table(table, path)
    whole = path.read_bytes()
    for copy, cut in ((path, len(whole) // 2), (path, whole.rindex(b"\n", 0, -1) + 1)):  # in a number, at a line's end
        copy.write_bytes(whole[:cut])
        with pytest.raises(InputError, match=r"clark_probes.csv: is cut, damaged.*\n  Remedy: delete it and run again"):
            read_table(copy)


def test_a_table_from_elsewhere_has_an_end(tmp_path):
    write_table(pd.DataFrame([ROW] * 2), tmp_path / "clark_entropy.csv")
    (tmp_path / "copy").mkdir()
    copy = tmp_path / "copy" / "clark_entropy.csv"
    copy.write_bytes((tmp_path / "clark_entropy.csv").read_bytes())
    assert len(read_table(copy)) == 2
    copy.write_bytes(copy.read_bytes()[:-2])
    with pytest.raises(InputError, match=r"clark_entropy.csv: is cut: its last line does not end"):
        read_table(copy)
