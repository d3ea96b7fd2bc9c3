"""The guide to an edition's results."""

from pathlib import Path

from bert_attention.paper.guide import results_guide
from bert_attention.results import results


def test_the_guide_names_models_with_their_seeds_and_says_what_files_show(edition):
    (entry,) = edition["translation_models"]
    one = {key: value for key, value in entry.items() if key != "seeds"} | {"name": "one"}
    models = [one | {"name": "several", "seeds": [7, 9]}, one]
    printed, figure = "kobayashi_table_mixing", "kobayashi_figure_mixing"
    files = [Path(f"results/a/tables/{printed}.md"), Path(f"results/a/figures/{figure}.pdf")]
    guide = results_guide(edition | {"translation_models": models}, files, Path("results/a"))
    lines = guide.splitlines()
    assert "- translation model **several**, from `trained:miniature`, trained from the seeds 7, 9" in lines
    assert "- translation model **one**, from `trained:miniature`" in lines
    assert f"- `tables/{printed}.md`: {results().shown[printed].caption}" in lines
    drawn = lines.index(f"- `figures/{figure}.pdf`: {results().shown[figure].caption}")
    assert drawn < lines.index("## Tables as printed")


def test_the_paper_is_a_page_and_no_figure(edition):
    guide = results_guide(edition, [Path("results/a/paper.pdf")], Path("results/a"))
    lines = guide.splitlines()
    (entry,) = [line for line in lines if line.startswith("- `paper.pdf`: ")]
    assert lines.index("## Pages") < lines.index(entry) < lines.index("## Figures")
