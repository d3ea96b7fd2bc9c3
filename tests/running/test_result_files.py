"""Which results an edition has, and where their files are."""

import pytest

from bert_attention.results import results
from bert_attention.running.encoders import PlannedEncoder
from bert_attention.running.result_files import ResultFiles, group_of

BERT = PlannedEncoder("bert", 2)
WITHOUT_MIXING = PlannedEncoder("modernbert", 1)


def files_of(**encoders):
    return ResultFiles(results(), "small", list(results().papers), encoders)


ONE, TWO = files_of(one=BERT), files_of(one=BERT, two=WITHOUT_MIXING)


def test_a_single_encoder_has_no_folder_of_its_own():
    assert ONE.tables("clark_entropy") == ["results/small/tables/clark_entropy.csv"]
    assert TWO.tables("clark_entropy") == [f"results/small/{name}/tables/clark_entropy.csv" for name in ("one", "two")]
    assert TWO.tables("kobayashi_alignment") == ["results/small/tables/kobayashi_alignment.csv"]
    assert TWO.table("clark_entropy") == "results/small/{model}/tables/clark_entropy.csv"
    assert ONE.table("scoreboard") == TWO.table("scoreboard") == "results/small/scoreboard.csv"


def test_replicates_are_those_of_tables_with_statistics():
    of_each = [f"results/small/{name}/tables/clark_entropy.parquet" for name in ("one", "two")]
    assert TWO.replicates("clark_entropy") == of_each
    assert ONE.replicates("comparison_headlines") == ["results/small/tables/comparison_headlines.parquet"]
    assert ONE.replicates("clark_pattern_examples") == []


def test_a_family_without_an_analysis_has_no_result_of_it():
    assert TWO.models_with("kobayashi_mixing") == ["one"]
    assert TWO.tables("kobayashi_mixing") == ["results/small/one/tables/kobayashi_mixing.csv"]
    of_two, shown_of_two = TWO.in_paper_of("two")
    assert "results/small/two/tables/kobayashi_dispersion.csv" in of_two
    assert not [file for file in of_two + shown_of_two if "mixing" in file]
    assert any("results/small/one/figures/kobayashi_figure_mixing.pdf" in file for file in TWO.in_paper_of("one")[1])


def test_the_comparison_is_of_several_models():
    assert "comparison" not in ONE.groups()
    assert "comparison" in TWO.groups()
    assert TWO.of_group("comparison")[0] == "results/small/tables/comparison_headlines.csv"


def test_results_are_of_the_papers_that_the_edition_names():
    some = ResultFiles(results(), "small", ["vig", "clark"], {"one": BERT, "two": BERT})
    assert list(some.groups()) == ["clark", "vig"]  # the comparison shows norms, too
    assert {group_of(name) for name in (*some.tables_made, *some.results_shown)} == {"clark", "vig"}
    assert some.table("kobayashi_mixing") == TWO.table("kobayashi_mixing")


@pytest.mark.parametrize("group", results().papers)
def test_all_results_of_a_paper_are_found_once(group):
    files = ONE.of_group(group)
    named = {name for name in results().tables if group_of(name) == group}
    assert {file for file in files if file.endswith(".csv")} == {f"results/small/tables/{name}.csv" for name in named}
    assert len(files) == len(set(files))
    assert len([file for file in files if file.endswith(".pdf")]) == sum(
        group_of(name) == group for name in results().figures
    )


def test_what_the_edition_has_nothing_for_is_not_asked_for():
    without = ResultFiles(
        results(), "small", list(results().papers), {"one": BERT}, frozenset({"kovaleva_repeated_words"})
    )
    asked = set(ONE.of_group("kovaleva")) - set(without.of_group("kovaleva"))
    assert asked == {"results/small/tables/kovaleva_repeated_words.csv"}
