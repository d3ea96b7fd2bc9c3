"""Attention that is damaged, or of another model or corpus, passes into no table; what the message says heals it."""

import json
import os
import re
import shutil
import subprocess

import numpy as np
import pytest

from tests.workflow.conftest import linked

pytestmark = pytest.mark.workflow

TABLE = "results/reduced/tables/clark_dependency_heads.csv"
SUMS = "resources/reduced/all-MiniLM-L6-v2/sums"
TREEBANK = "resources/reduced/all-MiniLM-L6-v2/corpora/treebank_dev.conllu"
STORES = "resources/reduced/all-MiniLM-L6-v2/attention"
SHARD = f"{STORES}/treebank_dev/1-of-1.safetensors"


@pytest.fixture(scope="module")
def tabulated(first_run, tmp_path_factory):
    """The project after a whole run, and the bytes of a table of attention."""
    checkout = linked(first_run, tmp_path_factory.mktemp("damaged") / "copy")
    return checkout, (checkout.folder / TABLE).read_bytes()


def changed_in_place(path, change):
    """Change a file's content so that Snakemake does not see it: its time stays."""
    times, content = path.stat(), path.read_bytes()
    path.unlink()  # the first run's it stays
    path.write_bytes(change(content))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def refused(checkout, *messages, table=TABLE):
    """Make the table again, from the store; return the command that the message names."""
    (checkout.folder / table).unlink(missing_ok=True)
    shutil.rmtree(checkout.folder / SUMS, ignore_errors=True)
    finished = checkout.snakemake(table)
    assert finished.status != 0
    assert "Traceback" not in finished.text
    for message in messages:
        assert message in finished.text
    assert not (checkout.folder / table).exists()
    return re.search(r"Remedy: (rm .+?) and run again", finished.text)[1]


def heals(checkout, command, table):
    """Follow the message, and run again."""
    subprocess.run(command, shell=True, check=True, cwd=checkout.folder)
    finished = checkout.snakemake(TABLE)
    assert finished.status == 0, finished.text
    assert (checkout.folder / TABLE).read_bytes() == table


def in_last_map(change):
    """What changes the end of the attention of a shard, which is that of its last sequence."""

    def changed(content):
        data_start = 8 + int.from_bytes(content[:8], "little")
        end = data_start + json.loads(content[8:data_start])["attention"]["data_offsets"][1]
        return content[: end - 200] + change(content[end - 200 : end]) + content[end:]

    return changed


def with_nan(content):
    array = np.frombuffer(content, dtype=np.float16).copy()
    array[0] = np.nan
    return array.tobytes()


@pytest.mark.parametrize(
    "change",
    [
        lambda content: bytes(len(content)),
        lambda content: bytes(b ^ 255 for b in content[:64]) + content[64:],
        with_nan,
    ],
    ids=["zeroed", "64 bytes flipped", "a NaN"],
)
def test_damaged_attention_is_named_and_made_anew(tabulated, change):
    checkout, table = tabulated
    changed_in_place(checkout.folder / SHARD, in_last_map(change))
    command = refused(checkout, f"{SHARD}: attention of sequence ", "is damaged: it is not what was written")
    assert command == f"rm {SHARD}"
    heals(checkout, command, table)


def test_attention_of_random_weights_is_not_taken_for_that_of_trained_ones(tabulated):
    checkout, table = tabulated
    random = (checkout.folder / STORES / "random_1" / "treebank_dev" / "1-of-1.safetensors").read_bytes()
    changed_in_place(checkout.folder / SHARD, lambda _: random)
    heals(checkout, refused(checkout, "treebank_dev/1-of-1.safetensors: was made of other weights than"), table)


def test_attention_with_other_segment_ids_and_masked_tokens_is_noticed(tabulated):
    checkout, _ = tabulated
    zeros = f"{STORES}/segments_zeros/1-of-1.safetensors"
    for store, problem in (
        ("segments_pair", "segment ids pair, not zeros"),
        ("masked_segments", "masked share 0.12, not"),
    ):
        other = (checkout.folder / STORES / store / "1-of-1.safetensors").read_bytes()
        changed_in_place(checkout.folder / zeros, lambda _, other=other: other)
        message = f"{zeros}: was made with "
        assert refused(checkout, message, problem, table="results/reduced/tables/clark_entropy.csv").startswith("rm ")


def test_two_sentences_of_one_length_that_changed_places_are_noticed(tabulated):
    checkout, table = tabulated
    changed_in_place(checkout.folder / TREEBANK, two_swapped)
    refused(checkout, f"{TREEBANK}: has changed")
    (checkout.folder / f"{TREEBANK}.sha256").unlink()
    command = refused(checkout, "treebank_dev/1-of-1.safetensors: was made of another corpus than")
    heals(checkout, f"{command}; rm {TREEBANK}", table)


def two_swapped(treebank):
    """A treebank in which the first two sentences with equally many words, but other words, have changed places."""
    blocks = treebank.split(b"\n\n")
    by_length = {}
    for place, block in enumerate(blocks):
        words = sum(line[:1].isdigit() for line in block.splitlines())
        other = by_length.setdefault(words, place)
        if words and other != place and blocks[other] != block:
            blocks[place], blocks[other] = blocks[other], block
            return b"\n\n".join(blocks)
    raise AssertionError("no two sentences of one length")
