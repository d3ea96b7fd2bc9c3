"""The stage of a rehearsal: a copy of the project, the internet that it sees, and the licensed files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import yaml

from bert_attention.downloads.sources import locate
from tests.conftest import ROOT
from tests.rehearsal.hosts import Hosts, write_licensed
from tests.rehearsal.internet import Internet, internet_here
from tests.workflow.conftest import Checkout

EDITIONS = ("open", "licensed", "bert_base")


@dataclass(frozen=True)
class Stage:
    """The simulated internet, and digests that replace the pinned digests of files that are not here."""

    internet: Internet
    digests: Mapping[str, str]
    real: Callable[[str], Path]

    def environment(self, folder: Path) -> dict[str, str]:
        """Variables with which a run sees this internet, and keeps what it downloads in a folder."""
        return self.internet.environment | {"HF_HOME": str(folder / "hub"), "NLTK_DATA": str(folder / "nltk")}

    def checkout(self, folder: Path) -> Checkout:
        """Add the licensed files to a copy of the project, and replace the digests that no file here can have."""
        for edition in EDITIONS:
            text = _edition(edition)
            for pinned, digest in self.digests.items():
                assert text.count(pinned) <= 1
                text = text.replace(pinned, digest)
            (folder / "editions" / f"{edition}.yaml").write_text(text, encoding="utf-8")
        write_licensed(folder / "licensed", self.real)
        return Checkout(folder)


@contextmanager
def stage(folder: Path, real: Callable[[str], Path]) -> Iterator[Stage]:
    """Serve all files that the editions name; ``real`` finds a file of the real data by its path.

    The proxy's certificates are written to ``folder``.
    """
    encoder = locate(yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))["models"][0]["source"])
    with internet_here(folder) as internet:
        digests = Hosts(internet, real, encoder).serve([yaml.safe_load(_edition(name)) for name in EDITIONS])
        yield Stage(internet, digests, real)


def _edition(name: str) -> str:
    return (ROOT / "editions" / f"{name}.yaml").read_text(encoding="utf-8")
