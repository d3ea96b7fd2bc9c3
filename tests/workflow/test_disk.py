"""What attention takes of the disk while a run without ``keep_attention`` is under way."""

import threading
import time

import pytest

pytestmark = pytest.mark.workflow
SHARDS, CORES = 10, 2


class Watch:
    """Looks at a folder of stores every few milliseconds: which shards are whole."""

    def __init__(self, folder):
        self.folder, self.seen = folder, []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()

    def _look(self):
        while not self._stop.is_set():
            shards = (self.folder / "all-MiniLM-L6-v2" / "attention").rglob("[0-9]*-of-*.safetensors")
            self.seen.append({(path.parent.name, path.name) for path in shards})
            time.sleep(0.02)


@pytest.mark.parametrize(
    ("table", "store"), [("clark_positions", "segments_zeros"), ("kobayashi_categories", "segments_pair")]
)
def test_a_shard_goes_when_its_sums_are_made(checkout, table, store):
    """However many there are: on each of the cores, one is being made, one added up, and one about to be removed."""
    lean = checkout.overlay("lean", keep_attention=False, attention={"shards": SHARDS})
    with Watch(checkout.folder / "resources" / "lean") as watch:
        finished = checkout.snakemake(table, edition=("tests/editions/reduced.yaml", lean), cores=CORES)
        assert finished.status == 0, finished.text
        time.sleep(0.1)
    assert {shard for shards in watch.seen for shard in shards} == {
        (store, f"{shard}-of-{SHARDS}.safetensors") for shard in range(1, SHARDS + 1)
    }
    assert max(map(len, watch.seen)) <= 3 * CORES < SHARDS
    assert not watch.seen[-1]
