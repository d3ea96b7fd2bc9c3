"""All that a rehearsal of an edition needs: a copy of the project, the internet that it sees, the licensed files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from bert_attention.downloads.sources import locate
from tests.conftest import ROOT
from tests.rehearsal.hosts import Hosts, Size, write_licensed
from tests.rehearsal.internet import Internet, internet_here
from tests.workflow.conftest import copy_project


@contextmanager
def stage(folder: Path, edition: str, real: Callable[[str], Path], size: Size) -> Iterator[dict[str, str]]:
    """The environment variables with which Snakemake, in ``folder``, finds everything that an edition names.

    The edition is as it is, but for the digests of files that only their publishers have: in the copy, these are of the
    files that are served in their place.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "Snakefile").exists():
        copy_project(folder)
    with internet_here(folder) as internet:
        replaced = serve(internet, edition, real, size)
        text = (ROOT / "editions" / f"{edition}.yaml").read_text(encoding="utf-8")
        for pinned, digest in replaced.items():
            assert text.count(pinned) == 1
            text = text.replace(pinned, digest)
        (folder / "editions" / f"{edition}.yaml").write_text(text, encoding="utf-8")
        if edition == "licensed":
            write_licensed(folder / "licensed", real, size)
        # Nothing of the user's own stores is read or written.
        homes = {"HF_HOME": str(folder / "hub"), "NLTK_DATA": str(folder / "nltk"), "HOME": str(folder / "home")}
        yield internet.environment | homes


def serve(internet: Internet, edition: str, real: Callable[[str], Path], size: Size) -> dict[str, str]:
    """Serve what an edition downloads; returns digests to put in the place of pinned ones (see :meth:`Hosts.serve`)."""
    settings = yaml.safe_load((ROOT / "editions" / f"{edition}.yaml").read_text(encoding="utf-8"))
    base = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    encoder = locate(base["models"][0]["source"])
    return Hosts(internet, real, encoder, size).serve(settings)
