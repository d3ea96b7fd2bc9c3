"""Pages of the site that are not in this folder: README.md, the reference, and the results that are here."""

from __future__ import annotations

import os
import re
from pathlib import Path

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
RESULTS = Path(os.environ.get("RESULTS", ROOT / "results" / "embedded"))
_SHOWN = ("paper.pdf", "explorer*.html", "figures/*.png")
_PACKAGES = ("interface.model", "interface.study", "attention.store", "statistics.sums", "statistics.jackknife",
    *(f"papers.{name}" for name in ("clark", "kovaleva", "kobayashi", "coenen", "vig")))  # fmt: skip


def on_files(files: Files, config: dict) -> Files:
    """Add the pages that are not in docs/."""
    added = {"index.md": readme(), "reference.md": reference(), "run.md": run_page()}
    for name, content in added.items():
        files.append(File.generated(config, name, content=content))
    for pattern in _SHOWN if RESULTS.is_dir() else ():
        for file in RESULTS.rglob(pattern):
            target = f"run/{file.relative_to(RESULTS)}"
            files.append(File.generated(config, target, abs_src_path=str(file)))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Links out of docs/ lead to files that are not on the site: they are named instead."""
    return re.sub(r"\[([^\]]+)\]\(\.\./[^)]+\)", r"\1", markdown)


def readme() -> str:
    """README.md with links as from docs/, without the badges, which are pictures of other hosts."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").replace("](docs/", "](")
    text = re.sub(r"^\[!\[.*\n", "", text, flags=re.M)
    return re.sub(r"\[([^\]]+)\]\((?!https?:|#)(?![\w.-]+\.(?:md|png|pdf|svg)\b)[^)]+\)", r"\1", text)


def reference() -> str:
    """Return a page of the library's docstrings."""
    modules = []
    for name in _PACKAGES:
        folder = ROOT.joinpath("workflow", "bert_attention", *name.split("."))
        found = sorted(file.stem for file in folder.glob("[!_]*.py")) if folder.is_dir() else [""]
        modules += [f"bert_attention.{name}" + (f".{module}" if module else "") for module in found]
    return "# Reference\n\n" + "".join(f"::: {module}\n\n" for module in modules)


def run_page() -> str:
    """Return a page on the run's findings, paper, explorer and figures, or on how to make them."""
    if not RESULTS.is_dir():
        return "# The run\n\nThere are no results here yet: `make replicate` makes them.\n"
    found = (RESULTS / "README.md").read_text(encoding="utf-8").partition("\nOpen `index.html`")[0]
    figures = "".join(f"![{file.stem}]({_address(file)})\n\n" for file in sorted(RESULTS.rglob("figures/*.png")))
    pages = [*sorted(RESULTS.rglob("*.html")), *sorted(RESULTS.rglob("paper.pdf"))]
    links = f"Pages: {', '.join(f'[{_title(file)}]({_address(file)})' for file in pages)}.\n\n"
    return f"{found}\n\n{links}## Figures\n\n{figures}"


def _address(file: Path) -> str:
    """Return the address of a result on the site."""
    return f"run/{file.relative_to(RESULTS).as_posix()}"


def _title(file: Path) -> str:
    """Return the title of a page of the results, with its model."""
    of_model = "" if file.parent == RESULTS else f" of {file.parent.name}"
    return file.stem.replace("index", "all results").replace("_", " of ") + of_model
