"""Rules compute on one thread wherever they run: sums, and so results, depend on the number."""

import re

from tests.conftest import ROOT


def test_a_job_has_one_thread():
    """Snakemake gives a rule that asks for several fewer on fewer cores."""
    several = {
        re.match(r"\w+", text)[0]: threads[1].strip()
        for file in sorted((ROOT / "workflow" / "rules").glob("*.smk"))
        for text in re.split(r"^(?:use )?rule (?:\w+ as )?", file.read_text(), flags=re.M)[1:]
        if (threads := re.search(r"^    threads:(.*?)(?:#.*)?$", text, flags=re.M)) and threads[1].strip() != "1"
    }
    assert several == {}
