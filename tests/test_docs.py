"""The commands, code and links in README.md and docs/ work, and their numbers are the numbers of a run."""

import dataclasses
import re
import runpy
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from bert_attention.attention.store import WORD_ARRAYS, shard_writer
from bert_attention.corpora.conllu import write_conllu
from bert_attention.corpora.types import Sentence, Word
from bert_attention.models.families import FAMILIES
from bert_attention.plan import target
from bert_attention.results import results
from bert_attention.statistics.jackknife import Replicates
from bert_attention.statistics.tables import write_table
from tests.attention.test_store import METADATA
from tests.conftest import ROOT

NUMBERS = runpy.run_path(str(ROOT / "docs" / "run_numbers.py"))
PAGES = {page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8") for page in NUMBERS["PAGES"]}
ALL = "\n".join(PAGES.values())


def example(name):
    """Return the only example of all pages that contains a name."""
    (found,) = [block for block in re.findall(r"^```python\n(.*?)^```", ALL, flags=re.S | re.M) if name in block]
    return found


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files_and_headings_and_numbers_are_up_to_date(page):
    """``make docs`` writes the numbers of a run into all pages."""
    assert NUMBERS["filled_in"](PAGES[page], NUMBERS["all_numbers"]()) == PAGES[page]
    for link in re.findall(r"\]\((?!https?:|\.\./\.\./actions/)([^)]+)\)", PAGES[page]):  # actions: pages on GitHub
        name, _, anchor = link.partition("#")
        file = ((ROOT / page).parent / name).resolve() if name else ROOT / page
        assert file.exists(), link
        titles = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), flags=re.M) if anchor else []
        anchors = {re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-") for title in titles}
        assert not anchor or anchor in anchors, link


def test_make_targets_results_and_files_in_the_docs_exist():
    commands = set(re.findall(r"(?:^|`)make ([a-z-]+)", ALL, flags=re.M))
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.M))
    assert set() < commands <= targets
    known = {*map(target, results().shown), *results().shown, "clark_figure_width"}  # the last: docs/adding.md adds it
    named = set(re.findall(r"\b((?:clark|kovaleva|kobayashi|coenen|vig)_(?:figure|table)_\w+)", ALL))
    assert named - known == set()
    files = set(re.findall(r"`((?:workflow|editions|profiles|envs|tests|benchmarks)/[\w./-]+)`", ALL))
    new = {"editions/mine.yaml", "editions/my-model.yaml"} | {name for name in files if "width" in name}
    assert {name for name in files - new if not (ROOT / name).exists()} == set()


def test_the_tests_that_the_docs_name_exist():
    named = re.findall(r"`(test_\w+)` in `(tests/[\w/.]+)`", ALL)
    assert len(named) > 20
    missing = [test for test, file in named if f"def {test}(" not in (ROOT / file).read_text(encoding="utf-8")]
    assert not missing


def test_the_example_of_an_analysis_sums_attention_to_heads():
    """In docs/adding.md: from each word to its head. [CLS] has index 0."""
    words = tuple(Word(form, "_", "_", "_", "_", head, "dep") for form, head in (("a", 2), ("b", 0), ("c", 2)))
    attention = np.random.default_rng(1).random((2, 3, 5, 5))
    names: dict = {}
    exec(example("dependents"), names)
    found = names["sums"](SimpleNamespace(attention=attention), Sentence(words))
    assert found["words"] == 2
    np.testing.assert_allclose(found["attention"], attention[:, :, 1, 2] + attention[:, :, 3, 2])


def test_the_example_prints_the_interval_of_a_difference_of_layers(tmp_path, monkeypatch, capsys):
    rows = {"layer": [2, 2, 6], "head": [1, 2, 1], "source": "all", "entropy": [1.0, 3.0, 5.0]}
    whole = pd.DataFrame(rows | {"largest_weight": 0.5, "share_below_tenth": 0.5, "uniform": 1.0, "n": 20})
    left_out = [whole.assign(entropy=whole["entropy"] + [0, shift, 0]) for shift in (-1, 1) * 4]
    write_table(Replicates(whole, left_out), tmp_path / "results/embedded/all-MiniLM-L6-v2/tables/clark_entropy.csv")
    monkeypatch.chdir(tmp_path)
    exec(example("read_replicates"), {})
    # The difference is 3, and half a nat more or less without one of eight blocks.
    bounds = [3 + sign * (7 * 0.5**2) ** 0.5 * 2.36462425 for sign in (-1, 1)]
    printed = [float(number) for number in re.findall(r"-?\d+\.\d*", capsys.readouterr().out.replace("float64", ""))]
    assert printed == pytest.approx([3, *bounds])


def test_the_example_prints_the_strongest_arcs_of_a_sentence(tmp_path, monkeypatch, capsys):
    """The example skips stronger attention to special tokens and to neighbors."""
    attention = np.zeros((2, 3, 6, 6), dtype=np.float16)
    attention[0, 0, 1, 2] = attention[1, 1, 4, 0] = attention[0, 2, 2, 5] = attention[1, 0, 3, 3] = 1
    attention[1, 2, 4, 1], attention[0, 1, 1, 3] = 0.5, 0.75
    folder = tmp_path / "resources/embedded/all-MiniLM-L6-v2"
    store = folder / "attention/treebank_dev/1-of-1.safetensors"
    for parent in (folder / "corpora", store.parent):
        parent.mkdir(parents=True)
    metadata = dataclasses.replace(METADATA, arrays=WORD_ARRAYS, block_sizes=(1,), last=1)
    with shard_writer(store, [6], metadata) as writer:
        writer.write("word_ids", 0, np.array([-1, 0, 1, 2, 3, -1], dtype=np.int32))
        writer.write("attention", 0, attention)
    words = [Word(form, "_", "_", "_", "_", int(form != "swam"), "root") for form in ("swam", "two", "old", "cats")]
    write_conllu([Sentence(tuple(words))], folder / "corpora" / "treebank_dev.conllu")
    monkeypatch.chdir(tmp_path)
    exec(example("AttentionStore"), {})
    assert capsys.readouterr().out.splitlines()[:2] == ["1-2: swam -> old, 0.75", "2-3: cats -> swam, 0.50"]


def test_the_table_of_families_is_complete():
    rows = {}
    for line in re.findall(r"^\| (.* \| yes \| .*) \|$", ALL, flags=re.M):
        names, _, *has = line.split(" | ")
        rows |= {name: [cell == "yes" for cell in has] for name in re.sub(r" \(.*?\)", "", names).split(", ")}
    rows["DeBERTa-v2 and -v3"] = rows.pop("DeBERTa-v2")
    assert rows.pop("-v3") == rows["DeBERTa-v2 and -v3"]
    assert rows == {
        family.name: ["mixing" not in family.left_out, "neurons" not in family.left_out] for family in FAMILIES.values()
    }
