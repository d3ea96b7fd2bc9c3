"""Into how many shards a corpus is cut, and how many cores there are, changes no digit."""

import pytest

from bert_attention.files import sha256

pytestmark = pytest.mark.workflow

# Of each kind of store: wordpieces with and without norms, words of trees and of documents.
TABLES = ("clark_entropy", "kobayashi_categories", "clark_dependency_heads", "clark_coreference")


@pytest.mark.parametrize("shards", [2, 5])
def test_tables_are_the_same_bytes(replicated, shards):
    tables = replicated.folder / "results" / "reduced" / "all-MiniLM-L6-v2" / "tables"
    before = {path.name: sha256(path) for path in tables.iterdir() if path.stem in TABLES}
    assert len(before) == 2 * len(TABLES)  # CSV, and Parquet with the replicates
    finished = replicated.snakemake(*TABLES, "--set-scatter", f"shards={shards}", cores=4)
    assert finished.status == 0, finished.text
    assert finished.jobs["sum_up_clark_entropy"] == shards
    assert {path.name: sha256(path) for path in tables.iterdir() if path.stem in TABLES} == before
