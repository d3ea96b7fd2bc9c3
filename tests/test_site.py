"""The site builds without warnings and needs no other host. All files name the same version."""

import re
import subprocess
import sys
import tomllib

import pytest
import yaml

from tests.conftest import ROOT

VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


@pytest.mark.long
def test_the_site_has_every_page_and_needs_no_other_host(tmp_path):
    results = tmp_path / "results"
    (results / "bert" / "figures").mkdir(parents=True)
    (results / "README.md").write_text("# Results\n\nIt holds.\n\nOpen `index.html`: all\n", encoding="utf-8")
    pages = ("bert/paper.pdf", "bert/explorer.html", "explorer_de-en.html")
    for name in (*pages, "bert/figures/clark_figure_4_entropy.png"):
        (results / name).write_text("x")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    environment = {"PATH": "", "RESULTS": str(results), "NO_MKDOCS_2_WARNING": "1", "HOME": str(tmp_path)}
    built = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    pages = {page.stem: page.read_text(encoding="utf-8") for page in (tmp_path / "site").glob("*.html")}
    every = {"index", "run", "reference", *(page.stem for page in ROOT.glob("docs/*.md"))}
    assert every <= pages.keys()
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert {page.removesuffix(".md") for page in yaml.safe_load(settings)["nav"]} == every
    assert "It holds." in pages["run"]
    assert "badge" not in pages["index"]
    assert 'href="run/explorer_de-en.html">explorer of de-en</a>' in pages["run"]
    assert 'href="run/bert/explorer.html">explorer of bert</a>' in pages["run"]
    assert (tmp_path / "site" / "run" / "bert" / "figures" / "clark_figure_4_entropy.png").is_file()
    assert 'id="bert_attention.papers.clark.entropy' in pages["reference"]
    fetched = r'<(?:script|img|iframe)[^>]*src="(https?:[^"]*)|<link[^>]*rel="stylesheet"[^>]*href="(https?:[^"]*)'
    assert {page: found for page, text in pages.items() if (found := re.findall(fetched, text))} == {}


def test_ci_publishes_the_site_of_the_default_branch_after_all_tests():
    """By GitHub's own actions. README's badges name this workflow and the suitable versions of Python."""
    jobs = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))["jobs"]
    site = jobs.pop("site")
    assert set(site["needs"]) == jobs.keys()
    assert "github.event.repository.default_branch" in site["if"]
    steps = [step.get("run", step.get("uses", "").partition("@")[0]) for step in site["steps"]]
    expected = ["make site", "actions/upload-pages-artifact", "actions/deploy-pages"]
    assert [step for step in steps if step in expected] == expected
    assert all(step.startswith("actions/") for step in steps if not step.startswith("make "))
    badges = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[1]
    assert "../../actions/workflows/ci.yml/badge.svg" in badges
    tested = {"3.11", *jobs["pythons"]["strategy"]["matrix"]["python"]}
    assert set(re.findall(r"3\.\d\d(?=%20|-)", badges)) == tested


def test_citation_and_changelog_name_the_version():
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"] == VERSION
    assert f"\n## {VERSION} " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
