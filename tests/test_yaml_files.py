"""YAML files that people write."""

import pytest
import yaml

from bert_attention.errors import InputError
from bert_attention.yaml_files import check_keys_once, repeated_keys
from tests.conftest import ROOT

TWICE = """\
edition: mine
corpora:
  wikipedia: {source: "path:a.txt"}
models:
  - name: a
    source: path:a
    name: b
corpora:
  treebank: {trees: gold, trees: spacy}
seed: 1
"seed": 2
"""


def test_every_key_that_stands_twice_is_found_with_both_lines():
    assert repeated_keys(TWICE) == [
        ("models.0.name", 5, 7),
        ("corpora", 2, 8),
        ("corpora.treebank.trees", 9, 9),
        ("seed", 10, 11),
    ]
    assert repeated_keys('{\n\t"seed": 1,\n\t"seed": 2\n}') == [("seed", 2, 3)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a: {x: 1}\nb: {x: 1}",  # other mappings
        "a: &a {x: 1}\nb: &b {<<: *a, x: 2}\nc: {<<: *b, <<: *a, x: 3}",  # merges, which a key may override
        "a: &a {x: 1, y: *a}\nb: [*a, *a]",  # one mapping, and a mapping within itself
    ],
)
def test_keys_of_several_mappings_stand_once(text):
    assert repeated_keys(text) == []


def test_the_message_names_file_keys_and_lines(tmp_path):
    for name, text in {"right.yaml": "seed: 1\n", "wrong.yaml": TWICE}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    check_keys_once([tmp_path / "right.yaml"])
    with pytest.raises(
        InputError, match=r"wrong\.yaml: a key stands twice: .*corpora in lines 2 and 8;.*seed in lines 10 and 11"
    ):
        check_keys_once([tmp_path / "right.yaml", tmp_path / "wrong.yaml"])


def test_no_key_stands_twice_in_the_yaml_files_of_the_project():
    files = [
        ROOT / "config.yaml",
        *(file for part in ("editions", "profiles", "envs", "workflow") for file in (ROOT / part).rglob("*.yaml")),
    ]
    assert len(files) > 20
    check_keys_once(files)


@pytest.mark.parametrize("text", ["a: [b:]\n", "a: [b:, c]\n"])
def test_keys_are_searched_in_all_that_snakemake_reads(text, tmp_path):
    """The loader of libyaml refuses these texts."""
    assert yaml.safe_load(text)
    (tmp_path / "a.yaml").write_text(text)
    check_keys_once([tmp_path / "a.yaml"])
