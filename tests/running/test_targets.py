"""The list of what one can ask for."""

import pytest

from bert_attention.plan import target
from bert_attention.results import results
from bert_attention.running.targets import described_targets, misspelled


@pytest.mark.parametrize("width", [80, 200])
def test_every_result_is_listed_below_its_paper_on_lines_that_fit(width):
    found = results()
    lines = "\n".join(described_targets(found, width)).splitlines()
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    assert all(f"\n{paper}: {title}" in text for paper, title in found.papers.items())
    assert "..." not in text.partition("\n\n")[2]  # after the introduction, nothing is cut
    assert "\n  clark_figure_2        attention to positions and token types\n" in text
    assert "\n  kovaleva_table_pattern_shares  Figure 2 as numbers: patterns by task\n" in text
    listed = [line.split()[0] for line in lines if line.startswith("  ")]
    assert sorted({target(name) for name in found.shown} - set(listed)) == ["scoreboard_figure"]
    assert listed.index("kovaleva_figure_10") == listed.index("kovaleva_figure_9") + 1


def test_misspelled_targets_get_the_nearest():
    command = ["--cores", "2", "clark_figur_2", "kobayashi_categorys", "clark_figure_2", "scoreboard", "-q", "rules"]
    found = misspelled([*command, "results/x/clark_figur_2.pdf", "all", "none", "editions/open.yaml"], results())
    assert found == {"clark_figur_2": "clark_figure_2", "kobayashi_categorys": "kobayashi_categories"}
