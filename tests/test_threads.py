"""Rules compute on the same number of threads wherever they run: sums, and so results, depend on it."""

import re

from tests.conftest import ROOT

# Rules whose library function adds in a fixed order, whatever the number (a test of that function compares two).
IN_A_FIXED_ORDER = {"clark_head_distances"}


def test_a_job_has_one_thread_wherever_its_result_depends_on_their_number():
    several = {
        re.match(r"\w+", text)[0]: threads[1].strip()
        for file in sorted((ROOT / "workflow" / "rules").glob("*.smk"))
        for text in re.split(r"^(?:use )?rule (?:\w+ as )?", file.read_text(), flags=re.M)[1:]
        if (threads := re.search(r"^    threads:(.*?)(?:#.*)?$", text, flags=re.M)) and threads[1].strip() != "1"
    }
    assert several == {"clark_head_distances": "2"}, "Snakemake gives such a rule fewer threads on fewer cores"
    assert several.keys() == IN_A_FIXED_ORDER
