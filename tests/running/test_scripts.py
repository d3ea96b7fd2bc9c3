"""How scripts of rules run: what they read is compared with what was made."""

import logging
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from bert_attention.errors import InputError
from bert_attention.files import sha256
from bert_attention.manifest import write_manifest
from bert_attention.running.scripts import run_script
from tests.conftest import ROOT

MADE, READ = "resources/mine/corpora/frames.jsonl", "resources/mine/vectors"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)  # the job's log takes it
    yield tmp_path
    logging.captureWarnings(capture=False)
    logging.getLogger().handlers.clear()


def job(inputs=(), outputs=()):
    return SimpleNamespace(input=list(inputs), output=list(outputs), log=["log"], rule="a_rule", resources={})


def write(content):
    """A script that writes all that it is to make."""

    def main(snakemake):
        for file in map(Path, snakemake.output):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)

    return main


def test_what_is_made_in_resources_gets_a_digest():
    run_script(write("a"), job(outputs=[MADE, "results/mine/tables/t.csv"]))
    assert Path(f"{MADE}.sha256").read_text() == f"{sha256(MADE)}  frames.jsonl\n"
    assert [file.name for file in Path("results").rglob("*.*")] == ["t.csv"]


def test_what_has_changed_since_it_was_made_is_refused_before_it_is_read():
    run_script(write("a"), job(outputs=[MADE]))
    read = []
    run_script(read.append, job(inputs=[MADE]))
    Path(MADE).write_text("b")
    remedy = rf"\n  Remedy: rm {MADE} and run again.* yourself, rm {MADE}.sha256 alone"
    with pytest.raises(InputError, match=rf"^{MADE}: has changed: .* frames.jsonl.sha256 says \w+{remedy}"):
        run_script(read.append, job(inputs=[MADE]))
    assert len(read) == 1


def test_what_a_user_has_changed_on_purpose_is_read_without_its_digest():
    run_script(write("a"), job(outputs=[MADE]))
    Path(MADE).write_text("b")
    Path(f"{MADE}.sha256").unlink()
    run_script(lambda _: None, job(inputs=[MADE]))


@pytest.mark.parametrize(
    "damaged", ["", "0" * 64, f"{'0' * 64}  other.jsonl\n", f"{'0' * 64}  frames.jsonl\n" * 2 + "0"]
)
def test_a_damaged_digest_passes_nothing(damaged):
    run_script(write("a"), job(outputs=[MADE]))
    Path(f"{MADE}.sha256").write_text(damaged)
    with pytest.raises(InputError, match=r"frames.jsonl.sha256: is damaged"):
        run_script(lambda _: None, job(inputs=[MADE]))


def test_what_is_made_anew_has_no_old_digest():
    run_script(write("a"), job(outputs=[MADE]))

    def killed(snakemake):
        Path(MADE).write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_script(killed, job(outputs=[MADE]))
    assert not Path(f"{MADE}.sha256").exists()
    run_script(write("b"), job(outputs=[MADE]))
    run_script(lambda _: None, job(inputs=[MADE]))


def test_folders_and_what_has_checksums_within_get_none():
    def model(snakemake):
        write("a")(snakemake)
        write_manifest("resources/models/mine")

    run_script(model, job(outputs=["resources/models/mine/config.json"]))
    run_script(lambda _: Path("resources/task").mkdir(), job(outputs=["resources/task"]))
    run_script(write("a"), job(outputs=["resources/attention/1-of-1.safetensors"]), has_checksums=True)
    assert not list(Path("resources").rglob("*.sha256"))


def test_every_script_runs_so():
    """Only so is everything compared that any of them reads."""
    scripts = sorted((ROOT / "workflow" / "scripts").glob("*/*.py"))
    others = [file.name for file in scripts if "\n    run_script(main, snakemake" not in file.read_text()]
    own_checksums = [file.name for file in scripts if "has_checksums=True" in file.read_text()]
    assert (len(scripts) > 40, others) == (True, [])
    assert own_checksums == ["extract_attention.py", "extract_word_attention.py"]
