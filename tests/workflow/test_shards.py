"""A corpus in several shards, and stores that are not kept: the tables are the same bytes."""

import pytest

from bert_attention.files import sha256
from tests.workflow.conftest import ENCODER

SHARDS = 2
# Tables of norms of wordpieces, and of attention between the words of documents.
TABLES = ("kobayashi_categories", "clark_coreference")
# The encoder runs over each shard, and either a store is written and added up, or only sums are written.
JOBS = {
    "own": {"extract_attention": SHARDS, "extract_word_attention": SHARDS}
    | {f"sum_up_{table}": SHARDS for table in TABLES},
    "none": {"sum_up_segments": SHARDS, "sum_up_words": SHARDS},
}


@pytest.mark.parametrize("keeps", ["none", "own"])
def test_neither_shards_nor_stores_change_a_byte_of_a_table(replicated, keeps):
    tables = replicated.folder / "results" / "reduced" / ENCODER / "tables"
    stores = replicated.folder / "resources" / "reduced" / ENCODER / "attention"
    before = {path.name: sha256(path) for path in tables.iterdir() if path.stem in TABLES}
    assert len(before) == 2 * len(TABLES)  # CSV, and Parquet with the replicates
    (replicated.folder / "shards.yaml").write_text(f"keep_attention: {keeps}\nattention: {{shards: {SHARDS}}}\n")
    finished = replicated.snakemake(*TABLES, edition=("tests/editions/reduced.yaml", "shards.yaml"))
    assert finished.status == 0, finished.text
    assert finished.jobs == JOBS[keeps] | dict.fromkeys(TABLES, 1)
    assert {path.name: sha256(path) for path in tables.iterdir() if path.stem in TABLES} == before
    written = {path.parent.name for path in stores.rglob(f"[0-9]*-of-{SHARDS}.safetensors")}
    assert written == ({"segments_pair", "coreference"} if keeps == "own" else set())
