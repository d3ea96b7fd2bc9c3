import numpy as np
import pandas as pd
import pytest

from bert_attention.errors import InputError
from bert_attention.results import results
from bert_attention.statistics.jackknife import Replicates
from bert_attention.statistics.tables import read_replicates, with_intervals, write_table, write_tables
from bert_attention.tables import bounds_of, columns_of, read_table
from tests.replicates import within

ROW = {"layer": 1, "head": 2, "source": "all", "entropy": 1 / 3, "largest_weight": 0.5, "share_below_tenth": 0.25}
ROW |= {"uniform": 2.0, "n": 5}
COUNTS = {"source": "given", "tokens": 12, "different_tokens": 7}


def replicates(**changed):
    """A table of one row, and eight replicates in which its entropy is a sixth lower or higher."""
    row = ROW | changed
    left_out = [pd.DataFrame([row | {"entropy": row["entropy"] + shift}]) for shift in (-1 / 6, 1 / 6) * 4]
    return Replicates(pd.DataFrame([row]), left_out)


def test_contract_columns_come_first_with_bounds_and_numbers_are_rounded(tmp_path):
    path = tmp_path / "clark_entropy.csv"
    write_table(replicates(extra=1.5), path)
    (header, row) = path.read_text().splitlines()
    assert header.startswith(
        "layer,head,source,entropy,low,high,largest_weight,largest_weight_low,largest_weight_high,"
    )
    assert header.endswith("uniform,n,extra")
    # Eight blocks: the variance is 7/36, and the quantile of Student's t with seven degrees of freedom 2.3646.
    bounds = [f"{1 / 3 + sign * 2.36462425 * 7**0.5 / 6:.6g}" for sign in (-1, 1)]
    assert row == f"1,2,all,0.333333,{bounds[0]},{bounds[1]},0.5,0.5,0.5,0.25,0.25,0.25,2,5,1.5"
    assert list(read_table(path).columns) == [*columns_of("clark_entropy"), "extra"]


def test_the_first_statistic_has_the_plain_bounds():
    assert bounds_of("clark_entropy", "entropy") == ("low", "high")
    assert bounds_of("clark_entropy", "largest_weight") == ("largest_weight_low", "largest_weight_high")
    assert bounds_of("clark_entropy", "uniform") == ()


def test_replicates_are_kept_with_all_digits(tmp_path):
    path = tmp_path / "clark_entropy.csv"
    made = replicates(source=None)
    write_table(made, path)
    read = read_replicates(path)
    for table, written in zip([read.whole, *read.left_out], [made.whole, *made.left_out], strict=True):
        assert table["entropy"].tolist() == written["entropy"].tolist()
        assert table["source"].isna().all()
    path.with_suffix(".parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"(?s)clark_entropy.parquet: is not a table with replicates .*delete it"):
        read_replicates(path)


def test_replicates_that_are_cut_are_named(tmp_path):
    path = tmp_path / "clark_entropy.csv"
    table = pd.DataFrame([ROW])
    write_table(Replicates(table, [table, table]), path)
    file = path.with_suffix(".parquet")
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(InputError, match=r"clark_entropy.parquet: is not a table with replicates"):
        read_replicates(path)


def test_a_table_without_statistics_has_no_replicates(tmp_path):
    path = tmp_path / "kobayashi_token_counts.csv"
    write_table(pd.DataFrame([COUNTS]), path)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert read_replicates(path).whole.equals(pd.DataFrame([COUNTS]))
    assert not read_replicates(path).left_out


def test_a_table_without_a_contract_column_rows_or_replicates_is_not_written(tmp_path):
    table = pd.DataFrame([COUNTS])
    with pytest.raises(KeyError, match="different_tokens"):
        write_table(table.drop(columns="different_tokens"), tmp_path / "kobayashi_token_counts.csv")
    with pytest.raises(ValueError, match="no rows"):
        write_table(table[:0], tmp_path / "kobayashi_token_counts.csv")
    with pytest.raises(KeyError, match="clark_unheard_of"):
        write_table(table, tmp_path / "clark_unheard_of.csv")
    with pytest.raises(TypeError, match="has statistics, but no replicates"):
        write_table(pd.DataFrame([ROW]), tmp_path / "clark_entropy.csv")
    assert not list(tmp_path.iterdir())


def test_tables_go_to_the_files_of_their_names(tmp_path):
    paths = [tmp_path / name for name in ("clark_entropy.csv", "clark_entropy.parquet", "kobayashi_token_counts.csv")]
    with pytest.raises(ValueError, match="returns the tables clark_entropy, the rule expects"):
        write_tables({"clark_entropy": replicates()}, paths)
    write_tables({"kobayashi_token_counts": pd.DataFrame([COUNTS]), "clark_entropy": replicates()}, paths)
    assert all(path.is_file() for path in paths)
    assert np.isclose(read_table(paths[0])["entropy"].item(), 1 / 3, atol=1e-6)


@pytest.mark.parametrize("content", ["", "layer,head\n1,2\n", "a,b\n1,2,3\n4\n"])
def test_a_damaged_table_is_named(tmp_path, content):
    path = tmp_path / "clark_entropy.csv"
    path.write_text(content)
    with pytest.raises(InputError, match=r"clark_entropy\.csv"):
        read_table(path)


def test_a_table_has_an_end(tmp_path):
    """Pandas would read a shorter number, and nothing for the rest of the row."""
    path = tmp_path / "clark_entropy.csv"
    write_table(replicates(), path)
    assert len(read_table(path)) == 1
    path.write_bytes(path.read_bytes()[:-2])
    with pytest.raises(InputError, match=r"clark_entropy.csv: is cut: its last line does not end"):
        read_table(path)


def test_intervals_of_fractions_and_correlations_end_where_these_do():
    shares = within(pd.DataFrame({"task": "rte", "pattern": "block", "share": [0.01, 0.98, 0.5]}), share=0.05)
    found = with_intervals(shares, "kovaleva_patterns")
    assert found[["low", "high"]].to_numpy() == pytest.approx(np.array([[0, 0.06], [0.93, 1], [0.45, 0.55]]))
    correlations = within(pd.DataFrame({"spearman": [-0.98, 0.0]}), spearman=0.05)
    found = with_intervals(correlations, "kovaleva_shared_heads")
    assert found[["low", "high"]].to_numpy() == pytest.approx(np.array([[-1, -0.93], [-0.05, 0.05]]))
    scores = within(pd.DataFrame({"value": [0.98], "difference": 0.98}), value=0.05, difference=0.05)
    found = with_intervals(scores, "kovaleva_finetuning")
    assert found[["high", "difference_high"]].to_numpy() == pytest.approx(np.array([[1, 1.03]]))
    lengths = within(pd.DataFrame({"mean": [0.01], "sd": 1.0, "cv": 1.0}), mean=0.05)
    assert with_intervals(lengths, "kobayashi_dispersion")["low"].tolist() == pytest.approx([-0.04])


def test_statistics_with_limits_are_statistics_of_tables():
    tables = results().tables
    named = {name for table in tables for one in tables[table].statistics for name in (one, f"{table}.{one}")}
    assert {*results().fractions, *results().correlations} <= named
