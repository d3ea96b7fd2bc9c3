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
    assert list(read_table(path).columns[:6]) == results().tables["clark_entropy"].columns


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


def test_a_table_has_an_end(tmp_path):
    """Pandas would read a shorter number, and nothing for the rest of the row."""
    path = tmp_path / "clark_entropy.csv"
    write_table(pd.DataFrame([ROW] * 2), path)
    assert len(read_table(path)) == 2
    path.write_bytes(path.read_bytes()[:-2])
    with pytest.raises(InputError, match=r"clark_entropy.csv: is cut: its last line does not end"):
        read_table(path)
