"""The paper of a run, typeset from small tables by the project's template."""

import json
import re
import shutil
from dataclasses import replace
from itertools import chain

import pandas as pd
import pytest
import typst
from matplotlib.figure import Figure

from bert_attention.errors import InputError
from bert_attention.figures.style import save
from bert_attention.judging.legend import STATEMENTS
from bert_attention.paper.document import Files, document_data, package_versions, set_paper
from bert_attention.papers import paper
from bert_attention.printing.layout import PrintedTable, as_typst
from bert_attention.results import PAPERS as PAPERS_FOLDER
from bert_attention.results import Figure as FigureEntry
from bert_attention.results import results
from bert_attention.statistics.jackknife import Replicates
from bert_attention.statistics.tables import write_table
from tests.conftest import ROOT
from tests.paper.kinds_of_corpora import with_every_kind
from tests.paper.test_judged_claims import scoreboard

REPORT = ROOT / "workflow" / "report"
PAPERS = {name: name.capitalize() for name in results().papers}
TEMPLATE = [REPORT / name for name in ("paper.typ", "paper_look.typ", "references.bib")]
TEMPLATE += [PAPERS_FOLDER / name / part for name in PAPERS for part in ("section.typ", "references.bib")]
TEXT = "".join(file.read_text(encoding="utf-8") for file in TEMPLATE if file.suffix == ".typ")
SPECIAL = 'a #b *c* _d_ $e$ @f <g> [h] \\i "j" ~ ` // = -- é †'
MENTIONS = "See the table clark_table_new, the figure clark_figure_new and table other_name."
ENTROPY = {"table": "clark_entropy"}
CAPTIONS = {
    "clark_figure_4_entropy": FigureEntry("4", MENTIONS, [], corpora=["wikipedia"]),
    "clark_figure_new": FigureEntry("new", "Wide.", [], counted={**ENTROPY, "unit": "tokens", "where": {"layer": 2}}),
    "clark_table_new": FigureEntry("new", SPECIAL, [], corpora=["treebank"], counted={**ENTROPY, "unit": "segments"}),
    "scoreboard": FigureEntry("all", "Statements.", []),
    "kobayashi_table_alignment": FigureEntry("al", "Rates.", [], per="edition", corpora=["alignment"], parsed=True),
}


def printed(*rows, columns=2):
    titles = [f"column {index}" for index in range(columns)]
    return as_typst(PrintedTable([("shared", titles)], [rows], [SPECIAL]))


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """A figure as wide as a column, and a figure as wide as the text."""
    folder = tmp_path_factory.mktemp("drawn")
    for name, width in (("clark_figure_4_entropy", 3.3), ("clark_figure_new", 6.3)):
        figure = Figure(figsize=(width, 1))
        figure.subplots().plot([0, 1])
        save(figure, folder / f"{name}.pdf")
    return sorted(folder.iterdir())


@pytest.fixture
def files(tmp_path, drawn):
    table = pd.DataFrame({"layer": [1, 2], "head": 1, "source": "all", "entropy": [1.0, 2.0], "n": [5, 7000]})
    table = table.assign(uniform=4.0, largest_weight=0.5, share_below_tenth=0.25)
    write_table(Replicates(table), tmp_path / "clark_entropy.csv")
    (tmp_path / "clark_table_new.typ").write_text(printed((SPECIAL[:20], "1")))
    (tmp_path / "kobayashi_table_alignment.typ").write_text(printed(("x" * 40,) * 3, columns=3))
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    claims = scoreboard(
        {"statement": SPECIAL, "published": 0.5, "verdict": "reproduced", "finding": "confirmed", "control": "met"}
    )
    claims.to_csv(tmp_path / "scoreboard.csv", index=False)
    return Files(
        tables=[tmp_path / "clark_entropy.csv"],
        shown=[*drawn, *sorted(tmp_path.glob("*.typ"))],
        weights=tmp_path / "model.safetensors",
        scoreboard=tmp_path / "scoreboard.csv",
        scoreboard_figure=drawn[-1],
    )


@pytest.fixture
def data(edition, files):
    model = edition["models"][0]["name"]
    return document_data(
        with_every_kind(edition), model, PAPERS, CAPTIONS, files, map(paper, PAPERS), {"numpy": "1.2"}, "abc123"
    )


@pytest.fixture
def new_table(files):
    return next(file for file in files.shown if file.name == "clark_table_new.typ")


def pages(pdf):
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def test_a_paper_of_few_results_and_of_many_findings(data, files):
    """The same data give the same bytes. A long table continues on the next page."""
    (pdf, warnings), (again, _) = (set_paper(data, TEMPLATE, files) for _ in "ab")
    assert not warnings
    assert 4 <= pages(pdf) <= 7
    assert pdf == again
    assert b"CreationDate" not in pdf
    data["scoreboard"]["claims"]["clark"] *= 200
    assert pages(set_paper(data, TEMPLATE, files)[0]) >= pages(pdf) + 2


@pytest.mark.parametrize("name", PAPERS)
def test_the_paper_of_an_edition_reads_only_the_folders_of_its_papers(data, files, name):
    template = [file for file in TEMPLATE if file.parent in (REPORT, PAPERS_FOLDER / name)]
    pdf, warnings = set_paper(data | {"papers": {name: PAPERS[name]}}, template, files)
    assert pages(pdf) >= 4
    assert not warnings


def test_data_for_captions_and_digests(data):
    about = {name: entry["about"] for name, entry in data["results"].items()}
    assert about == {
        "clark_table_new": "all-MiniLM-L6-v2; treebank (running text parsed by spaCy, silver); n = 5 to 7,000 segments",
        "clark_figure_4_entropy": "all-MiniLM-L6-v2; running text (gensim); segment ids: zeros",
        "clark_figure_new": "all-MiniLM-L6-v2; n = 7,000 tokens",
        "kobayashi_table_alignment": "stand-in: word alignment (English sentences in an invented language); "
        "words tagged and parsed by Stanza, silver",
    }
    assert [(*piece.items(),)[0] for piece in data["results"]["clark_figure_4_entropy"]["caption"]] == [
        *(("text", "See "), ("reference", "clark_table_new"), ("text", ", "), ("reference", "clark_figure_new")),
        *(("text", " and "), ("text", "table "), ("name", "other_name"), ("text", ".")),
    ]
    assert list(data["digests"]) == ["model.safetensors", "clark_entropy.csv"]


def test_captions_name_the_tokens_of_the_tokenizer(edition, files, drawn, tmp_path):
    tokenizer = tmp_path / "tokenizer.json"
    processor = {"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0]}
    tokenizer.write_text(json.dumps({"post_processor": processor}), encoding="utf-8")
    name = drawn[0].stem
    captions = {name: FigureEntry("4: [SEP]", "Attention to [SEP].", []), "scoreboard": CAPTIONS["scoreboard"]}
    of_roberta = replace(files, shown=[drawn[0]], tokenizer=tokenizer)
    data = document_data(edition, "all-MiniLM-L6-v2", PAPERS, captions, of_roberta, [], {}, None)
    result = data["results"][name]
    assert result["label"] == "4: </s>"
    assert result["caption"] == [{"text": "Attention to </s>. A pair of texts has three </s>."}]


@pytest.mark.parametrize(("paper", "segment_ids"), [("kobayashi", "pair"), ("vig", "zeros")])
def test_a_result_on_running_text_names_its_segment_ids(edition, files, drawn, paper, segment_ids):
    """The same quantity has another value with other segment ids."""
    name = f"{paper}_figure_new"
    shown = drawn[0].with_name(f"{name}.pdf")
    shutil.copyfile(drawn[0], shown)
    captions = {name: FigureEntry("4", "Drawn.", [], corpora=["wikipedia"]), "scoreboard": CAPTIONS["scoreboard"]}
    with_ids = edition | {"segment_ids": edition["segment_ids"] | {paper: segment_ids}}
    data = document_data(with_ids, "all-MiniLM-L6-v2", PAPERS, captions, replace(files, shown=[shown]), [], {}, None)
    assert data["results"][name]["about"].endswith(f"; segment ids: {segment_ids}")


def texts(content):
    """All text within content as Typst's query gives it."""
    if isinstance(content, dict):
        if content.get("func") == "space":
            return " "
        return content.get("text", "") if "text" in content else "".join(texts(part) for part in content.values())
    return "".join(texts(part) for part in content) if isinstance(content, list) else ""


def queried(data, files, folder, *selectors):
    """The text of the elements of the paper that each selector finds."""
    for part in (REPORT, PAPERS_FOLDER):
        shutil.copytree(part, folder / part.relative_to(ROOT))
    report = folder / REPORT.relative_to(ROOT)
    (report / "shown").mkdir()
    for file in (*files.shown, files.scoreboard_figure):
        shutil.copy(file, report / "shown")
    papers = [*data["papers"]]
    (report / "data.json").write_text(json.dumps(data | {"sections": papers, "references": papers}))
    return [
        texts(json.loads(typst.query(report / "paper.typ", selector, root=folder, ignore_system_fonts=True)))
        for selector in selectors
    ]


def test_the_text_of_the_paper(data, files, tmp_path):
    table, text, legend = queried(data, files, tmp_path, "<clark_table_new>", "par", "list")
    assert SPECIAL in table
    needs_more_tables = "Averaged over the tokens and heads"
    assert needs_more_tables in TEXT
    assert needs_more_tables not in text
    assert "real text, 1 is confirmed. " in text  # and no verdict that no statement has
    assert all(f"{verdict.name}: {verdict.meaning}" in legend for verdict in STATEMENTS.values())
    assert (
        "and more than for random weights, are 1 of Clark 2019. Random weights meet the threshold of 1 of them, too"
        in text
    )
    assert "Of the published numbers, 1 is reproduced" in text


@pytest.mark.parametrize("robust", [False, True])
def test_tables_of_statements_have_a_column_of_other_choices_if_these_were_tried(data, files, tmp_path, robust):
    data["scoreboard"]["robust"] = robust
    for claim in chain.from_iterable(data["scoreboard"]["claims"].values()):
        claim["holds"] = "8 of 9"
    (tables,) = queried(data, files, tmp_path, "table")
    assert ("8 of 9" in tables) == robust


# Papers and corpora of small editions, and words that their papers must not have.
_OF_TREES = ("syntactic", "Dependency heads", "Probes", "silver")
_OF_TASKS = ("fine-tuned", "Stanza", "Frames")
_OF_PAIRS = ("ranslation", "alignment")
_STAND_INS = ("stand-in",)


@pytest.mark.parametrize(
    ("papers", "changes", "absent"),
    [
        (["clark", "coenen", "vig"], {"treebank": "gold"}, ("automatic", "ilver", *_OF_TASKS, *_OF_PAIRS)),
        (["vig"], {}, (*_OF_TREES, *_OF_TASKS, *_OF_PAIRS, *_STAND_INS)),
        (["kovaleva"], {}, (*_OF_TREES[:-1], *_OF_PAIRS)),
        (["kobayashi"], {}, (*_OF_TREES, *_OF_TASKS)),
    ],
)
def test_the_paper_says_nothing_of_what_the_run_has_not(edition, files, tmp_path, papers, changes, absent):
    edition = with_every_kind(edition) | {"papers": papers}
    if changes:
        edition["corpora"] = edition["corpora"] | {"treebank": edition["corpora"]["treebank"] | {"trees": "gold"}}
    claims = scoreboard({"paper": papers[0], "finding": "confirmed", "verdict": None})
    claims.to_csv(files.scoreboard, index=False)
    few = replace(files, tables=[], shown=[])
    titles = {name: PAPERS[name] for name in papers}
    data = document_data(edition, "m", titles, CAPTIONS, few, map(paper, papers), {}, None)
    (text,) = queried(data, few, tmp_path, "par")
    assert "forward pass" in text
    assert [word for word in (*absent, "eplicat") if word in text] == []


@pytest.mark.parametrize("cells", [("x " * 400, "y"), ("x " * 150, "y" * 60, "z" * 60)])
def test_the_first_column_of_a_wide_table_wraps(data, files, new_table, cells):
    new_table.write_text(printed(cells, columns=len(cells)))
    _, warnings = set_paper(data, TEMPLATE, files)
    assert not warnings


@pytest.mark.parametrize("cells", [("x " * 100, "y" * 60, "z" * 60), ("x", "y")])
def test_a_long_table_breaks_over_pages_after_the_text_only(data, files, new_table, cells):
    before, _ = set_paper(data, TEMPLATE, files)
    new_table.write_text(printed(*[cells] * 300, columns=len(cells)))
    pdf, warnings = set_paper(data, TEMPLATE, files)
    assert not warnings
    assert pages(before) + 2 <= pages(pdf) <= pages(before) + 20
    data["results"]["clark_table_1_dependency_heads"] = data["results"]["clark_table_new"]
    with pytest.raises(typst.TypstError, match="clark_table_1_dependency_heads does not fit"):
        set_paper(data, TEMPLATE, files)


def test_a_table_that_is_too_wide_is_an_error_that_names_it(data, files, new_table):
    new_table.write_text(printed(("x" * 100,) * 4, columns=4))
    with pytest.raises(typst.TypstError, match="clark_table_new does not fit"):
        set_paper(data, TEMPLATE, files)


@pytest.mark.parametrize("content", [b"#table(columns: 2, [a", b"#nonsense(3)", b"\xff\xfe\x00"])
def test_a_damaged_table_is_an_error_with_a_remedy(data, files, new_table, content):
    new_table.write_bytes(content)
    with pytest.raises(InputError, match=r"clark_table_new.typ: cannot be typeset \(.*\n  Remedy: delete it"):
        set_paper(data, TEMPLATE, files)


def test_versions_are_those_that_are_installed(tmp_path):
    pins = "dependencies:\n  - pip\n  - pip: [numpy==0.0.1, not-installed==3.4 ; sys_platform != 'win32']\n"
    (tmp_path / "a.yaml").write_text(pins)
    found = package_versions([tmp_path / "a.yaml"])
    assert found["not-installed"] == "3.4"
    assert found["numpy"] != "0.0.1"


def test_a_family_without_neurons_keeps_the_passage_on_patterns(edition, files, tmp_path):
    patterns = ("next", "previous", "identical", "identical_other_sentence", "predictive", "delimiter")
    columns = {"attention": 0.25, "baseline": 0.1, "share": 1.0, "n": 9}
    table = pd.DataFrame({"layer": 1, "head": range(1, 7), "pattern": patterns} | columns)
    write_table(Replicates(table), tmp_path / "vig_patterns.csv")
    of_family = replace(files, tables=[*files.tables, tmp_path / "vig_patterns.csv"])
    data = document_data(
        edition, edition["models"][0]["name"], PAPERS, CAPTIONS, of_family, map(paper, PAPERS), {}, None
    )
    set_paper(data, TEMPLATE, of_family)
    del data["facts"]["vig_next_head"]
    with pytest.raises(typst.TypstError, match="no number vig_next_head"):  # so the passage is printed
        set_paper(data, TEMPLATE, of_family)


def test_works_of_one_author_and_year_are_cited_in_the_same_forms():
    """Otherwise, the bibliography does not tell them apart as a and b."""
    bibliography = "".join(file.read_text(encoding="utf-8") for file in TEMPLATE if file.suffix == ".bib")
    forms = {
        key: (f"@{key}" in TEXT, f"cite(<{key}>, form" in TEXT)
        for key in re.findall(r"^@\w+\{(\w+),", bibliography, flags=re.M)
    }
    names = [re.match(r"[a-z]+\d{4}", key)[0] for key in forms]
    same = {key: found for (key, found), name in zip(forms.items(), names, strict=True) if names.count(name) > 1}
    assert {"vig2019multiscale", "vig2019neurons"} <= same.keys()
    assert set(same.values()) == {(True, True)}


def test_statements_that_the_prose_reports_are_claims():
    named = re.findall(r"(?:#here|#let main-statements = )\(([^)]*)\)", TEXT)
    reported = {name.strip(' "\n') for names in named for name in names.split(",")} - {""}
    claims = [claim for name in results().papers for claim in paper(name).claims]
    assert reported
    assert reported <= {claim.name for claim in claims if claim.true_if}
    assert "@preview" not in TEXT  # nothing from a network
