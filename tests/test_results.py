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
    assert len(entry.caption.split()) <= 60  # docs/results.md has the details


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
    content["tables"]["clark_entropy"]["column"] = content["tables"]["clark_entropy"].pop("columns")
    content["tables"]["clark_positions"]["units"] = {"sequence": "attentions segments"}
    content["tables"]["clark_no_op"] |= {"statistics": [], "per": "edition"}
    content["figures"]["clark_figure_4_entropy"]["tables"] = ["clark_entropie"]
    content["segment_id"] = content.pop("segment_ids")
    (tmp_path / "clark").mkdir()
    (tmp_path / "clark" / "results.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    with pytest.raises(InputError) as error:
        results(RESULTS_YAML, tmp_path)
    for line in (
        "clark: the key segment_id is unknown; did you mean segment_ids?",
        "tables, clark_entropy: the key column is unknown; did you mean columns?",
        "tables, clark_entropy: lacks the key columns",
        "tables, clark_positions: reads attentions: expected one of attention, ",
        "tables, clark_no_op: has units, but no statistics: expected at least one",
        "tables, clark_no_op: has an analysis, but per is edition: expected model",
        "figures, clark_figure_4_entropy: no table is named clark_entropie; did you mean clark_entropy?",
    ):
        assert line in str(error.value)
