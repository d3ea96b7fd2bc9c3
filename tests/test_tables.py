import numpy as np
import pandas as pd
import pytest

from bert_attention.errors import InputError
from bert_attention.statistics.jackknife import Replicates
from bert_attention.statistics.tables import read_replicates, with_intervals, write_table, write_tables
from bert_attention.tables import bounds_of, columns_of, read_table
from tests.replicates import within

ROW = {"layer": 1, "head": 2, "source": "all", "entropy": 1 / 3, "largest_weight": 0.5, "share_below_tenth": 0.25}
ROW |= {"uniform": 2.0, "n": 5}
COUNTS = pd.DataFrame([{"source": "given", "tokens": 12, "different_tokens": 7}])


def replicates(**changed):
    """A table of one row, and eight replicates in which its entropy is a sixth lower or higher."""
    row = ROW | changed
    left_out = [pd.DataFrame([row | {"entropy": row["entropy"] + shift}]) for shift in (-1 / 6, 1 / 6) * 4]
    return Replicates(pd.DataFrame([row]), left_out)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "clark_entropy.csv"


def test_contract_columns_come_first_with_bounds_and_numbers_are_rounded(path):
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
    assert bounds_of("clark_entropy", "uniform") == ()


def test_replicates_keep_all_digits_and_damaged_replicates_are_an_error(path):
    made = replicates(source=None)
    write_table(made, path)
    read = read_replicates(path)
    for table, written in zip([read.whole, *read.left_out], [made.whole, *made.left_out], strict=True):
        assert table["entropy"].tolist() == written["entropy"].tolist()
        assert table["source"].isna().all()
    file = path.with_suffix(".parquet")
    for damaged in (b"PAR1", file.read_bytes()[: file.stat().st_size // 2]):
        file.write_bytes(damaged)
        with pytest.raises(InputError, match=r"(?s)clark_entropy.parquet: is not a table with replicates .*delete it"):
            read_replicates(path)


def test_a_table_without_statistics_has_no_replicates(tmp_path):
    path = tmp_path / "kobayashi_token_counts.csv"
    write_table(COUNTS, path)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert read_replicates(path).whole.equals(COUNTS)
    assert not read_replicates(path).left_out


def test_an_invalid_table_is_not_written(tmp_path):
    path = tmp_path / "kobayashi_token_counts.csv"
    with pytest.raises(KeyError, match="different_tokens"):
        write_table(COUNTS.drop(columns="different_tokens"), path)
    with pytest.raises(ValueError, match="no rows"):
        write_table(COUNTS[:0], path)
    with pytest.raises(KeyError, match="clark_unheard_of"):
        write_table(COUNTS, tmp_path / "clark_unheard_of.csv")
    with pytest.raises(TypeError, match="has statistics, but no replicates"):
        write_table(pd.DataFrame([ROW]), tmp_path / "clark_entropy.csv")
    assert not list(tmp_path.iterdir())


def test_tables_are_written_to_the_files_of_their_names(tmp_path):
    paths = [tmp_path / name for name in ("clark_entropy.csv", "clark_entropy.parquet", "kobayashi_token_counts.csv")]
    with pytest.raises(ValueError, match="returns the tables clark_entropy, the rule expects"):
        write_tables({"clark_entropy": replicates()}, paths)
    write_tables({"kobayashi_token_counts": COUNTS, "clark_entropy": replicates()}, paths)
    assert all(path.is_file() for path in paths)
    assert np.isclose(read_table(paths[0])["entropy"].item(), 1 / 3, atol=1e-6)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "is not a CSV table"),
        ("layer,head\n1,2\n", "lacks the columns entropy, "),
        ("a,b\n1,2,3\n4\n", "is not a CSV table|lacks the columns"),
        ("layer,head\n1", "is cut: its last line does not end"),  # pandas would accept part of a row
    ],
)
def test_an_error_names_a_damaged_table(path, content, problem):
    path.write_text(content)
    with pytest.raises(InputError, match=rf"clark_entropy\.csv: ({problem})"):
        read_table(path)


@pytest.mark.parametrize("name", ["heads.csv", "heads.parquet"])
def test_a_table_with_a_name_of_its_own_is_read(tmp_path, name):
    if name.endswith(".csv"):
        COUNTS.to_csv(tmp_path / name, index=False)
    else:
        COUNTS.to_parquet(tmp_path / name)
    assert read_table(tmp_path / name).equals(COUNTS)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere.csv", r"nowhere\.csv: cannot be read \(No such file"),
        ("", r": cannot be read \(Is a directory"),
        ("bad.parquet", r"bad\.parquet: is not a Parquet table"),
        (
            "clark_entropy.parquet",
            r"clark_entropy\.parquet: has the replicates of a table",
        ),
    ],
)
def test_what_is_no_table_is_an_error(tmp_path, name, message):
    (tmp_path / "bad.parquet").write_bytes(b"PAR1")
    write_table(replicates(), tmp_path / "clark_entropy.csv")
    with pytest.raises(InputError, match=message):
        read_table(tmp_path / name)


@pytest.mark.parametrize("path", [None, 5])
def test_a_table_needs_a_path(path):
    with pytest.raises(InputError, match=f"{path}: cannot be read"):
        read_table(path)


def test_intervals_of_fractions_and_correlations_are_clipped():
    shares = within(pd.DataFrame({"task": "rte", "pattern": "block", "share": [0.01, 0.98, 0.5]}), share=0.05)
    found = with_intervals(shares, "kovaleva_patterns")
    assert found[["low", "high"]].to_numpy() == pytest.approx(np.array([[0, 0.06], [0.93, 1], [0.45, 0.55]]))
    correlations = within(pd.DataFrame({"spearman": [-0.98, 0.0]}), spearman=0.05)
    found = with_intervals(correlations, "kovaleva_shared_heads")
    assert found[["low", "high"]].to_numpy() == pytest.approx(np.array([[-1, -0.93], [-0.05, 0.05]]))
    scores = within(pd.DataFrame({"value": [0.98], "difference": 0.98}), value=0.05, difference=0.05)
    found = with_intervals(scores, "kovaleva_finetuning")
    assert found[["high", "difference_high"]].to_numpy() == pytest.approx(np.array([[1, 1.03]]))
