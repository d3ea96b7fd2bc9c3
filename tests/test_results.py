"""The entries of results.yaml."""

import inspect
import re

import pytest
import yaml

from bert_attention.errors import InputError
from bert_attention.plan import Plan
from bert_attention.results import PAPERS, RESULTS_YAML, results
from bert_attention.running.jobs import library_function

RESULTS = results()
MADE_BY_ANALYSES = {name: entry for name, entry in RESULTS.tables.items() if entry.analysis}


@pytest.mark.parametrize("name", MADE_BY_ANALYSES)
def test_an_analysis_takes_the_arguments_of_its_entry(name):
    entry = MADE_BY_ANALYSES[name]
    analysis = f"bert_attention.papers.{entry.analysis}"
    parameters = inspect.signature(library_function(f"{analysis}.sums" if entry.units else analysis)).parameters
    needed = {key for key, parameter in parameters.items() if parameter.default is parameter.empty}
    assert needed <= {*entry.all_inputs, *entry.kwargs} <= set(parameters)
    if entry.units:
        assert list(inspect.signature(library_function(f"{analysis}.table")).parameters) == ["sums"]


def test_statistics_are_columns_and_bounds_of_intervals_are_not_listed():
    for name, entry in RESULTS.tables.items():
        assert set(entry.statistics) <= set(entry.columns), name
        assert not any(column.endswith(("low", "high")) for column in entry.columns if entry.statistics), name


@pytest.mark.parametrize(("name", "entry"), RESULTS.shown.items(), ids=lambda value: str(value)[:40])
def test_a_figure_or_printed_table_takes_the_arguments_of_its_entry(name, entry):
    function = library_function(Plan(RESULTS).showing_function(name))
    assert set(inspect.signature(function).parameters) == {*entry.tables, *entry.published}


@pytest.mark.parametrize("kind", ["figures", "printed_tables"])
@pytest.mark.parametrize("paper", RESULTS.papers)
def test_results_are_in_the_order_of_their_paper(paper, kind):
    numbers = [re.match(rf"{paper}_[a-z]+_(\d+)", name) for name in getattr(RESULTS, kind)]
    found = [int(number[1]) for number in numbers if number]
    assert found == sorted(found)


def test_captions_on_labeled_maps_say_that_a_language_model_labeled_them():
    labeled = ("kovaleva_pattern_", "kovaleva_patterns")
    shown = {name: entry for name, entry in RESULTS.shown.items() if any(t.startswith(labeled) for t in entry.tables)}
    assert len(shown) == 4
    for name, entry in shown.items():
        assert "language model" in entry.caption, name
        assert "by eye" not in entry.caption, name


def test_one_error_lists_every_problem(tmp_path):
    content = yaml.safe_load((PAPERS / "clark" / "results.yaml").read_text(encoding="utf-8"))
    content["tables"]["clark_probes"]["statistics"] = ["accuracies"]
    content["tables"]["clark_positions"]["units"] = {"sequence": "attentions segments"}
    content["tables"]["clark_no_op"] |= {"statistics": [], "per": "edition"}
    content["figures"]["clark_figure_4_entropy"]["tables"] = ["clark_entropie"]
    (tmp_path / "clark").mkdir()
    (tmp_path / "clark" / "results.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    with pytest.raises(InputError) as error:
        results(RESULTS_YAML, tmp_path)
    for line in (
        "tables: clark_positions: reads attentions: expected one of attention, ",
        "tables: clark_no_op: has units, but no statistics: expected at least one",
        "tables: clark_no_op: has an analysis, but per is edition: expected model",
        "tables: clark_probes: the statistic accuracies is not one of its columns: ",
        "figures: clark_figure_4_entropy: no table is named clark_entropie; did you mean clark_entropy?",
    ):
        assert f"{tmp_path}/clark/results.yaml: {line}" in str(error.value)


OWN = """\
title: Mine
tables:
  mine_t:
    description: A table.
    columns: [layer, value]
    statistics: [value]
figures:
  mine_figure_1: {label: "1", caption: A., tables: [mine_t]}
"""


def read_own(folder, text, encoding="utf-8"):
    """Return the results of a folder with Clark et al. and a paper whose file is the text."""
    for paper, content in {"clark": (PAPERS / "clark" / "results.yaml").read_text("utf-8"), "mine": text}.items():
        (folder / paper).mkdir()
        (folder / paper / "results.yaml").write_text(content, encoding=encoding if paper == "mine" else "utf-8")
    return results(RESULTS_YAML, folder)


@pytest.mark.parametrize(("title", "expected"), [("title: Mine\n", "Mine"), ("", None)])
def test_a_paper_of_ones_own_is_read(tmp_path, title, expected):
    """Without a title, the folder has further analyses, and is no paper."""
    found = read_own(tmp_path, OWN.replace("title: Mine\n", title))
    assert found.papers.get("mine") == expected
    assert found.figures["mine_figure_1"].tables == ["mine_t"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("  mine_t:", "\tmine_t:", "line 3: is not valid YAML"),
        ("A table.", "entropy: of heads", "line 4: is not valid YAML"),
        ("[layer, value]", "[layer, value", "line 6: is not valid YAML"),
        (OWN, "", ": has no entries: expected some below tables, figures"),
        (OWN, "# nothing yet", ": has no entries"),
        (OWN, "title: Mine", ": has no entries"),
        (OWN, "- tables", ": is ['tables']: expected a mapping"),
        ("title: Mine", "compares: [clark]", ": lacks the key title: expected the title of a paper"),
        ("title: Mine", "segment_ids: pair", ": lacks the key title"),
        ("title: Mine", "title: [Mine]", ": title: is ['Mine']: expected text"),
        (
            "    statistics: [value]",
            "    statistics: value",
            ": tables: mine_t: statistics: is 'value': expected a list",
        ),
        ("[layer, value]", "layer", ": tables: mine_t: columns: is 'layer': expected a list"),
        ("[layer, value]", "[layer, {value: 1}]", ": tables: mine_t: columns: is {'value': 1}: expected text"),
        ("statistics: [value]", "control: 'no'", ": tables: mine_t: control: is 'no': expected true or false"),
        ("statistics: [value]", "units:", ": tables: mine_t: units: is empty: expected a mapping"),
        ("statistics: [value]", "units: {attention: 5}", ": tables: mine_t: units: attention: is 5: expected text"),
        ("statistics: [value]", "5: x", ": tables: mine_t: the key 5 is not text"),
        ("statistics: [value]", "per: models", ": tables: mine_t: per: is 'models': expected model or edition or"),
        ("statistics: [value]", "statistic: [value]", "the key statistic is unknown; did you mean statistics?"),
        ("    description: A table.\n", "", ": tables: mine_t: lacks the key description"),
        ("title: Mine", "title: Mine\nsegment_ids: zeroes", ": segment_ids: is 'zeroes': expected zeros or pair"),
        ("title: Mine", "title: Mine\nstores: {s: {array: x}}", ": stores: s: the key array is unknown; did you mean"),
        ("title: Mine", "title: Mine\nstores: {s: {arrays: norms, masked_share: yes}}", "expected a number"),
        ("mine_t:", "clark_entropy:", "clark/results.yaml has an entry of this name, too"),
        ("figures:", "tables:", "a key stands twice: tables in lines 2 and 7"),
        ("statistics: [value]", "columns: [value]", "a key stands twice: tables.mine_t.columns in lines 5 and 6"),
        ("[mine_t]", "[mine_s]", ": figures: mine_figure_1: no table is named mine_s; did you mean mine_t?"),
    ],
)
def test_a_mistake_in_a_papers_file_is_an_error_that_names_it(tmp_path, old, new, message):
    assert old in OWN
    with pytest.raises(InputError) as error:
        read_own(tmp_path, OWN.replace(old, new))
    assert str(tmp_path / "mine" / "results.yaml") in str(error.value)
    assert message in str(error.value)


@pytest.mark.parametrize(("encoding", "line"), [("utf-16", 1), ("latin-1", 4)])
def test_a_papers_file_in_another_encoding_is_an_error(tmp_path, encoding, line):
    with pytest.raises(InputError, match=rf"mine/results.yaml, line {line}: is not UTF-8"):
        read_own(tmp_path, OWN.replace("A table.", "Größe."), encoding)


def test_a_file_that_cannot_be_read_is_an_error(tmp_path):
    (tmp_path / "mine" / "results.yaml").mkdir(parents=True)
    with pytest.raises(InputError, match=r"mine/results.yaml: cannot be read \("):
        results(RESULTS_YAML, tmp_path)
