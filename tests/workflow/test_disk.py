"""What attention takes of the disk while a run without ``keep_attention`` is under way."""

import threading
import time

import pytest
import yaml

from tests.conftest import ROOT

pytestmark = pytest.mark.workflow
SHARDS = 3


class Watch:
    """Looks at a folder of stores every few milliseconds: which shards are whole, and how many bytes they have."""

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
            shards = {}
            for path in self.folder.rglob("*-of-*.safetensors"):
                try:
                    shards[path.parent.name, path.name] = path.stat().st_size
                except FileNotFoundError:  # removed meanwhile
                    continue
            self.seen.append(shards)
            time.sleep(0.02)

    def most(self, store):
        """The largest number of shards of a store at a time."""
        return max(sum(name == store for name, _ in shards) for shards in self.seen)


def test_a_store_goes_with_its_last_table_and_never_two_are_held_for_one(checkout):
    """A table reads all shards of its store: these are held, and nothing of a store whose tables are made."""
    edition = yaml.safe_load((ROOT / "tests" / "editions" / "reduced.yaml").read_text())
    edition |= {"edition": "lean", "keep_attention": False}
    edition["attention"] = edition["attention"] | {"shards": SHARDS}
    (checkout.folder / "lean.yaml").write_text(yaml.safe_dump(edition))
    stores = {"clark_positions": "segments_zeros", "kobayashi_categories": "segments_pair"}
    with Watch(checkout.folder / "resources" / "lean") as watch:
        for target, store in stores.items():
            before = len(watch.seen)
            finished = checkout.snakemake(target, edition="lean.yaml", cores=2)
            assert finished.status == 0, finished.text
            time.sleep(0.1)
            of_target = {name for shards in watch.seen[before:] for name, _ in shards}
            assert of_target == {store}
            assert watch.seen[-1] == {}
    assert {store: watch.most(store) for store in stores.values()} == dict.fromkeys(stores.values(), SHARDS)
    sizes = [sum(shards.values()) for shards in watch.seen]
    largest = {key: size for shards in watch.seen for key, size in shards.items()}
    by_store = [sum(size for (name, _), size in largest.items() if name == store) for store in stores.values()]
    assert max(sizes) <= max(by_store)
