"""Lists the licenses of all packages that installing this project brings along, as docs/licenses.md.

What a package says of itself counts: its license expression, else its free text or classifiers, else its license file.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LONGEST = 60  # characters of what is a name, not the text of a license
HEAD = """# Licenses of the packages that this project installs

Written by `make audit` from what the packages say of themselves, for the machine on which it ran; those in bold are
named in `pyproject.toml`, the others are what these need. None of them is part of this repository.

| package | version | license |
|---|---|---|
"""


def requirements(project: dict) -> list[Requirement]:
    """Return what pyproject.toml asks for on this machine, with everything optional."""
    texts = [*project["dependencies"], *(text for extra in project["optional-dependencies"].values() for text in extra)]
    found = map(Requirement, texts)
    return [requirement for requirement in found if requirement.marker is None or requirement.marker.evaluate()]


def installed_with(wanted: Iterable[Requirement]) -> dict[str, metadata.Distribution]:
    """Return the packages asked for and all that they need here, by name."""
    found: dict[str, metadata.Distribution] = {}
    waiting = list(wanted)
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name in found:
            continue
        found[name] = distribution = metadata.distribution(name)
        for text in distribution.requires or ():
            needed = Requirement(text)
            extras = requirement.extras or {""}
            if needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in extras):
                waiting.append(needed)
    return found


def license_of(distribution: metadata.Distribution) -> str:
    """Return a short name of the license, or an empty text if the package gives none."""
    described = distribution.metadata
    if described.get("License-Expression"):
        return described["License-Expression"]
    text = (described.get("License") or "").strip()
    if text and "\n" not in text and len(text) <= LONGEST:
        return text
    classifiers = [text.split(" :: ") for text in described.get_all("Classifier") or []]
    names = [parts[-1] for parts in classifiers if parts[0] == "License" and len(parts) > 2]
    return " or ".join(names) or _first_line_of_file(distribution)


def _first_line_of_file(distribution: metadata.Distribution) -> str:
    files = [file for file in distribution.files or () if re.match(r"(?i)(un)?licen[cs]e|copying", file.name)]
    lines = files[0].read_text().splitlines() if files else []
    return next((line.strip() for line in lines if line.strip()), "")


def table() -> str:
    """Return the page, in Markdown."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = requirements(project)
    direct = {canonicalize_name(requirement.name) for requirement in named}
    rows = []
    for name, distribution in sorted(installed_with(named).items()):
        shown = f"**{name}**" if name in direct else name
        rows.append(f"| {shown} | {distribution.version.partition('+')[0]} | {license_of(distribution)} |\n")
    return HEAD + "".join(rows)


if __name__ == "__main__":
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "licenses.md"
    place.write_text(table(), encoding="utf-8")
