"""The paper of a run, set from small tables by the project's template."""

import json
import re
import shutil
import tempfile
from dataclasses import replace

import pandas as pd
import pytest
import typst
from matplotlib.figure import Figure

from bert_attention.claims.publications import read_publication
from bert_attention.errors import InputError
from bert_attention.figures.style import save
from bert_attention.paper.document import Files, document_data, package_versions, set_paper
from bert_attention.paper.layout import PrintedTable, as_typst
from bert_attention.results import Figure as FigureEntry
from bert_attention.statistics.jackknife import Replicates
from bert_attention.statistics.tables import write_table
from tests.conftest import ROOT
from tests.paper.kinds_of_corpora import of_every_kind
from tests.paper.test_judged_claims import scoreboard

REPORT = ROOT / "workflow" / "report"
TEMPLATE = [REPORT / name for name in ("paper.typ", "paper_look.typ", "references.bib")]
PAPERS = {"clark": "Clark", "kovaleva": "Kovaleva", "kobayashi": "Kobayashi", "coenen": "Coenen", "vig": "Vig"}
SPECIAL = 'a #b *c* _d_ $e$ @f <g> [h] \\i "j" ~ ` // = -- é †'
CAPTIONS = {
    "clark_figure_4_entropy": FigureEntry(
        "4",
        "See the table clark_table_new, the figure clark_figure_new and table other_name.",
        [],
        corpora=["wikipedia"],
    ),
    "clark_figure_new": FigureEntry(
        "new", "A wide one.", [], counted={"table": "clark_entropy", "unit": "tokens", "where": {"layer": 2}}
    ),
    "clark_table_new": FigureEntry(
        "new", SPECIAL, [], corpora=["treebank"], counted={"table": "clark_entropy", "unit": "segments"}
    ),
    "scoreboard": FigureEntry("all", "Statements.", []),
    "kobayashi_table_alignment": FigureEntry("al", "Rates.", [], per="edition", corpora=["alignment"], parsed=True),
}


def printed(*rows, columns=2, notes=(SPECIAL,)):
    header = tuple(("shared", f"column {place}") for place in range(columns))
    return as_typst(PrintedTable(header, [rows], notes))


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """A figure as wide as a column, and one as wide as the text."""
    folder = tmp_path_factory.mktemp("drawn")
    for name, width in (("clark_figure_4_entropy", 3.3), ("clark_figure_new", 6.3)):
        figure = Figure(figsize=(width, 1))
        figure.subplots().plot([0, 1])
        save(figure, folder / f"{name}.pdf")
    return sorted(folder.iterdir())


@pytest.fixture
def files(tmp_path, drawn):
    table = pd.DataFrame(
        {"layer": [1, 2], "head": 1, "source": "all", "entropy": [1.0, 2.0], "uniform": 4.0, "n": [5, 7000]}
    ).assign(largest_weight=0.5, share_below_tenth=0.25)
    write_table(Replicates(table), tmp_path / "clark_entropy.csv")
    (tmp_path / "clark_table_new.typ").write_text(printed((SPECIAL[:20], "1")))
    (tmp_path / "kobayashi_table_alignment.typ").write_text(printed(("x" * 40,) * 3, columns=3))
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    claims = scoreboard({"statement": SPECIAL, "published": 0.5, "verdict": "reproduced", "finding": "confirmed"})
    claims.to_csv(tmp_path / "scoreboard.csv", index=False)
    return Files(
        tables=[tmp_path / "clark_entropy.csv"],
        facts=REPORT / "facts.yaml",
        claims=sorted(ROOT.glob("workflow/claims/*.yaml")),
        shown=[*drawn, *sorted(tmp_path.glob("*.typ"))],
        weights=tmp_path / "model.safetensors",
        scoreboard=tmp_path / "scoreboard.csv",
        scoreboard_figure=drawn[-1],
    )


@pytest.fixture
def data(edition, files):
    model = edition["models"][0]["name"]
    return document_data(of_every_kind(edition), model, PAPERS, CAPTIONS, files, {"numpy": "1.2"}, "abc123")


def pages(pdf):
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def test_the_paper_is_set_from_whatever_results_there_are(data, files):
    pdf, warnings = set_paper(data, TEMPLATE, files)
    assert not warnings
    assert pdf.startswith(b"%PDF")
    assert 4 <= pages(pdf) <= 7


def test_a_long_table_of_findings_goes_on_on_the_next_page(data, files):
    found = data["scoreboard"]["findings"]
    claim = next(claim for claims in found.values() for claim in claims)
    sizes = []
    for count in (1, 200):
        found["not confirmed"] = [claim] * count
        sizes.append(pages(set_paper(data, TEMPLATE, files)[0]))
    assert sizes[1] >= sizes[0] + 2


def test_the_same_data_give_the_same_bytes(data, files):
    (first, _), (second, _) = (set_paper(data, TEMPLATE, files) for _ in "ab")
    assert first == second
    assert b"CreationDate" not in first


def test_a_killed_run_leaves_no_folder_that_the_next_does_not_know(data, files, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    place = tmp_path / "results"
    place.mkdir()
    at_work = []

    def stop(*_arguments, **_options):
        at_work.extend(folder.relative_to(tmp_path).as_posix() for folder in tmp_path.rglob("*") if folder.is_dir())
        raise KeyboardInterrupt

    monkeypatch.setattr(typst, "compile_with_warnings", stop)
    with pytest.raises(KeyboardInterrupt):
        set_paper(data, TEMPLATE, files, place)
    assert [re.sub(r"\.\w+\.[^/]+\.partial", "TEMPORARY", folder) for folder in sorted(at_work)] == [
        "results",
        "results/TEMPORARY",
        "results/TEMPORARY/shown",
    ]


def test_captions_say_model_corpora_and_n(data):
    about = data["results"]["clark_table_new"]["about"]
    assert about == "all-MiniLM-L6-v2; treebank (running text parsed by spaCy, silver); n = 5 to 7,000 segments"
    assert data["results"]["clark_figure_4_entropy"]["about"] == "all-MiniLM-L6-v2; running text (gensim)"
    assert data["results"]["clark_figure_new"]["about"] == "all-MiniLM-L6-v2; n = 7,000 tokens"
    alignment = "stand-in: word alignment (English sentences in an invented language)"
    about = data["results"]["kobayashi_table_alignment"]["about"]
    assert about == f"{alignment}; words tagged and parsed by Stanza, silver"


def test_captions_refer_to_what_the_paper_shows(data):
    assert data["results"]["clark_figure_4_entropy"]["caption"] == [
        {"text": "See "},
        {"reference": "clark_table_new"},
        {"text": ", "},
        {"reference": "clark_figure_new"},
        {"text": " and "},
        {"text": "table "},
        {"name": "other_name"},
        {"text": "."},
    ]


def asked(selector, data, files, root):
    """All text of the elements that a selector names, as Typst itself understood it."""
    (root / "shown").mkdir(parents=True)
    for file in TEMPLATE:
        shutil.copy(file, root)
    for file in (*files.shown, files.scoreboard_figure):
        shutil.copy(file, root / "shown")
    (root / "data.json").write_text(json.dumps(data))
    return texts(json.loads(typst.query(root / "paper.typ", selector, root=root, ignore_system_fonts=True)))


def texts(content):
    """All text within content as Typst's query gives it."""
    if isinstance(content, dict):
        if content.get("func") == "space":
            return " "
        return content.get("text", "") if "text" in content else "".join(texts(part) for part in content.values())
    return "".join(texts(part) for part in content) if isinstance(content, list) else ""


def test_special_characters_stay_as_they_are(data, files, tmp_path):
    assert SPECIAL in asked("<clark_table_new>", data, files, tmp_path / "root")


def test_a_table_that_fits_no_page_is_an_error_that_names_it(data, files):
    wide = next(file for file in files.shown if file.stem == "clark_table_new")
    wide.write_text(printed(("x" * 100,) * 4, columns=4))
    with pytest.raises(typst.TypstError, match="clark_table_new does not fit"):
        set_paper(data, TEMPLATE, files)


@pytest.mark.parametrize("content", [b"#table(columns: 2, [a", b"#nonsense(3)", b"\xff\xfe\x00"])
def test_a_damaged_table_is_named_with_the_remedy(data, files, content):
    table = next(file for file in files.shown if file.stem == "clark_table_new")
    table.write_bytes(content)
    with pytest.raises(InputError, match=r"clark_table_new.typ: cannot be set \(.*\n  Remedy: delete it and run again"):
        set_paper(data, TEMPLATE, files)


def test_versions_are_those_that_are_installed(tmp_path):
    pins = """
dependencies:
  - python =3.11
  - pip
  - pip:
      - numpy==0.0.1
      - not-installed==3.4 ; sys_platform != 'win32'
"""
    (tmp_path / "a.yaml").write_text(pins)
    found = package_versions([tmp_path / "a.yaml"])
    assert found["not-installed"] == "3.4"
    assert found["numpy"] != "0.0.1"


def test_the_text_of_the_paper(data, files, tmp_path):
    text = asked("par", data, files, tmp_path / "root")
    asks_for_more_tables = "Averaged over the tokens and heads"
    assert asks_for_more_tables in (REPORT / "paper.typ").read_text(encoding="utf-8")
    assert asks_for_more_tables not in text
    assert "Of the 1 statements that can be tested on real text, 1 are confirmed. Another 0 are just as true" in text
    assert "Of the published numbers, 1 are reproduced" in text


def test_a_family_without_neurons_keeps_the_passage_on_patterns(edition, files, tmp_path):
    patterns = ("next", "previous", "identical", "identical_other_sentence", "predictive", "delimiter")
    columns = {"attention": 0.25, "baseline": 0.1, "share": 1.0, "n": 9}
    table = pd.DataFrame({"layer": 1, "head": range(1, 7), "pattern": patterns} | columns)
    write_table(Replicates(table), tmp_path / "vig_patterns.csv")
    of_family = replace(files, tables=[*files.tables, tmp_path / "vig_patterns.csv"])
    data = document_data(edition, edition["models"][0]["name"], PAPERS, CAPTIONS, of_family, {}, None)
    set_paper(data, TEMPLATE, of_family)
    del data["facts"]["vig_next_head"]
    with pytest.raises(typst.TypstError, match="no number vig_next_head"):  # that is, the passage asks for it
        set_paper(data, TEMPLATE, of_family)


def test_digests_are_of_weights_and_tables(data):
    assert set(data["digests"]) == {"model.safetensors", "clark_entropy.csv"}
    assert all(len(digest) == 64 for digest in data["digests"].values())


def test_statements_that_the_prose_reports_are_claims():
    named = re.findall(r"#here\(([^)]*)\)", (REPORT / "paper.typ").read_text(encoding="utf-8"))
    asked = {name.strip(' "') for names in named for name in names.split(",")}
    claims = [claim for path in ROOT.glob("workflow/claims/*.yaml") for claim in read_publication(path).claims]
    assert asked
    assert asked <= {claim["id"] for claim in claims if "holds" in claim}


def test_the_template_reads_nothing_from_a_network():
    for file in TEMPLATE:
        assert "@preview" not in file.read_text(encoding="utf-8")
