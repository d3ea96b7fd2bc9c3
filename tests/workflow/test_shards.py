"""A corpus in several shards: the tables are the same bytes, and each shard is removed as soon as its sums are made."""

import threading
import time
from contextlib import contextmanager

from bert_attention.files import sha256
from tests.workflow.conftest import ENCODER

SHARDS, CORES = 2, 1
# The stores of these tables hold norms of wordpieces, and attention between the words of documents.
STORES = {"kobayashi_categories": "segments_pair", "clark_coreference": "coreference"}


@contextmanager
def watching(folder):
    """Record every few milliseconds which shards are below a folder."""
    seen, stop = [], threading.Event()

    def look():
        while not stop.is_set():
            shards = folder.rglob(f"[0-9]*-of-{SHARDS}.safetensors")
            seen.append({(path.parent.name, path.name) for path in shards})
            time.sleep(0.02)

    thread = threading.Thread(target=look)
    thread.start()
    yield seen
    stop.set()
    thread.join()


def test_shards_change_no_byte_of_a_table_and_are_removed_once_summed(replicated):
    tables = replicated.folder / "results" / "reduced" / ENCODER / "tables"
    before = {path.name: sha256(path) for path in tables.iterdir() if path.stem in STORES}
    assert len(before) == 2 * len(STORES)  # CSV, and Parquet with the replicates
    (replicated.folder / "lean.yaml").write_text(f"keep_attention: none\nattention: {{shards: {SHARDS}}}\n")
    with watching(replicated.folder / "resources" / "reduced" / ENCODER / "attention") as seen:
        finished = replicated.snakemake(*STORES, edition=("tests/editions/reduced.yaml", "lean.yaml"), cores=CORES)
        assert finished.status == 0, finished.text
        time.sleep(0.1)
    extracted = {"extract_attention": SHARDS, "extract_word_attention": SHARDS}
    assert finished.jobs == {**extracted, **{f"sum_up_{table}": SHARDS for table in STORES}, **dict.fromkeys(STORES, 1)}
    assert {path.name: sha256(path) for path in tables.iterdir() if path.stem in STORES} == before

    made = {(store, f"{shard}-of-{SHARDS}.safetensors") for store in STORES.values() for shard in range(1, SHARDS + 1)}
    assert {shard for shards in seen for shard in shards} == made
    # Each core holds at most one shard being made, one being added up and one about to be removed.
    assert max(map(len, seen)) <= 3 * CORES < len(made)
    assert not seen[-1]
