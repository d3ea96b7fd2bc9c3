"""The guide to an edition's results."""

from pathlib import Path

from bert_attention.paper.captions import Caption
from bert_attention.paper.guide import results_guide


def test_the_guide_names_models_with_their_seeds_and_says_what_files_show(edition):
    (entry,) = edition["translation_models"]
    models = [entry | {"name": "several", "seeds": [7, 9]}, entry | {"name": "one"}]
    files = [Path("results/a/tables/kobayashi_table_b.md"), Path("results/a/figures/kobayashi_figure_c.pdf")]
    captions = {"kobayashi_table_b": Caption("b", "What b shows."), "kobayashi_figure_c": Caption("c", "What c shows.")}
    guide = results_guide(edition | {"translation_models": models}, files, captions, Path("results/a"))
    lines = guide.splitlines()
    assert "- translation model **several**, from `trained:miniature`, trained from the seeds 7, 9" in lines
    assert "- translation model **one**, from `trained:miniature`" in lines
    assert "- `tables/kobayashi_table_b.md`: What b shows." in lines
    assert lines.index("- `figures/kobayashi_figure_c.pdf`: What c shows.") < lines.index("## Tables as printed")


def test_the_paper_is_a_page_and_no_figure(edition):
    guide = results_guide(edition, [Path("results/a/paper.pdf")], {}, Path("results/a"))
    lines = guide.splitlines()
    (entry,) = [line for line in lines if line.startswith("- `paper.pdf`: ")]
    assert lines.index("## Pages") < lines.index(entry) < lines.index("## Figures")
