"""What README.md tells a reader to type or to run works."""

import dataclasses
import re

import numpy as np
import pandas as pd
import pytest

from bert_attention.attention.store import WORD_ARRAYS, shard_writer
from bert_attention.corpora.conllu import write_conllu
from bert_attention.corpora.types import Sentence, Word
from bert_attention.models.families import FAMILIES
from bert_attention.statistics.jackknife import Replicates
from bert_attention.statistics.tables import write_table
from tests.attention.test_store import METADATA
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def example(name):
    """The README's example that names something."""
    (found,) = [block for block in re.findall(r"```python\n(.*?)```", README, flags=re.S) if name in block]
    return found


def test_the_example_tells_the_interval_of_a_difference_of_layers(tmp_path, monkeypatch, capsys):
    rows = {"layer": [2, 2, 6], "head": [1, 2, 1], "source": "all", "entropy": [1.0, 3.0, 5.0]}
    whole = pd.DataFrame(rows | {"largest_weight": 0.5, "share_below_tenth": 0.5, "uniform": 1.0, "n": 20})
    left_out = [whole.assign(entropy=whole["entropy"] + [0, shift, 0]) for shift in (-1, 1)]
    write_table(Replicates(whole, left_out), tmp_path / "results" / "embedded" / "tables" / "clark_entropy.csv")
    monkeypatch.chdir(tmp_path)
    exec(example("read_replicates"), {})
    # The difference is 3, and the standard error of two blocks half a nat.
    bounds = [3 + sign * 0.5 * 12.7062047 for sign in (-1, 1)]
    printed = [float(number) for number in re.findall(r"-?\d+\.\d*", capsys.readouterr().out.replace("float64", ""))]
    assert printed == pytest.approx([3, *bounds])


def test_the_example_prints_the_strongest_arcs_of_a_sentence(tmp_path, monkeypatch, capsys):
    """Attention to special tokens and to neighbours is left out, though it is stronger."""
    attention = np.zeros((2, 3, 6, 6), dtype=np.float16)
    attention[0, 0, 1, 2] = attention[1, 1, 4, 0] = attention[0, 2, 2, 5] = attention[1, 0, 3, 3] = 1
    attention[1, 2, 4, 1], attention[0, 1, 1, 3] = 0.5, 0.75
    folder = tmp_path / "resources" / "embedded" / "all-MiniLM-L6-v2"
    (folder / "corpora").mkdir(parents=True)
    (folder / "attention" / "treebank_dev").mkdir(parents=True)
    metadata = dataclasses.replace(METADATA, arrays=WORD_ARRAYS, sequences=1, last=1)
    with shard_writer(folder / "attention" / "treebank_dev" / "1-of-1.safetensors", [6], metadata) as writer:
        writer.write("word_ids", 0, np.array([-1, 0, 1, 2, 3, -1], dtype=np.int32))
        writer.write("attention", 0, attention)
    words = [Word(form, "_", "_", "_", "_", int(form != "swam"), "root") for form in ("swam", "two", "old", "cats")]
    write_conllu([Sentence(tuple(words))], folder / "corpora" / "treebank_dev.conllu")
    monkeypatch.chdir(tmp_path)
    exec(example("AttentionStore"), {})
    assert capsys.readouterr().out.splitlines()[:2] == ["1-2: swam -> old, 0.75", "2-3: cats -> swam, 0.50"]


def test_every_family_is_in_the_table_with_what_it_has():
    rows = {}
    for line in re.findall(r"^\| (.* \| yes \| .*) \|$", README, flags=re.M):
        names, _, *has = line.split(" | ")
        rows |= {name: [cell == "yes" for cell in has] for name in re.sub(r" \(.*?\)", "", names).split(", ")}
    rows["DeBERTa-v2 and -v3"] = rows.pop("DeBERTa-v2")
    assert rows.pop("-v3") == rows["DeBERTa-v2 and -v3"]
    assert rows == {
        family.name: ["mixing" not in family.left_out, "neurons" not in family.left_out] for family in FAMILIES.values()
    }


def test_every_store_is_named():
    rules = (ROOT / "workflow" / "rules" / "attention.smk").read_text(encoding="utf-8")
    made = set(re.findall(r'store_output\("(\w+)(?=[/_"])', rules))
    assert {"masked_segments", "random_segments", "tasks"} <= made
    assert all(f"`{name}" in README for name in made)
